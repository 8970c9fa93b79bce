import type { Session } from '@entia/core'
import type { Names } from '../../engine/names.ts'
import { restError } from '../../errors/rest-error.ts'
import type { RequestHead } from '../../request/request.ts'

/** The store function by which users log in. */
const LOGIN_FUNCTION = 'authentify'

/**
 * With `forceLogin`, refuses unauthenticated callers everything except the catalog and the ways to
 * log in. Throws loginRequired.
 */
export function refuseGuest(
  head: RequestHead,
  session: Session | null,
  names: Names,
  by: 'directory' | 'host',
): void {
  if (session !== null && session.user !== null) return
  if (!isForGuests(head, names)) throw restError('loginRequired', { what: 'This request', by })
}

function isForGuests({ address, verb }: RequestHead, names: Names): boolean {
  if (verb === 'OPTIONS' || address.kind === 'directory' || address.kind === 'openapi') return true
  // Proxies have no user, and `$metrics` has a permission rule of its own.
  if (address.kind === 'metrics' || address.kind === 'health') return true
  if (address.kind !== 'catalog') return false
  const list = Array.isArray(address.names) ? address.names : []
  if (list.length === 1 && list[0] === LOGIN_FUNCTION) return true
  // A single name may be a function of the store.
  return (
    verb === 'GET' &&
    !list.some(
      (name) => names.catalog.functions.has(name) && names.findDataClass(name) === undefined,
    )
  )
}
