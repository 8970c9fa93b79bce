import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'
import type { Database } from '../execute/database.ts'
import type { Filters } from '../execute/relevance.ts'
import { searchFilter } from '../filter/bind-order-by.ts'
import { EVERYTHING } from '../filter/context.ts'
import type { FilterLimits } from '../filter/filter-errors.ts'
import type { BoundFilter, OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute } from '../model/catalog.ts'
import type { Condition } from '../model/condition-types.ts'
import type { Untyped } from '../model/definition.ts'
import type { ConditionNode, Explain } from '../model/explain-types.ts'
import { notApplicable, type ResolvedPath, type Sees } from '../model/path.ts'
import type { QueryOptions } from '../model/selection-types.ts'
import type { DataClassCore } from '../model/table-types.ts'
import type { Counts } from '../plan/cost.ts'
import type { PhysicalPlan } from '../plan/physical-plan.ts'
import type { PastRecord } from '../storage/history.ts'
import type { Table } from '../storage/table.ts'
import { describeFound, refused } from '../value/check-options.ts'
import type { Indexing } from './index-pages.ts'

/** A filter as it is run. */
export interface ReadFilter extends BoundFilter {
  /**
   * What the caller asked, where `predicate` also holds the caller's row rules; for `explain` and
   * `trace` only.
   */
  readonly asked?: (() => Predicate) | undefined
}

/** The state of the data that reads see. */
export interface Moment {
  readonly globalStamp: number
  /** The global stamp of the past that is read; null for the present. */
  readonly asOf: number | null
  /**
   * Value of the allocation clock: records born later are not members of a selection created now.
   */
  readonly allocationClock: number
  /**
   * True inside a transaction whose writes are in the columns. Selections are then kept as sets,
   * because it may be rolled back.
   */
  readonly isProvisional: boolean
  /** See `layoutsOf`. */
  readonly layouts: number
  /**
   * Called before every read. Refuses a broken or closed store, and lets an open transaction see
   * its own writes.
   */
  enter(): void
  /**
   * Records of a table that changed since a global stamp, as they were then. Throws
   * `historyTrimmed`.
   */
  pastOf(table: Table, globalStamp: number): ReadonlyMap<number, PastRecord>
  /**
   * Records of a table that commits have changed since a global stamp; null if the history does not
   * reach so far.
   */
  changedSlots(table: Table, globalStamp: number): readonly number[] | null
}

/** The names and rows that one caller may see. */
export interface Scope {
  /**
   * One object for all callers who know the same names; what is compiled for them is cached by it.
   */
  readonly names: object
  /** False for attributes that the caller does not know. */
  readonly sees: Sees
  /** True when some entities are hidden. */
  readonly restrictsRows: boolean
  /** What an entity of a dataclass must satisfy to be seen; null where all can be. */
  rowsOf(dataClass: ClassModel): Predicate | null
  /** The same as text, to compare two scopes; null where all entities can be seen. */
  ruleOf(dataClass: ClassModel): string | null
  /** What the caller may know of a plan. */
  shown(explain: Explain): Explain
  /** A condition without the names that the caller does not know. */
  shownCondition(condition: ConditionNode): ConditionNode
  /** The public object of a dataclass. */
  publicTable(dataClass: ClassModel): DataClassCore<Untyped, Untyped, Untyped>
}

/** Binds a caller's texts to the names that the caller knows. */
export interface Binder {
  readonly limits: FilterLimits
  bindFilter(
    dataClass: ClassModel,
    text: string | Condition,
    params: unknown,
    options?: QueryOptions,
  ): ReadFilter
  bindOrderBy(dataClass: ClassModel, text: string): OrderBy
  resolvePath(dataClass: ClassModel, text: string): ResolvedPath
}

export interface Planner {
  readonly counts: Counts
  /** Null in a store without the capability `indexes`. */
  readonly indexing: Indexing | null
  planOf(dataClass: ClassModel, predicate: Predicate): PhysicalPlan
  /** Milliseconds, monotonic; for `explain` only. */
  monotonic(): number
}

