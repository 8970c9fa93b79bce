import { EntiaError } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { writeError } from './write-errors.ts'

/**
 * Runs code of the application (a hook, a setter). Errors other than `EntiaError` become
 * `hookFailed`. Throws `promiseReturned` for a promise.
 */
export function callUserCode(model: ClassModel, hook: string, run: () => unknown): unknown {
  let result: unknown
  try {
    result = run()
  } catch (error) {
    if (error instanceof EntiaError) throw error
    const problem = error instanceof Error ? error.message : String(error)
    throw writeError('hookFailed', { dataClass: model.name, hook, problem }, { cause: error })
  }
  refusePromise(
    result,
    `The hook "${hook}" of the "${model.name}" dataclass`,
    'Await before the write, not inside it.',
  )
  return result
}

/** Runs the body of a transaction. Throws what it throws, and `promiseReturned` for a promise. */
export function runBody<T, R>(transaction: T, body: (transaction: T) => R): R {
  const result = body(transaction)
  refusePromise(result, 'The body of a transaction', 'Await before the transaction, not inside it.')
  return result
}

/**
 * Throws `promiseReturned` for a promise or another object with a `then` method. A rejection of the
 * promise is ignored.
 */
export function refusePromise(result: unknown, where: string, remedy: string): void {
  if (
    typeof result !== 'object' ||
    result === null ||
    !('then' in result) ||
    typeof result.then !== 'function'
  )
    return
  if (result instanceof Promise) result.catch(() => {})
  throw new EntiaError('promiseReturned', { where, remedy })
}
