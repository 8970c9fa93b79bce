import type { ComponentChildren, RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

interface ModalProps {
  readonly dialog: RefObject<HTMLDialogElement | null>
  readonly id: string
  readonly class?: string
  readonly title: string
  /** The buttons before "Cancel". */
  readonly actions: ComponentChildren
  /** Why the last action failed; empty if it did not. */
  readonly problem: string
  readonly submit?: () => void
  readonly close: () => void
  readonly children: ComponentChildren
}

/** A modal dialog with a title, a message and actions. */
export function Modal(props: ModalProps) {
  const { dialog, id, title, actions, problem, submit, close, children } = props
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class={props.class} aria-labelledby={`${id}-title`} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit?.()
        }}
      >
        <h2 id={`${id}-title`}>{title}</h2>
        {children}
        {problem !== '' && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <p class="actions">
          {actions}
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  )
}