/**
 * Throws unless all entities that satisfy a predicate are held, with the attributes that it reads.
 * `isWithin` for a predicate on entities that are held.
 */
export type MustHold = (dataClass: ClassModel, predicate: Predicate, isWithin: boolean) => void

/** What a selection needs of its store, on behalf of one caller. */
export interface SelectionPort {
  /** That of a caller who sees everything. Capabilities know a store by it. */
  readonly whole: SelectionPort
  readonly scope: Scope
  readonly moment: Moment
  readonly binder: Binder
  readonly planner: Planner
  readonly database: Database
  /** See `ReaderOptions.mustHold`; undefined in a store that holds all entities. */
  readonly mustHold?: MustHold | undefined
  /** Removes those of the keys that still exist, all or none; returns how many it removed. */
  removeAll(table: Table, keys: readonly (string | number)[]): number
}

/** Errors of set operations between selections. */
export const SELECTION_ERRORS: ErrorTexts<'selectionMismatch'> = {
  selectionMismatch: {
    errCode: 1587,
    message: (d) =>
      `A selection of "${d.left}" cannot be combined with one of "${d.right}": they must be of one dataclass and one store, and of one view of its past.`,
  },
}

export const selectionError: ErrorFactory<keyof typeof SELECTION_ERRORS> = (
  code,
  details,
  options,
) => new EntiaError(code, details, options, SELECTION_ERRORS[code])

/**
 * Returns a path. In a store that holds only some entities, throws unless those that are held have
 * the values behind it: an order, a group or a sum of them would differ from the whole store's.
 */
export function heldPath<P extends Pick<ResolvedPath, 'steps' | 'attribute'>>(
  { mustHold }: Pick<SelectionPort, 'mustHold'>,
  dataClass: ClassModel,
  path: P,
): P {
  if (mustHold === undefined) return path
  const { attribute, steps } = path
  const test = { op: 'isNotNull' } as const
  const hasValue: Predicate =
    attribute.kind === 'storage'
      ? { kind: 'compare', attribute, test }
      : attribute.kind === 'calculated'
        ? { kind: 'computed', attribute, test }
        : EVERYTHING
  const along = (part: Predicate, relation: RelationAttribute): Predicate => ({
    kind: 'related',
    relation,
    part,
    whenMissing: false,
    instance: 1,
  })
  mustHold(dataClass, steps.reduceRight(along, hasValue), true)
  return path
}

/**
 * An order as it is run: with scores, see `scoredOrder`, which a store without the capability
 * `indexes` does not have. Throws as `heldPath`.
 */
export function inScoredOrder(
  { database, planner, scope, whole }: SelectionPort,
  table: Table,
  orderBy: OrderBy,
  filters: Filters | null,
): OrderBy {
  for (const term of orderBy) heldPath(whole, table.model, term)
  const { indexing } = planner
  const hidesRows = scope.ruleOf(table.model) !== null
  return indexing?.scoredOrder(database, hidesRows, table, orderBy, filters) ?? orderBy
}

/**
 * The text of the filter of `search`, as `searchFilter` writes it. Throws `attributeNotApplicable`
 * without an attribute that has words, and `argumentInvalid` unless the words are a text.
 */
export function searchText(owner: ClassModel, isVisible: Sees, words: unknown): string {
  if (typeof words !== 'string')
    throw refused('The words of search()', 'a text', describeFound(words))
  const text = searchFilter(owner, isVisible, words)
  if (text !== null) return text
  throw notApplicable(owner.name, '*', 'search', 'Define one as attribute.string({ words: true }).')
}

/**
 * Scores count all entities of the dataclass, in the indexes of its words: the past has none, and a
 * reader from whom some of them are hidden gets none. Other dataclasses do not matter.
 */
export function hasScores({ database, scope, whole }: SelectionPort, model: ClassModel): boolean {
  if (
    scope.ruleOf(model) !== null ||
    whole.mustHold !== undefined ||
    model.attributes.has('relevance')
  )
    return false
  const { isWhole, indexes } = database.tableOf(model)
  return isWhole && model.storage.every(({ words, ordinal }) => !words || indexes[ordinal]?.words)
}
