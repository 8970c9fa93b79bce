import type { Caller } from '../../engine/caller.ts'
import { permitReading, permitRows } from '../../engine/permit.ts'
import type { RequestHead } from '../../request/request.ts'

/**
 * Refuses a request before its body is read, where the address alone says that the caller may not do it: whatever the body holds, the answer would
 * be the same. Throws dataClassNotFound, accessDenied, loginRequired around it.
 */
export function refuseEarly({ address, action, parameters }: RequestHead, caller: Caller): void {
  if (address.kind !== 'data' || parameters.emMethod !== null) return
  const dataClass = caller.names.dataClass(address.dataClass)
  // Behind the dataclass there may be functions and relations, which have rules of their own.
  if (address.parts.length > 0) return
  if (action === 'delete' || action === 'insert') {
    const requested = action === 'delete' ? 'delete' : 'create'
    permitReading(caller, dataClass, requested)
    permitRows(caller, dataClass, requested)
  }
}
