import type { AttributeModel } from '@entia/core'

/**
 * What the application's own code threw while an attribute was read or shown. No EntiaError, whatever the cause: the
 * host is told which attribute it was, a client only that something failed.
 */
export function unreadable({ name, owner }: AttributeModel, cause: unknown): Error {
  const problem = cause instanceof Error ? cause.message : String(cause)
  return new Error(`The "${name}" attribute of the "${owner.name}" dataclass cannot be read: ${problem}`, { cause })
}
