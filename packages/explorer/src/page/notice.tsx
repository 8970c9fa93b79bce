import { Progress } from './progress.tsx'
import type { History, PastChange } from './use-history.ts'

export interface NoticeText {
  readonly text: string
  /** The change that the notice is about. */
  readonly change?: PastChange
}

interface NoticeProps {
  readonly notice: NoticeText
  readonly history: History
  readonly dismiss: () => void
  readonly now: () => number
}

/** The latest notice; with a button that undoes its change while that is the last one. */
export function Notice({ notice, history, dismiss, now }: NoticeProps) {
  const { text, change } = notice
  const { changes, progress, undo } = history
  const isUndoable = change !== undefined && changes.at(-1) === change
  return (
    <output class={`notice${text === '' && progress === null ? ' silent' : ''}`} aria-live="polite">
      {progress === null ? text : <Progress label="Undone entities" {...progress} now={now} />}
      {isUndoable && progress === null && (
        <button type="button" title="Undo (Ctrl Z)" onClick={() => undo(change)}>
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
