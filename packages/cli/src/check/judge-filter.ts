import { type Catalog, type ClassModel, type FilterParameters, isEntiaError } from '@entia/core'
import {
  conditionOf,
  LITERAL,
  MODEL_STATISTICS,
  OPERATORS,
  prepareFilter,
  takesList,
  type WrittenComparison,
  writtenComparisons,
} from '@entia/core/internal'
import { missingIndexes } from '@entia/rest/internal'
import type { SourceFilter } from './find-filters.ts'

type FindingKind = 'assembledFilter' | 'wildcards' | 'ruleWildcards' | 'sqlPattern' | 'missingIndex'

/** The problems of one filter. */
export interface Finding {
  readonly kind: FindingKind
  readonly problem: string
  readonly remedy: string
}

type ScalarSyntax = Exclude<WrittenComparison['value'], { readonly kind: 'list' }>

/** Compares one filter with the model. Cost: O(text × dataclasses that may be meant). */
export function judgeFilter(catalog: Catalog, filter: SourceFilter): readonly Finding[] {
  const fitting = (filter.dataClasses ?? catalog.classes).flatMap((dataClass) => {
    const comparisons = comparisonsOf(filter.text, dataClass)
    return comparisons === null ? [] : [{ dataClass, comparisons }]
  })
  if (filter.isAssembled) return filter.isSure || fitting.length > 0 ? [ASSEMBLED] : []
  const judged = fitting.map(({ dataClass, comparisons }) =>
    comparisons.flatMap((comparison) => judgeComparison(filter, dataClass, comparison) ?? []),
  )
  // Where the dataclass is not known, one that may be meant is enough.
  const found =
    filter.dataClasses === null ? (judged.find((each) => each.length > 0) ?? []) : judged.flat()
  const isKnown = filter.dataClasses !== null || (filter.use === 'rule' && fitting.length === 1)
  if (!isKnown || !filter.readsAll) return found
  return [
    ...found,
    ...fitting.flatMap(({ dataClass, comparisons }) =>
      withoutIndex(catalog, filter, dataClass, comparisons),
    ),
  ]
}

const ASSEMBLED: Finding = {
  kind: 'assembledFilter',
  problem: 'a filter is put together from texts, so that a value can change what it selects',
  remedy:
    'Write :1 in its place and give the value as a parameter. A placeholder can stand for an attribute too.',
}

/** Null for a text that is not a filter of the dataclass. */
function comparisonsOf(text: string, dataClass: ClassModel): readonly WrittenComparison[] | null {
  try {
    return writtenComparisons(text, dataClass)
  } catch (error) {
    if (isEntiaError(error)) return null
    throw error
  }
}

const TEXT_TYPES = new Set(['string', 'uuid', 'object'])

function judgeComparison(
  filter: SourceFilter,
  { name }: ClassModel,
  comparison: WrittenComparison,
): Finding | null {
  const { path, type, operator, isPattern } = comparison
  const literal = LITERAL[OPERATORS[operator].spellings[0]]
  if (!TEXT_TYPES.has(type) || (literal === undefined && !isPattern)) return null
  const read = scalarsOf(comparison).map((value) => textOf(filter, value))
  const sqlPattern = isPattern
    ? read.find((text) => text !== null && SQL_PATTERN.test(text))
    : undefined
  if (sqlPattern !== undefined)
    return {
      kind: 'sqlPattern',
      problem: `${name}.${path} is compared with ${sqlPattern}, in which % is no wildcard as it is in SQL`,
      remedy: 'Write @ in the place of %.',
    }
  if (filter.use === 'query') {
    const given = read.find((text) => text === null || WILDCARD.test(text))
    if (isPattern || given === undefined) return null
    return {
      kind: 'wildcards',
      problem: `${name}.${path} is compared with ${given ?? 'a value'} by an operator that reads @ and * as wildcards`,
      remedy: `Write ${literal} if equality is meant, or like for a pattern.`,
    }
  }
  if (filter.wildcards)
    return read.every((text) => text !== null)
      ? null
      : {
          kind: 'ruleWildcards',
          problem: `a rule with wildcards: true compares ${name}.${path} with a value that is not a constant, in which @ and * are wildcards too`,
          remedy: `Write ${literal ?? '==='} for this comparison, or leave out wildcards: true.`,
        }
  const pattern = read.find((text) => text !== null && PATTERN.test(text))
  if (pattern === undefined) return null
  return {
    kind: 'ruleWildcards',
    problem: `a rule compares ${name}.${path} with ${pattern}, in which nothing is a wildcard`,
    remedy: `Add wildcards: true if a pattern is meant; else write ${literal ?? '==='}.`,
  }
}

