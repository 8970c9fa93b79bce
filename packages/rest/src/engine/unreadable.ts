import type { AttributeModel } from '@entia/core'

/**
 * Wraps an error that the application's code threw while an attribute was read or rendered. It is
 * not an EntiaError: the host learns the attribute and the cause, the client only that the request
 * failed.
 */
export function unreadable({ name, owner }: AttributeModel, cause: unknown): Error {
  const problem = cause instanceof Error ? cause.message : String(cause)
  return new Error(
    `The "${name}" attribute of the "${owner.name}" dataclass cannot be read: ${problem}`,
    { cause },
  )
}
