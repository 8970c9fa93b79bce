import type { ComparePredicate, KeywordTest, Predicate } from '../filter/predicate.ts'
import type { ClassModel, RelationAttribute, StorageAttribute } from '../model/catalog.ts'
import { entryOf } from '../value/entry.ts'
import { type IndexRanges, intersectRanges, rangesOf } from './key-range.ts'

/**
 * How to find the records of a predicate: an immutable tree of operators. `rows` is the number of
 * records that the operator gives: counted if `isExact`, else an estimate. `cost` is in
 * nanoseconds, for comparisons only.
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
 * How an index answers, with the number of records and the places where counting found them:
 * records (`slots`, ascending for `words`), posting lists (one, or several that are not empty) or
 * ranks [from, to) of a block index (one window or several). The places are valid while the table
 * has the same version.
 * One class for all kinds keeps field access monomorphic.
 */
export class IndexAccess {
  declare readonly access: 'hash' | 'posting' | 'range' | 'words'
  declare readonly kind: 'slots' | 'list' | 'lists' | 'window' | 'windows'
  declare readonly version: number
  declare readonly rows: number
  /** The one list, or the beginning of the one window. */
  declare readonly first: number
  /** The end of the one window. */
  declare readonly end: number
  /** The records, the lists, or the beginnings and ends of the windows, alternating. */
  declare readonly many: ArrayLike<number>

  constructor(
    access: IndexAccess['access'],
    kind: IndexAccess['kind'],
    version: number,
    rows: number,
    first: number,
    end: number,
    many: ArrayLike<number>,
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

/**
 * The posting lists of a foreign key for the records of a short inner query; valid while both
 * tables have these versions.
 */
export interface JoinPlaces {
  readonly version: number
  readonly innerVersion: number
  readonly rows: number
  readonly lists: readonly number[]
}

/**
 * The comparisons that an index plan answers, for printing and for later changes, and their ranges.
 */
export interface IndexSource {
  readonly predicate: Predicate
  readonly ranges: Sought
}

/**
 * One index answers: `hash` for single values of a key or unique attribute, `posting` for lists by
 * value, `range` for an order, `words` for the words of a text.
 */
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
  get ranges(): Sought {
    return this.#source.ranges
  }
}
/**
 * Records of `dataClass` with a related entity among those of `inner`. `forward` (to-one) follows
 * the posting lists of the foreign key from each inner key; `backward` (to-many) reads the foreign
 * key of each inner record.
 */
export interface SemiJoinPlan extends PlanBase {
  readonly kind: 'semiJoin'
  readonly relation: RelationAttribute
  readonly direction: 'forward' | 'backward'
  readonly inner: PhysicalPlan
  /** Records without a related entity belong to the result too (to-one only). */
  readonly whenMissing: boolean
  readonly predicate: Predicate
  /** The places that counting found; null if the records were not counted. */
  readonly places: JoinPlaces | null
}
export interface IntersectPlan extends PlanBase {
  readonly kind: 'intersect'
  readonly inputs: readonly PhysicalPlan[]
}
export interface UnionPlan extends PlanBase {
  readonly kind: 'union'
  readonly inputs: readonly PhysicalPlan[]
}
/** Every living record that the input does not give. */
export interface ComplementPlan extends PlanBase {
  readonly kind: 'complement'
  readonly input: PhysicalPlan
  /** The negative comparison that this plan answers. */
  readonly answers: Predicate | undefined
}
/** Tests the rest of the predicate on each record of the input. */
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

/** Child plans in evaluation order. Every traversal uses this function. */
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

/**
 * True if one index, or the whole table, answers. Such a selection stores a range and reads it by
 * rank.
 */
export const isSingleAccess = (plan: PhysicalPlan): plan is AllPlan | NonePlan | IndexPlan =>
  plan.kind === 'all' || plan.kind === 'none' || plan.kind === 'index'

/**
 * The comparisons that a plan answers by an index: the very objects of its predicate. Cost:
 * O(plan).
 */
export function indexedComparisons(plan: PhysicalPlan): ReadonlySet<Predicate> {
  const found = new Set<Predicate>()
  gather(plan, found)
  return found
}

function gather(plan: PhysicalPlan, found: Set<Predicate>): void {
  if (plan.kind === 'index') {
    const { predicate } = plan
    // Comparisons of one attribute are one range.
    for (const part of predicate.kind === 'and' ? predicate.parts : [predicate]) found.add(part)
  }
  if (plan.kind === 'complement' && plan.answers !== undefined) found.add(plan.answers)
  for (const input of inputsOf(plan)) gather(input, found)
}

/** What an index of an attribute is asked for: ranges of its values, or words of its texts. */
export type Sought = IndexRanges | WordSearch

/** All of the words; the index of words answers it exactly. */
export interface WordSearch {
  readonly kind: 'words'
  readonly words: KeywordTest['words']
  readonly isExact: true
}

/** What an index may answer of a test; null if no index of the attribute can. */
export function soughtOf(
  attribute: StorageAttribute,
  test: ComparePredicate['test'],
): Sought | null {
  if (test.op !== 'keyword') return rangesOf(attribute, test)
  return attribute.words ? searchOf(test) : null
}

/** One search per test: what was found for it is cached. */
const SEARCHES = new WeakMap<KeywordTest, WordSearch>()

export const searchOf = (test: KeywordTest): WordSearch =>
  entryOf(SEARCHES, test, () => ({ kind: 'words', words: test.words, isExact: true }))

/** What an index is asked for by two comparisons of one attribute, which ask for the same kind. */
export function bothSought(a: Sought, b: Sought): Sought {
  if (a.kind !== 'words' || b.kind !== 'words')
    return intersectRanges(a as IndexRanges, b as IndexRanges)
  return { kind: 'words', words: [...a.words, ...b.words], isExact: true }
}

/**
 * What one index is asked for by comparisons of one attribute, if it selects exactly the same
 * records; else null.
 */
export function exactSought(attribute: StorageAttribute, predicate: Predicate): Sought | null {
  const parts = predicate.kind === 'and' ? predicate.parts : [predicate]
  let all: Sought | null = null
  for (const part of parts) {
    const next = part.kind === 'compare' ? soughtOf(attribute, part.test) : null
    if (!next?.isExact) return null
    // Of ranges and words, one index answers either.
    if (all !== null && (all.kind === 'words') !== (next.kind === 'words')) return null
    all = all === null ? next : bothSought(all, next)
  }
  return all
}
