import { useEffect, useRef, useState } from 'preact/hooks'
import { type Ask, Refusal } from './api.ts'

interface LoginProps {
  readonly ask: Ask
  /** Whether the server requires a login. */
  readonly isNeeded: boolean
  readonly done: () => void
  readonly close: () => void
}

/** Asks for a name and a password for `$directory/login`. */
export function Login({ ask, isNeeded, done, close }: LoginProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal()
  }, [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    try {
      await ask('$directory/login', {
        method: 'POST',
        body: [form.get('name'), form.get('password')],
      })
      done()
    } catch (error) {
      setProblem(error instanceof Refusal ? error.message : 'The login failed.')
    }
  }
  return (
    <dialog ref={dialog} class="login" aria-labelledby="login-title" onClose={close}>
      <form onSubmit={submit}>
        <h2 id="login-title">Log in</h2>
        {isNeeded && <p>The server asks who you are.</p>}
        <label>
          Name <input name="name" autocomplete="username" required />
        </label>
        <label>
          Password{' '}
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        {problem !== '' && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <p class="actions">
          <button type="submit">Log in</button>
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  )
}
