import { type AnyDataStore, isEntiaError, type Session } from '@entia/core'
import { restError } from '../errors/rest-error.ts'

/**
 * Runs `body` as a session, or without one. Throws loginRequired if the session ended after the
 * request arrived: a caller that has just logged out must not continue to write.
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
    throw restError('loginRequired', {
      what: 'The session of this request has ended, and the request',
    })
  }
}