/** A pattern of SQL: it would be compared as it is. */
const SQL_PATTERN = /^%[^@*]*$|^[^@*]*%$/
const WILDCARD = /[@*]/
/** A text that is hardly meant as it is: an address has its @ between other characters. */
const PATTERN = /\*|^@|@$/

const scalarsOf = ({ value }: WrittenComparison): readonly ScalarSyntax[] =>
  value.kind === 'list' ? value.items : [value]

/** The text of a value; empty for null, null for what is known only when the program runs. */
function textOf(filter: SourceFilter, value: ScalarSyntax): string | null {
  if (value.kind === 'placeholder') return filter.constantOf(value.name, value.position)
  return value.kind === 'null' ? '' : value.text
}

function withoutIndex(
  catalog: Catalog,
  { text, use, wildcards, isFolded }: SourceFilter,
  dataClass: ClassModel,
  comparisons: readonly WrittenComparison[],
): readonly Finding[] {
  const matching = { wildcards, isExact: use === 'rule' && !isFolded }
  try {
    const { predicate } = prepareFilter(text, dataClass, { matching }).bind(samplesFor(comparisons))
    const condition = conditionOf(dataClass, predicate, MODEL_STATISTICS)
    const missing = condition === null ? [] : (missingIndexes(catalog, condition) ?? [])
    // An index on two values finds half of the entities.
    return missing
      .filter(({ type }) => type !== 'bool')
      .map(({ owner, name }) => ({
        kind: 'missingIndex',
        problem: `${owner.name}.${name} has no index, and a ${use} reads every entity for it`,
        remedy: 'Declare it with indexed: true.',
      }))
  } catch (error) {
    // A value of another shape is needed, or the filter is refused when it runs.
    if (isEntiaError(error)) return []
    throw error
  }
}

/** Values of the right types for all placeholders: which index answers does not depend on them. */
function samplesFor(comparisons: readonly WrittenComparison[]): FilterParameters {
  const values: unknown[] = []
  const parameters: NestedValues = {}
  for (const comparison of comparisons)
    for (const scalar of scalarsOf(comparison)) {
      if (scalar.kind !== 'placeholder') continue
      const { operator, type, value } = comparison
      const isList = value === scalar && takesList(operator)
      const sample = isList ? [SAMPLES[type]] : SAMPLES[type]
      if (scalar.position !== null) values[scalar.position - 1] = sample
      else put(parameters, scalar.name.split('.'), sample)
    }
  return { values, parameters }
}

interface NestedValues {
  [name: string]: unknown
}

function put(into: NestedValues, [name = '', ...below]: readonly string[], value: unknown): void {
  const inner: NestedValues = Object.hasOwn(into, name) ? Object(into[name]) : {}
  if (below.length > 0) put(inner, below, value)
  Object.defineProperty(into, name, {
    value: below.length > 0 ? inner : value,
    enumerable: true,
    configurable: true,
  })
}

const SAMPLES: { readonly [type in WrittenComparison['type']]: unknown } = {
  string: 'a',
  uuid: '00000000-0000-4000-8000-000000000000',
  long: 1,
  long64: 1,
  number: 1,
  bool: true,
  date: '2000-01-01',
  duration: 1,
  object: 'a',
  image: null,
  blob: null,
}
