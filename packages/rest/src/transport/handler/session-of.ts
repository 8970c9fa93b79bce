import type { HeaderLookup, RestInput } from '../input/rest-input.ts'
import { CookieSession } from '../session/cookie-session.ts'
import { IdentifiedSession, loginOrigin } from '../session/identity.ts'
import type { HandlerState, MountPoint } from './catalogs.ts'

/** The session of a request: by cookie, or of the user whom the application identifies. */
export function sessionOf(
  { engine, options, secureCookies }: HandlerState,
  { cookie }: MountPoint,
  header: HeaderLookup,
  input: RestInput,
): CookieSession | IdentifiedSession {
  const { sessions } = engine
  return options.identify === undefined
    ? new CookieSession(sessions, cookie, header, input, secureCookies)
    : new IdentifiedSession(sessions, loginOrigin(header, input))
}
