import {
  type Catalog,
  type ClassModel,
  type EntiaError,
  isEntiaError,
  type RowFilter,
  type ViewOptions,
} from '@entia/core'
import { engineError } from '../errors/engine-error.ts'
import type { EngineErrorDetails } from '../errors/error-details.ts'
import type { Access, RowAction } from './access.ts'
import type { Caller } from './caller.ts'
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
      !access.mayDescribe(attribute.owner) ||
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

/** The part of a caller that decides between 401 and 403. */
type Asker = Pick<Caller, 'session' | 'loginBy'>

/**
 * Refuses an action on a dataclass that the caller may not perform on any entity. Throws
 * accessDenied, or loginRequired around it.
 */
export function permitRows(caller: Caller, dataClass: ClassModel, action: RowAction): void {
  const { access } = caller
  if (access === null || access.rows(dataClass, action) !== false) return
  throw denied(caller, { action, dataClass: dataClass.name })
}

/**
 * Refuses callers who may not read the dataclass, since every action requires reading it. The error
 * names the requested action if that is denied too, else `read`.
 */
export function permitReading(caller: Caller, dataClass: ClassModel, requested: RowAction): void {
  if (caller.access === null || caller.access.rows(dataClass, 'read') !== false) return
  permitRows(caller, dataClass, requested)
  permitRows(caller, dataClass, 'read')
}

/**
 * Refuses a function; `dataClass` is null for functions of the store and of singletons
 * (`Singleton.function`).
 */
export function permitCall(caller: Caller, dataClass: ClassModel | null, name: string): void {
  const { access } = caller
  if (access === null || access.mayCall(dataClass, name)) return
  throw denied(caller, { action: 'call', dataClass: dataClass?.name ?? '', name })
}

/** The error for a denied action. */
export function denied(caller: Asker, details: EngineErrorDetails['accessDenied']): EntiaError {
  return orLogin(caller, engineError('accessDenied', details))
}

/** The error for a denied attribute. */
export function attributeDenied(
  caller: Asker,
  details: EngineErrorDetails['attributeAccessDenied'],
): EntiaError {
  return orLogin(caller, engineError('attributeAccessDenied', details))
}

/** Unauthenticated callers are asked to log in. */
function orLogin({ session, loginBy = 'directory' }: Asker, cause: EntiaError): EntiaError {
  if (session !== null && session.user !== null) return cause
  return engineError('loginRequired', { what: 'This request', by: loginBy }, { cause })
}
