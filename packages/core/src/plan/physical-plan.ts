import type { Predicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import type { IndexRanges } from './key-range.ts'

/**
 * How a predicate's records are found: a tree of operators, which nobody changes. `rows` is how many records come out:
 * counted by rank where `isExact`, else an estimate. `cost` is in nanoseconds, for comparison only.
 */
export type PhysicalPlan =
  | AllPlan
  | NonePlan
  | IndexPlan
  | SemiJoinPlan
  | IntersectPlan
  | UnionPlan
  | ComplementPlan
  | FilterPlan
  | ScanPlan

interface PlanBase {
  readonly dataClass: ClassModel
  readonly rows: number
  readonly isExact: boolean
  readonly cost: number
}
/** Every record. */
export interface AllPlan extends PlanBase {
  readonly kind: 'all'
}
export interface NonePlan extends PlanBase {
  readonly kind: 'none'
}
/**
 * How an index answers, how many records it gives, and where counting found them: records (`slots`), posting lists (one, or those
 * of several that are not empty) or ranks [from, to) of a block index (one window or several). The places are good while the table's
 * version is the one they were found at. One class for all, so that reading its fields stays quick.
 */
export class IndexAccess {
  readonly access: 'hash' | 'posting' | 'range'
  readonly kind: 'slots' | 'list' | 'lists' | 'window' | 'windows'
  readonly version: number
  readonly rows: number
  /** The one list, or where the one window begins. */
  readonly first: number
  /** Where the one window ends. */
  readonly end: number
  /** The records, the lists, or the beginnings and ends of the windows, alternating. */
  readonly many: readonly number[]

  constructor(
    access: IndexAccess['access'],
    kind: IndexAccess['kind'],
    version: number,
    rows: number,
    first: number,
    end: number,
    many: readonly number[],
  ) {
    this.access = access
    this.kind = kind
    this.version = version
    this.rows = rows
    this.first = first
    this.end = end
    this.many = many
  }
}

/** The posting lists of a foreign key that a short inner query leads to; good while both tables are at these versions. */
export interface JoinPlaces {
  readonly version: number
  readonly innerVersion: number
  readonly rows: number
  readonly lists: readonly number[]
}

/** What an index plan was made for: the comparisons it stands for (for the printer, and for what changed since), and their ranges. */
export interface IndexSource {
  readonly predicate: Predicate
  readonly ranges: IndexRanges
}

/** One index answers: `hash` for single values of a key or unique attribute, `posting` for lists by value, `range` for an order. */
export class IndexPlan implements PlanBase {
  readonly kind: 'index'
  readonly dataClass: ClassModel
  readonly attribute: StorageAttribute
  readonly places: IndexAccess
  readonly rows: number
  readonly isExact: boolean
  readonly cost: number
  readonly #source: IndexSource

  constructor(
    dataClass: ClassModel,
    attribute: StorageAttribute,
    places: IndexAccess,
    isExact: boolean,
    cost: number,
    source: IndexSource,
  ) {
    this.kind = 'index'
    this.dataClass = dataClass
    this.attribute = attribute
    this.places = places
    this.rows = places.rows
    this.isExact = isExact
    this.cost = cost
    this.#source = source
  }

  get access(): IndexAccess['access'] {
    return this.places.access
  }
  get predicate(): Predicate {
    return this.#source.predicate
  }
  get ranges(): IndexRanges {
    return this.#source.ranges
  }
}
/**
 * Records of `dataClass` some related entity of which is among `inner`'s. `forward` (to-one) follows the posting lists of the
 * foreign key from each inner key; `backward` (to-many) reads the foreign key of each inner record.
 */
export interface SemiJoinPlan extends PlanBase {
  readonly kind: 'semiJoin'
  readonly relation: RelationAttribute
  readonly direction: 'forward' | 'backward'
  readonly inner: PhysicalPlan
  /** Records without a related entity belong to the answer too (to-one only). */
  readonly whenMissing: boolean
  readonly predicate: Predicate
  /** What counting found, where the records were counted. */
  readonly places: JoinPlaces | null
}
interface IntersectPlan extends PlanBase {
  readonly kind: 'intersect'
  readonly inputs: readonly PhysicalPlan[]
}
interface UnionPlan extends PlanBase {
  readonly kind: 'union'
  readonly inputs: readonly PhysicalPlan[]
}
/** Every living record that is not among the input's. */
interface ComplementPlan extends PlanBase {
  readonly kind: 'complement'
  readonly input: PhysicalPlan
  /** The negative comparison that it is instead of. */
  readonly answers: Predicate | undefined
}
/** Tests what is left of the predicate on each record of the input. */
export interface FilterPlan extends PlanBase {
  readonly kind: 'filter'
  readonly input: PhysicalPlan
  readonly residual: readonly Predicate[]
}
/** Tests every record, one typed loop per comparison, the most selective first. */
export interface ScanPlan extends PlanBase {
  readonly kind: 'scan'
  readonly residual: readonly Predicate[]
}

/** Child plans in evaluation order. Every traversal goes through here. */
export function inputsOf(plan: PhysicalPlan): readonly PhysicalPlan[] {
  switch (plan.kind) {
    case 'semiJoin':
      return [plan.inner]
    case 'intersect':
    case 'union':
      return plan.inputs
    case 'filter':
    case 'complement':
      return [plan.input]
    default:
      return []
  }
}

/** True when one index, or the whole table, answers: such a selection is kept as a range and read by rank. */
export const isSingleAccess = (plan: PhysicalPlan): plan is AllPlan | NonePlan | IndexPlan =>
  plan.kind === 'all' || plan.kind === 'none' || plan.kind === 'index'
