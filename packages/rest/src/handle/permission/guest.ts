import type { Session } from '@entia/core'
import type { Names } from '../../engine/names.ts'
import { restError } from '../../errors/rest-error.ts'
import type { RequestHead } from '../../request/request.ts'

/** The function of a store that users log in by. */
const LOGIN_FUNCTION = 'authentify'

/** Where everybody has to log in: refuses a guest all but the catalog, in its forms, and the ways to log in. Throws loginRequired. */
export function refuseGuest(head: RequestHead, session: Session | null, names: Names): void {
  if (session !== null && session.user !== null) return
  if (!isForGuests(head, names)) throw restError('loginRequired', { what: 'This request' })
}

function isForGuests({ address, verb }: RequestHead, names: Names): boolean {
  if (verb === 'OPTIONS' || address.kind === 'directory' || address.kind === 'openapi') return true
  // A rule of its own says who may.
  if (address.kind === 'metrics') return true
  if (address.kind !== 'catalog') return false
  const list = Array.isArray(address.names) ? address.names : []
  if (list.length === 1 && list[0] === LOGIN_FUNCTION) return true
  // A name alone may be a function of the store.
  return (
    verb === 'GET' && !list.some((name) => names.catalog.functions.has(name) && names.findDataClass(name) === undefined)
  )
}
