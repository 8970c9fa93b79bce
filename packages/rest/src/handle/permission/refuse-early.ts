import type { Caller } from '../../engine/caller.ts'
import { permitReading, permitRows } from '../../engine/permit.ts'
import type { RequestHead } from '../../request/request.ts'

/**
 * Refuses a request before its body is read if the address alone shows that the caller may not
 * perform it. Throws dataClassNotFound, accessDenied, loginRequired around it.
 */
export function refuseEarly({ address, action, parameters }: RequestHead, caller: Caller): void {
  if (address.kind !== 'data' || parameters.emMethod !== null) return
  const dataClass = caller.names.dataClass(address.dataClass)
  // Functions and relations in the path have permissions of their own.
  if (address.parts.length > 0) return
  if (action === 'delete' || action === 'insert') {
    const requested = action === 'delete' ? 'delete' : 'create'
    permitReading(caller, dataClass, requested)
    permitRows(caller, dataClass, requested)
  }
}
