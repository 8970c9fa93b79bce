import { foldedKey } from './folding.ts'
import { column, type Names, type Place } from './place.ts'
import { all, any, bound, jsonPath, raw, type Sql, sql } from './sql.ts'
import {
  beginsWith,
  COMPARISONS,
  endsWith,
  fits,
  hasWildcard,
  holdsWords,
} from './translate-value.ts'
import type { ComparedValue, Comparison, Literal, Operator, PropertyStep } from './tree.ts'

/** A comparison below a path in a JSON document. */
interface Below {
  readonly properties: readonly PropertyStep[]
  readonly operator: Operator
  readonly value: ComparedValue
}

/**
 * The document with folded texts, the same with texts as words, and a path in both: `$`, or the
 * path of an element.
 */
interface Spot {
  readonly folded: Sql
  readonly words: Sql
  readonly path: Sql
}

/** The shared prefix of comparisons about the same element; null without a letter. */
export function jsonLink({ attribute, properties }: Comparison): string | null {
  const link = linkOf(properties)
  return link === null ? null : `${attribute.name} ${link}`
}

function linkOf(properties: readonly PropertyStep[]): string | null {
  const mark = properties.findIndex(({ element }) => element !== null)
  if (mark < 0 || properties[mark].element === '') return null
  const names = properties.slice(0, mark + 1).map(({ name }) => name)
  return `${names.join('.')}[${properties[mark].element}]`
}

/** Comparisons about one element of a collection. */
export function linkedElements(comparisons: readonly Comparison[], at: Place, names: Names): Sql {
  return allBelow(comparisons, spotOf(comparisons[0], at), names)
}

export function propertyTest(comparison: Comparison, at: Place, names: Names): Sql {
  return allBelow([comparison], spotOf(comparison, at), names)
}

const spotOf = ({ attribute }: Comparison, at: Place): Spot => ({
  folded: column(at, attribute.name),
  words: column(at, `${attribute.name} words`),
  path: jsonPath('$'),
})

function allBelow(comparisons: readonly Below[], spot: Spot, names: Names): Sql {
  const parts: Sql[] = []
  const done = new Set<string>()
  for (const comparison of comparisons) {
    const link = linkOf(comparison.properties)
    if (link === null) parts.push(oneBelow(comparison, spot, names))
    else if (!done.has(link)) {
      done.add(link)
      const members = comparisons.filter(({ properties }) => linkOf(properties) === link)
      parts.push(someElement(members, spot, names))
    }
  }
  return all(parts)
}

const POSITIVE: { readonly [O in Operator]?: Operator } = {
  notEqual: 'equal',
  notIdentical: 'identical',
}

function oneBelow(comparison: Below, spot: Spot, names: Names): Sql {
  const { properties, operator } = comparison
  if (properties.every(({ element }) => element === null)) return leafTest(comparison, spot)
  const positive = POSITIVE[operator]
  if (positive === undefined) return someElement([comparison], spot, names)
  // "No element satisfies it": the collection must exist and may be empty.
  const { isArray } = collectionOf(comparison, spot)
  return sql`(${isArray} AND NOT ${someElement([{ ...comparison, operator: positive }], spot, names)})`
}

/** Some element of the collection at the first mark satisfies all of them. */
function someElement(comparisons: readonly Below[], spot: Spot, names: Names): Sql {
  const { isArray, path, mark } = collectionOf(comparisons[0], spot)
  const name = names.next('e')
  const inside: Spot = { ...spot, path: raw(`${name}.fullkey`) }
  const rest = comparisons.map((comparison) => ({
    ...comparison,
    properties: comparison.properties.slice(mark + 1),
  }))
  const test = allBelow(rest, inside, names)
  return sql`(${isArray} AND EXISTS (SELECT 1 FROM json_each(${spot.folded}, ${path}) ${raw(name)} WHERE ${test}))`
}

function collectionOf({ properties }: Below, spot: Spot) {
  const mark = properties.findIndex(({ element }) => element !== null)
  const path = pathTo(spot, properties.slice(0, mark + 1))
  return { mark, path, isArray: sql`(json_type(${spot.folded}, ${path}) IS 'array')` }
}

