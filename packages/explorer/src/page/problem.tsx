import type { ComponentChildren } from 'preact'
import type { Refusal } from './api.ts'

interface ProblemProps {
  readonly refusal: Refusal
  /** What can be done about it. */
  readonly children?: ComponentChildren
}

/** The messages of a refusal. */
export function Problem({ refusal, children }: ProblemProps) {
  const [message = refusal.message] = (refusal.messages.at(-1) ?? refusal.message).split('\n', 1)
  return (
    <p class="problem" role="alert">
      {message}{' '}
      {refusal.status > 0 && !refusal.isTooExpensive && (
        <span class="status">{refusal.status}</span>
      )}
      {children}
    </p>
  )
}
