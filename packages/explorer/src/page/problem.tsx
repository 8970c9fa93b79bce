import type { Refusal } from './api.ts'

/** The messages of a refusal. */
export function Problem({ refusal }: { refusal: Refusal }) {
  const [message = refusal.message] = (refusal.messages.at(-1) ?? refusal.message).split('\n', 1)
  return (
    <p class="problem" role="alert">
      {message} {refusal.status > 0 && <span class="status">{refusal.status}</span>}
    </p>
  )
}
