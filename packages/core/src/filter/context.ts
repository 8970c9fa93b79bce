import { assertNever, type EntiaError } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { everything, type Sees } from '../model/path.ts'
import { DEFAULT_FILTER_LIMITS, type FilterLimits, filterError } from './filter-errors.ts'
import type { FilterParameters } from './parameters.ts'
import type { OrderBy, Predicate } from './predicate.ts'

// What binding a filter knows of its reader. `restrictPredicate` hides what the reader may not see.

/** How the texts of a filter are compared. */
export interface TextMatching {
  /** True if `@` and `*` in a text are wildcards. */
  readonly wildcards: boolean
  /** True if equality takes case and accents into account, whatever the attribute's collation. */
  readonly isExact: boolean
}
/** That of the filter language. */
const LANGUAGE_MATCHING: TextMatching = Object.freeze({ wildcards: true, isExact: false })

/** Options of binding. */
export interface BindOptions {
  readonly matching?: TextMatching
  readonly limits?: FilterLimits
  /**
   * Attributes for which this is false are unknown to the filter and to messages. By default all
   * are visible.
   */
  readonly isVisible?: Sees
  /**
   * True for dataclasses with hidden entities. A relation to one is always followed, because its
   * key alone does not tell whether the entity is visible. By default there are none.
   */
  readonly isRestricted?: (dataClass: ClassModel) => boolean
}

/** What binding needs beside the syntax of the text. */
export interface BindContext {
  /**
   * The kind of text. Errors in an order are thrown unchanged; in a filter they become the cause of
   * an error with a place.
   */
  readonly of: 'filter' | 'order'
  readonly text: string
  readonly limits: FilterLimits
  readonly matching: TextMatching
  readonly isVisible: Sees
  readonly isRestricted: (dataClass: ClassModel) => boolean
  /**
   * The values of placeholders for attributes. A filter without such placeholders is bound before
   * values are known.
   */
  readonly attributeParameters: FilterParameters | undefined
}

export function bindContext(
  of: 'filter' | 'order',
  text: string,
  options: BindOptions,
): BindContext {
  const { limits = DEFAULT_FILTER_LIMITS, matching = LANGUAGE_MATCHING } = options
  const { isVisible = everything, isRestricted = none } = options
  return { of, text, limits, matching, isVisible, isRestricted, attributeParameters: undefined }
}

const none = (): boolean => false

/** An error about one name or value of the text. In a filter it gets its place. */
export function refusedAt(context: BindContext, at: number, cause: EntiaError): EntiaError {
  return context.of === 'order' ? cause : cannotBeAnalysed(context, at, cause.message, cause)
}

/**
 * The error of a filter with correct syntax that cannot be bound; `at` is the place in the text.
 */
export function cannotBeAnalysed(
  context: BindContext,
  at: number,
  problem: string,
  cause?: EntiaError,
): EntiaError {
  const details = { filter: context.text, offset: at, problem }
  return filterError('filterCannotBeAnalysed', details, cause && { cause })
}

/**
 * A predicate, or a function of the values of placeholders that makes one. Parts that do not depend
 * on values are predicates already, so binding repeats only the rest.
 */
export type Draft = Predicate | OpenDraft

export interface OpenDraft {
  readonly kind: 'open'
  bind(parameters: FilterParameters | undefined): Predicate
}

export const NOTHING: Predicate = Object.freeze({ kind: 'constant', value: false })
export const EVERYTHING: Predicate = Object.freeze({ kind: 'constant', value: true })

export function closeDraft(draft: Draft, parameters: FilterParameters | undefined): Predicate {
  return draft.kind === 'open' ? draft.bind(parameters) : draft
}

/** Calls `make` with the parts, now or when all are known. */
export function combineDrafts(
  drafts: readonly Draft[],
  make: (parts: readonly Predicate[]) => Predicate,
): Draft {
  if (drafts.every((draft) => draft.kind !== 'open')) return make(drafts as readonly Predicate[])
  return new CombinedDraft(drafts, make)
}

/** A combination of parts, some of which wait for values. */
export class CombinedDraft implements OpenDraft {
  readonly kind = 'open'
  readonly parts: readonly Draft[]
  readonly make: (parts: readonly Predicate[]) => Predicate

