import type { ComputedAttribute, StorageAttribute } from '../model/catalog.ts'
import { bindTest } from './bind-test.ts'
import { type BindContext, NOTHING, type OpenDraft } from './context.ts'
import type { Comparable } from './convert-value.ts'
import { OPERATORS, type Operator } from './operators.ts'
import type { FilterParameters } from './parameters.ts'
import type { JsonMatch, Predicate } from './predicate.ts'
import type { StepSyntax, ValueSyntax } from './syntax.ts'

// A comparison becomes a predicate once its value is known: one of a column, of a computed
// attribute, or of a property in an object.

/** A comparison inside an object attribute, before its value is read. */
export interface PropertyComparison {
  readonly attribute: StorageAttribute
  /** The name in messages. */
  readonly name: string
  readonly properties: readonly StepSyntax[]
  readonly operator: Operator
  readonly value: ValueSyntax
}

/**
 * The predicate of comparisons inside an object attribute. Comparisons with the same letter
 * (`coll[a]`) are about one element and come together; others come one by one. Cost: O(names).
 * Throws as `bindTest`.
 */
export function bindProperty(
  context: BindContext,
  comparisons: readonly PropertyComparison[],
  parameters: FilterParameters | undefined,
): Predicate {
  const [{ attribute }] = comparisons
  const matches = matchesOf(
    comparisons.map((comparison) => ({ ...comparison, from: 0, context, parameters })),
  )
  if (matches === false) return { kind: 'constant', value: false }
  const parts = matches.map((match): Predicate => ({ kind: 'property', attribute, match }))
  return parts.length === 1 ? parts[0] : { kind: 'and', parts }
}

/**
 * A text that comparisons about one element share: the path of the collection and the letter. Null
 * without a letter.
 */
export function linkOf(properties: readonly StepSyntax[]): string | null {
  const end = properties.findIndex(({ element }) => element !== null)
  if (end < 0 || properties[end].element === '') return null
  return JSON.stringify([
    properties.slice(0, end + 1).map(({ name }) => name),
    properties[end].element,
  ])
}

/** A comparison below one place of a path; the first `from` names are already followed. */
interface PathTest extends PropertyComparison {
  readonly from: number
  readonly context: BindContext
  readonly parameters: FilterParameters | undefined
}

/** The conjunction of all; false if one of them is never true. */
function matchesOf(tests: readonly PathTest[]): JsonMatch[] | false {
  const matches: JsonMatch[] = []
  const linked = new Map<string, PathTest[]>()
  for (const test of tests) {
    const link = linkOf(test.properties.slice(test.from))
    const group = link === null ? undefined : linked.get(link)
    if (group !== undefined) group.push(test)
    else if (link !== null) linked.set(link, [test])
    else {
      const match = matchOf(test)
      if (match === false) return false
      matches.push(match)
    }
  }
  for (const group of linked.values()) {
    const all = matchesOf(group.map(insideElement))
    if (all === false) return false
    matches.push({ kind: 'some', path: pathToElement(group[0]), all })
  }
  return matches
}

function matchOf(test: PathTest): JsonMatch | false {
  const { properties, from } = test
  const hasElement = properties.some(({ element }, i) => i >= from && element !== null)
  if (!hasElement) return leafOf(test)
  // A negative comparison over all elements means: no element has the value.
  const positive = OPERATORS[test.operator].negates
  const all = matchesOf([
    insideElement(positive === undefined ? test : { ...test, operator: positive }),
  ])
  if (all === false) return false
  return { kind: positive === undefined ? 'some' : 'none', path: pathToElement(test), all }
}

function leafOf({
  context,
  name,
  properties,
  from,
  operator,
  value,
  parameters,
}: PathTest): JsonMatch | false {
  const path = namesOf(properties.slice(from))
  const isLength = path.at(-1) === 'length'
  const test = bindTest(context, propertyOf(name, properties), operator, value, parameters)
  if (test === false) return false
  return isLength
    ? { kind: 'length', path: path.slice(0, -1), test }
    : { kind: 'value', path, test }
}

function propertyOf(attribute: string, properties: readonly StepSyntax[]): Comparable {
  const name = [attribute, ...namesOf(properties)].join('.')
  return { name, type: 'json', dateOnly: false, collation: 'folded', remedy: null }
}

function insideElement(test: PathTest): PathTest {
  return { ...test, from: elementOf(test) + 1 }
}

function elementOf({ properties, from }: PathTest): number {
  return properties.findIndex(({ element }, i) => i >= from && element !== null)
}

/** Names up to and with the collection. */
function pathToElement(test: PathTest): readonly string[] {
  return namesOf(test.properties.slice(test.from, elementOf(test) + 1))
}

/** The names of properties; an attribute that is itself a collection has none. */
function namesOf(properties: readonly StepSyntax[]): string[] {
  return properties.map(({ name }) => name).filter((name) => name !== '')
}

/** A comparison of a column or a computed attribute that waits for the value of its placeholder. */
export class ColumnComparison implements OpenDraft {
  readonly kind = 'open'
  readonly attribute: StorageAttribute | ComputedAttribute
  readonly operator: Operator
  readonly value: ValueSyntax
  readonly bind: OpenDraft['bind']

  constructor(
    attribute: StorageAttribute | ComputedAttribute,
    operator: Operator,
    value: ValueSyntax,
    bind: OpenDraft['bind'],
  ) {
    this.attribute = attribute
    this.operator = operator
    this.value = value
    this.bind = bind
  }
}

/** A comparison of a column or a computed attribute with a value. Throws as `bindTest`. */
export function columnPredicate(
  context: BindContext,
  attribute: StorageAttribute | ComputedAttribute,
  target: Comparable,
  operator: Operator,
  value: ValueSyntax,
  parameters: FilterParameters | undefined,
): Predicate {
  const test = bindTest(context, target, operator, value, parameters)
  if (test === false) return NOTHING
  return attribute.kind === 'storage'
    ? { kind: 'compare', attribute, test }
    : { kind: 'computed', attribute, test }
}
