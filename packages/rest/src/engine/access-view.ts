import { type Catalog, isEntiaError, type RowFilter, type ViewOptions } from '@entia/core'
import type { Access } from './access.ts'
import { isRelation } from './names.ts'

/** The options of the view of one caller: the exposed names and the entities that it may read. */
export function accessView(catalog: Catalog, access: Access): ViewOptions {
  const rows = new Map<string, RowFilter>()
  for (const dataClass of catalog.classes) {
    const filter = access.rows(dataClass, 'read')
    if (filter !== true && dataClass.exposed) rows.set(dataClass.name, filter)
  }
  return {
    exposedOnly: true,
    rows,
    hides: (attribute) =>
      !access.mayRead(attribute) ||
      (isRelation(attribute) && !access.mayDescribe(attribute.target)),
  }
}

/**
 * An invalid filter from the permission hook is an error of the application, and reveals nothing to
 * the caller.
 */
export function ofApplication<T>(make: () => T): T {
  try {
    return make()
  } catch (cause) {
    if (!isEntiaError(cause)) throw cause
    throw new Error(`authorize answered a filter that cannot be used: ${cause.message}`, { cause })
  }
}