  constructor(parts: readonly Draft[], make: (parts: readonly Predicate[]) => Predicate) {
    this.parts = parts
    this.make = make
  }

  bind(parameters: FilterParameters | undefined): Predicate {
    const { parts } = this
    const closed: Predicate[] = []
    for (let i = 0; i < parts.length; i++) closed.push(closeDraft(parts[i], parameters))
    return this.make(closed)
  }
}

/** The conjunction of the parts, flat and without constants. */
export function both(parts: readonly Predicate[]): Predicate {
  return join('and', parts)
}

/** The disjunction of the parts, flat and without constants. */
export function either(parts: readonly Predicate[]): Predicate {
  return join('or', parts)
}

function join(kind: 'and' | 'or', parts: readonly Predicate[]): Predicate {
  const kept: Predicate[] = []
  for (const part of parts) {
    if (part.kind === 'constant') {
      if (part.value === (kind === 'or')) return part
    } else if (part.kind === kind) kept.push(...part.parts)
    else kept.push(part)
  }
  if (kept.length === 0) return kind === 'and' ? EVERYTHING : NOTHING
  return kept.length === 1 ? kept[0] : { kind, parts: kept }
}

/** The negation of the part. */
export function negation(part: Predicate): Predicate {
  if (part.kind === 'constant') return part.value ? NOTHING : EVERYTHING
  return part.kind === 'not' ? part.part : { kind: 'not', part }
}

/** The condition that visible entities of a dataclass satisfy; null if all are visible. */
type RowsOf = (dataClass: ClassModel) => Predicate | null

/**
 * Restricts a predicate to the relations that a reader sees: a relation to a hidden entity is
 * empty. It does not restrict the entities that the predicate is about: see `both`. The predicate
 * must be bound with `isRestricted`, so that no foreign key replaces a relation. Cost:
 * O(predicate).
 */
export function restrictRelations(predicate: Predicate, rowsOf: RowsOf): Predicate {
  const restricted = mapParts(predicate, (part) => restrictRelations(part, rowsOf))
  if (restricted.kind !== 'related') return restricted
  const { relation, part, whenMissing } = restricted
  const rows = rowsOf(relation.target)
  if (rows === null) return restricted
  // A hidden entity counts as missing.
  return {
    ...restricted,
    part: whenMissing ? either([part, negation(rows)]) : both([part, rows]),
  }
}

/** The predicate with other parts; comparisons stay as they are. */
function mapParts(predicate: Predicate, map: (part: Predicate) => Predicate): Predicate {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return { kind: predicate.kind, parts: predicate.parts.map(map) }
    case 'not':
      return { kind: 'not', part: map(predicate.part) }
    case 'related':
      return { ...predicate, part: map(predicate.part) }
    case 'constant':
    case 'compare':
    case 'property':
    case 'computed':
      return predicate
    default:
      return assertNever(predicate)
  }
}

/**
 * The predicate of a row filter: its computed attributes see hidden entities too. Cost:
 * O(predicate).
 */
export function seeingEverything(predicate: Predicate): Predicate {
  return predicate.kind === 'computed'
    ? { ...predicate, seesEverything: true }
    : mapParts(predicate, seeingEverything)
}

/**
 * The dataclasses that the relations of a predicate lead to. Changes in them can change its result.
 * Null for a computed attribute, which may read anything. Cost: O(predicate).
 */
export function readsOf(predicate: Predicate): ReadonlySet<ClassModel> | null {
  const found = new Set<ClassModel>()
  return addReads(predicate, found) ? found : null
}

/** The same for an order. */
export function readsOfOrder(orderBy: OrderBy): ReadonlySet<ClassModel> | null {
  if (orderBy.some(({ attribute }) => attribute.kind === 'calculated')) return null
  return new Set(orderBy.flatMap(({ steps }) => steps.map(({ target }) => target)))
}

function addReads(predicate: Predicate, found: Set<ClassModel>): boolean {
  switch (predicate.kind) {
    case 'computed':
      return false
    case 'related':
      found.add(predicate.relation.target)
      return addReads(predicate.part, found)
    case 'not':
      return addReads(predicate.part, found)
    case 'and':
    case 'or':
      return predicate.parts.every((part) => addReads(part, found))
    default:
      return true
  }
}
