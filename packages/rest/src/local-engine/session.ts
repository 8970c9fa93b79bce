import { type AnyDataStore, isEntiaError, type Session } from '@entia/core'
import { restError } from '../errors/rest-error.ts'

/**
 * Works in the store as a session, or as nobody. Throws loginRequired when the session has ended since the request came: who
 * has just logged out must not go on writing.
 */
export function asSession<R>(
  store: AnyDataStore,
  session: Session | null,
  body: () => R extends PromiseLike<unknown> ? never : R,
): R {
  let isEntered = false
  try {
    return store.as(session, () => {
      isEntered = true
      return body()
    })
  } catch (error) {
    if (isEntered || !isEntiaError(error, 'argumentInvalid')) throw error
    throw restError('loginRequired', { what: 'The session of this request has ended, and the request' })
  }
}
