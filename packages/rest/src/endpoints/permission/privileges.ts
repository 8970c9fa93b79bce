import type { Session } from '@entia/core'
import {
  type AccessAction,
  type Caller,
  type Names,
  permitReading,
  permitRows,
} from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { OperatorAction } from '../../request/operator-endpoints.ts'
import { KINDS, type RequestHead } from '../../request/request.ts'

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
  if (verb === 'OPTIONS' || KINDS[address.kind].isForGuests) return true
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

/** What a caller may do with at least some entities of one dataclass. */
export interface Privileges {
  readonly dataClass: string
  readonly actions: readonly AccessAction[]
  /** The functions that the caller may call. */
  readonly functions: readonly string[]
}

export const PRIVILEGED_ACTIONS = ['read', 'create', 'update', 'delete', 'lock'] as const

/** The privileges for every dataclass that the caller knows. */
export function privilegesOf({ names, access }: Caller): readonly Privileges[] {
  return names.dataClasses().map((dataClass) => {
    const allowed = PRIVILEGED_ACTIONS.filter(
      (action) => access === null || access.rows(dataClass, action) !== false,
    )
    const functions = [...dataClass.functions.values()].filter(
      ({ exposed, name }) => exposed && names.mayCall(dataClass, name),
    )
    return {
      dataClass: dataClass.name,
      actions: ['describe', ...allowed],
      functions: functions.map(({ name }) => name),
    }
  })
}

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

/**
 * Which entity sets and sessions `$info` shows to whom. The id of a set without an owner suffices
 * to use it, so by default callers see only their own: `'all'`, or a function that returns true,
 * shows all.
 */
export type InfoRule = 'own' | 'all' | ((session: Session | null) => boolean | Promise<boolean>)

/** The caller of `$metrics`. */
export interface MetricsAsker {
  readonly session: Session | null
  /**
   * The address as the host reports it; empty if unknown. Behind a proxy, all callers have the
   * proxy's address.
   */
  readonly remoteAddress: string
  /** A header by its lower-case name; null when absent. */
  header(name: string): string | null
}

/** Returns true for callers who may read the metrics. */
export type MetricsRule = (asker: MetricsAsker) => boolean | Promise<boolean>

/** The caller of `$operator`, and what the rule is asked to allow. */
export interface OperatorAsker extends MetricsAsker {
  readonly action: OperatorAction
}

/**
 * Returns true for callers who may do this. A caller who may look sees all users, dataclasses and
 * attributes, whatever `authorize` says, and no values.
 */
export type OperatorRule = (asker: OperatorAsker) => boolean | Promise<boolean>

/** The metrics and who may read them. */
export interface ServedMetrics {
  readonly rule: MetricsRule
  text(): Promise<string>
}
