import { type AnyDataStore, isEntiaError, type Session, type Sessions } from '@entia/core'
import type { EngineSessions } from '../engine/engine.ts'
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

/** The sessions of a store. They expire without a timer, so a watch has to look. */
export function localSessions(sessions: Sessions): EngineSessions {
  return {
    open: (options) => sessions.open(options),
    touch: (token) => sessions.touch(token),
    login: (token, user, options) => sessions.login(token, user, options),
    identified: (user, options) => sessions.identified(user, options),
    close: (token) => sessions.close(token),
    whenEnded({ token }, ended) {
      let isWatching = true
      return {
        check() {
          if (!isWatching || sessions.peek(token) !== undefined) return
          isWatching = false
          ended()
        },
        stop() {
          isWatching = false
        },
      }
    },
  }
}
