import type { Database } from '../execute/database.ts'
import type { BoundFilter, OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { ResolvedPath } from '../model/path.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import type { Statistics } from '../plan/statistics.ts'
import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import type { Projection } from './projection.ts'

/** What a selection needs of its store. */
export interface SelectionPort {
  readonly database: Database
  readonly statistics: Statistics
  readonly globalStamp: number
  /** Value of the allocation clock: records born later are no members of a selection made now. */
  readonly allocationClock: number
  /** Inside a transaction that has written: selections are then kept as sets, for what they describe may be rolled back. */
  readonly isProvisional: boolean
  /** Called before every read: refuses a broken or closed store, and lets an open transaction see itself. */
  enter(): void
  /** Records of a table that changed since a global stamp, as they were then. Throws `historyTrimmed`. */
  pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord>
  bindFilter(dataClass: ClassModel, text: string, params: unknown, options?: QueryOptions): BoundFilter
  planOf(dataClass: ClassModel, predicate: Predicate): PhysicalPlan
  bindOrderBy(dataClass: ClassModel, text: string): OrderBy
  resolvePath(dataClass: ClassModel, text: string): ResolvedPath
  projection(dataClass: ClassModel, text: string): Projection
  /** The public object of the dataclass. */
  publicTable(dataClass: ClassModel): object
  /** Coerces a key given from outside to a stored one; null when it cannot be a key of the dataclass. */
  storedKey(dataClass: ClassModel, key: unknown): string | number | null
  removeAll(table: Table, keys: readonly (string | number)[]): number
  call(selection: object, dataClass: ClassModel, name: string, args: readonly unknown[]): unknown
  /** Milliseconds, monotonic; for `explain` only. */
  monotonic(): number
}
