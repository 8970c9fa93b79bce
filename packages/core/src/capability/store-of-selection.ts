import { handleOfReader, type StoreHandle } from '../kernel/capability.ts'
import type { SelectionPort } from '../query/selection-port.ts'
import { pastError } from '../view/past-store.ts'

/** The store of a selection. Throws `pastReadOnly` for a selection of a past store. */
export function storeOfSelection(port: SelectionPort, operation: string): StoreHandle {
  const handle = handleOfReader(port.whole)
  if (handle === undefined)
    throw pastError('pastReadOnly', { operation, globalStamp: port.moment.globalStamp })
  return handle
}
