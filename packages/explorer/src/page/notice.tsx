import { useEffect, useState } from 'preact/hooks'

/** How long an action can be undone, in milliseconds. */
const undoFor = 30_000

export interface NoticeText {
  readonly text: string
  /** Resolves to the text of the next notice. */
  readonly undo?: (() => Promise<string>) | undefined
}

interface NoticeProps {
  readonly notice: NoticeText
  readonly act: (action: Promise<string>) => void
  readonly dismiss: () => void
}

/** The latest notice, with a button that undoes an action for some seconds. */
export function Notice({ notice, act, dismiss }: NoticeProps) {
  const { text, undo } = notice
  const [used, setUsed] = useState<NoticeText | null>(null)
  useEffect(() => {
    if (undo === undefined) return
    const timer = setTimeout(dismiss, undoFor)
    return () => clearTimeout(timer)
  }, [notice])
  return (
    <output class={`notice${text === '' ? ' silent' : ''}`} aria-live="polite">
      {text}
      {undo !== undefined && used !== notice && (
        <button
          type="button"
          onClick={() => {
            setUsed(notice)
            act(undo())
          }}
        >
          Undo
        </button>
      )}
      {text !== '' && (
        <button type="button" class="quiet" aria-label="Dismiss" onClick={dismiss}>
          ✕
        </button>
      )}
    </output>
  )
}
