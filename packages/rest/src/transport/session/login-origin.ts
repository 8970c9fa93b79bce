import type { LoginOrigin } from '../../handle/context/users.ts'
import type { HeaderLookup, RestInput } from '../input/rest-input.ts'

/** The origin of a request as its sender reports it. */
export function loginOrigin(header: HeaderLookup, input: RestInput): LoginOrigin {
  const ipAddress = input.remoteAddress ?? ''
  return { host: header('host') ?? '', ipAddress, userAgent: header('user-agent') ?? '' }
}