function pathTo(spot: Spot, properties: readonly PropertyStep[]): Sql {
  const below = properties
    .filter(({ name }) => name !== '')
    .map(({ name }) => `."${name}"`)
    .join('')
  if (below === '') return spot.path
  return spot.path.text === "'$'"
    ? jsonPath(`$${below}`)
    : sql`(${spot.path} || ${jsonPath(below)})`
}

/** `type` is that of JSON; it is `'null'` for missing values too. */
interface Found {
  readonly type: Sql
  readonly value: Sql
  readonly words: Sql
}

function leafTest({ properties, operator, value }: Below, spot: Spot): Sql {
  return valueTest(foundAt(properties, spot), operator, value)
}

function foundAt(properties: readonly PropertyStep[], spot: Spot): Found {
  if (properties.at(-1)?.name === 'length') {
    const path = pathTo(spot, properties.slice(0, -1))
    const isArray = sql`json_type(${spot.folded}, ${path}) IS 'array'`
    return {
      type: sql`iif(${isArray}, 'integer', 'null')`,
      value: sql`iif(${isArray}, json_array_length(${spot.folded}, ${path}), NULL)`,
      words: raw('NULL'),
    }
  }
  const path = pathTo(spot, properties)
  return {
    type: sql`coalesce(json_type(${spot.folded}, ${path}), 'null')`,
    value: sql`json_extract(${spot.folded}, ${path})`,
    words: sql`json_extract(${spot.words}, ${path})`,
  }
}

function valueTest(found: Found, operator: Operator, value: ComparedValue): Sql {
  const isNegative = operator === 'notEqual' || operator === 'notIdentical'
  switch (value.kind) {
    case 'null':
      return isNegative ? sql`(${found.type} <> 'null')` : sql`(${found.type} = 'null')`
    case 'alone':
      return sql`(${found.type} = 'true')`
    case 'list':
      return any(value.literals.map((literal) => equality(found, literal, true)))
    case 'one':
      return isNegative
        ? sql`(${found.type} <> 'null' AND NOT ${equality(found, value.literal, operator === 'notEqual')})`
        : positive(found, operator, value.literal)
  }
}

const isText = ({ type }: Found): Sql => sql`(${type} = 'text')`

function positive(found: Found, operator: Operator, literal: Literal): Sql {
  const { value } = literal.asked
  switch (operator) {
    case 'equal':
    case 'identical':
      return equality(found, literal, operator === 'equal')
    case 'begin':
      return sql`(${isText(found)} AND ${beginsWith(found.value, foldedKey(String(value)))})`
    case 'end':
      return sql`(${isText(found)} AND ${endsWith(found.value, foldedKey(String(value)))})`
    case 'keyword':
      return sql`(${isText(found)} AND ${holdsWords(found.words, String(value))})`
    default: {
      const comparison = raw(COMPARISONS[operator] ?? '')
      return sql`(${sameType(found, value)} AND ${found.value} ${comparison} ${bound(plainKey(value))})`
    }
  }
}

function equality(found: Found, { asked }: Literal, knowsWildcards: boolean): Sql {
  const { value } = asked
  if (knowsWildcards && typeof value === 'string' && hasWildcard(value)) {
    if (/^[@*]+$/.test(value)) return sql`(${found.type} <> 'null')`
    return sql`(${isText(found)} AND ${fits(found.value, foldedKey(value))})`
  }
  return sql`(${sameType(found, value)} AND ${found.value} IS ${bound(plainKey(value))})`
}

/** Values of another type differ and are neither less nor greater. */
function sameType({ type }: Found, value: string | number | boolean): Sql {
  switch (typeof value) {
    case 'string':
      return sql`(${type} = 'text')`
    case 'number':
      return sql`(${type} IN ('integer', 'real'))`
    default:
      return sql`(${type} IN ('true', 'false'))`
  }
}

const plainKey = (value: string | number | boolean): string | number =>
  typeof value === 'string' ? foldedKey(value) : Number(value)
