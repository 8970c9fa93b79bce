import type { Database } from '../execute/database.ts'
import type { BoundFilter, OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { ConditionNode, Explain } from '../model/explain-types.ts'
import type { ResolvedPath } from '../model/path.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import type { TextForm } from '../model/text-form.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import type { Statistics } from '../plan/statistics.ts'
import type { Projection } from '../projection/projection.ts'
import type { RecordTexts } from '../projection/record-texts.ts'
import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'

/** A filter as it is run. */
export interface ReadFilter extends BoundFilter {
  /** What was asked, where `predicate` also says what the reader may see; for `explain` and `trace` only. */
  readonly asked?: (() => Predicate) | undefined
}

/** What a live query asks. */
export interface LiveSource {
  readonly dataClass: ClassModel
  /** With what the reader may see. */
  readonly predicate: Predicate
  readonly orderBy: OrderBy | null
  /** Not null for a page of it. */
  readonly page: { readonly skip: number; readonly top: number } | null
}

/** What a selection needs of its store, or of what one reader may see of it. */
export interface SelectionPort {
  /** The store itself, where every entity can be seen: what was chosen already is kept through it. */
  readonly whole: SelectionPort
  /** True when some entities are hidden. */
  readonly restrictsRows: boolean
  /** Which entities of a dataclass can be seen, as text to compare; null where all can. */
  ruleOf(dataClass: ClassModel): string | null
  /** What the reader may know of a plan. */
  shown(explain: Explain): Explain
  /** A condition without the names that the reader does not know. */
  shownCondition(condition: ConditionNode): ConditionNode
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
  /** Records of a table that commits have changed since a global stamp; null if the history does not reach so far. */
  changedSlots(table: Table, globalStamp: number): readonly number[] | null
  bindFilter(dataClass: ClassModel, text: string, params: unknown, options?: QueryOptions): ReadFilter
  planOf(dataClass: ClassModel, predicate: Predicate): PhysicalPlan
  bindOrderBy(dataClass: ClassModel, text: string): OrderBy
  resolvePath(dataClass: ClassModel, text: string): ResolvedPath
  projection(dataClass: ClassModel, text: string): Projection
  textForm(dataClass: ClassModel, form: TextForm): RecordTexts
  /** The public object of the dataclass. */
  publicTable(dataClass: ClassModel): object
  /** Coerces a key given from outside to a stored one; null when it cannot be a key of the dataclass. */
  storedKey(dataClass: ClassModel, key: unknown): string | number | null
  removeAll(table: Table, keys: readonly (string | number)[]): number
  /** Asks on and on; see `Selection.live` of the public types. */
  live(source: LiveSource, listener: unknown, options: unknown): object
  call(selection: object, dataClass: ClassModel, name: string, args: readonly unknown[]): unknown
  /** Milliseconds, monotonic; for `explain` only. */
  monotonic(): number
}
