import { CELLS, type Cell, type Subject } from './cells.ts'
import type { Random } from './random.ts'
import { CLASS_NAMES, type ClassName, type RelationAttribute, SHAPES } from './schema.ts'
import type { ComparedValue, Comparison, Condition, Literal, Step } from './tree.ts'
import {
  ASKED,
  ASKED_BEGINNINGS,
  ASKED_ENDS,
  ASKED_JSON,
  ASKED_JSON_PATTERNS,
  ASKED_JSON_TEXTS,
  ASKED_KEYWORDS,
  ASKED_PATTERNS,
  type Asked,
} from './values.ts'

/** A dataclass and the filter for it. */
export interface Question {
  readonly root: ClassName
  readonly condition: Condition
}

/**
 * A filter whose first comparison hits the cell. The others are random, some of them about the same
 * related entity or element.
 */
export function randomQuestion(random: Random, cell: Cell): Question {
  const subject = random.pick(cell.subjects)
  const root = random.pick(ROOTS[subject.owner])
  const comparisons = [comparisonOf(random, cell, subject, waysTo(random, root, subject.owner))]
  const size = random.pick(SIZES)
  while (comparisons.length < size) {
    const previous = comparisons[comparisons.length - 1]
    comparisons.push(
      random.chance(0.4) ? followerOf(random, previous) : anyComparison(random, root),
    )
  }
  return { root, condition: combined(random, comparisons) }
}

const SIZES = [1, 1, 1, 1, 2, 2, 2, 3, 3, 4]
/** The queried dataclass, given the one of the comparison: mostly the same. */
const ROOTS: { readonly [C in ClassName]: readonly ClassName[] } = {
  Item: ['Item', 'Item', 'Item', 'Item', 'Owner', 'Place'],
  Owner: ['Owner', 'Owner', 'Item', 'Item', 'Place'],
  Place: ['Place', 'Place', 'Owner', 'Item'],
}

function anyComparison(random: Random, root: ClassName): Comparison {
  const cell = random.pick(CELLS)
  const subject = random.pick(cell.subjects)
  return comparisonOf(random, cell, subject, waysTo(random, root, subject.owner))
}

const CELLS_BY_OWNER = new Map(
  CLASS_NAMES.map((owner) => [
    owner,
    CELLS.filter(({ subjects }) => subjects.some((subject) => subject.owner === owner)),
  ]),
)

/**
 * A comparison behind the same relations, sometimes behind an independent join through them, or
 * about the same element.
 */
function followerOf(random: Random, previous: Comparison): Comparison {
  const mark = previous.properties.findIndex(({ element }) => element !== null && element !== '')
  const cells = CELLS_BY_OWNER.get(previous.owner) ?? []
  const letter = previous.properties[mark]
  const inSame =
    letter === undefined
      ? cells
      : cells.filter(({ subjects }) =>
          subjects.some(
            ({ properties }) =>
              properties[mark]?.name === letter.name && properties[mark].element === letter.element,
          ),
        )
  const cell = random.pick(inSame.length > 0 && random.chance(0.7) ? inSame : cells)
  const subject = random.pick(cell.subjects.filter(({ owner }) => owner === previous.owner))
  const steps = random.chance(0.8)
    ? previous.steps
    : previous.steps.map((step) => apart(random, step))
  return comparisonOf(random, cell, subject, steps)
}

const apart = (random: Random, { relation }: Step): Step => ({
  relation,
  instance: relation.kind === 'many' && random.chance(0.7) ? 2 : 1,
})

type Way = readonly RelationAttribute[]
/** The relations of a comparison. */
const LENGTHS = [0, 1, 2, 3]

/** Every path of relations between two dataclasses, by length. */
const WAYS: ReadonlyMap<string, readonly (readonly Way[])[]> = new Map(
  CLASS_NAMES.flatMap((from) =>
    CLASS_NAMES.map((to): [string, readonly (readonly Way[])[]] => [
      `${from} ${to}`,
      LENGTHS.map((length) => waysBetween(from, to, length)).filter((ways) => ways.length > 0),
    ]),
  ),
)

function waysBetween(from: ClassName, to: ClassName, length: number): readonly Way[] {
  if (length === 0) return from === to ? [[]] : []
  return [...SHAPES[from].attributes.values()].flatMap((attribute) =>
    attribute.kind === 'one' || attribute.kind === 'many'
      ? waysBetween(attribute.target, to, length - 1).map((rest) => [attribute, ...rest])
      : [],
  )
}

function waysTo(random: Random, from: ClassName, to: ClassName): readonly Step[] {
  const byLength = WAYS.get(`${from} ${to}`) ?? []
  let at = 0
  while (at < byLength.length - 1 && random.chance(at === 0 ? 0.5 : 0.4)) at++
  return random.pick(byLength[at]).map((relation): Step => {
    return { relation, instance: relation.kind === 'many' && random.chance(0.1) ? 2 : 1 }
  })
}

function comparisonOf(
  random: Random,
  cell: Cell,
  subject: Subject,
  steps: readonly Step[],
): Comparison {
  return {
    kind: 'comparison',
    steps,
    owner: subject.owner,
    attribute: subject.attribute,
    properties: subject.properties,
    operator: cell.operator === 'alone' ? 'identical' : cell.operator,
    value: comparedValue(random, cell, subject),
    isMarkLate: random.chance(0.5),
    isPathGiven: cell.form !== 'alone' && random.chance(0.05),
    label: cell.label,
    form: cell.form,
  }
}

function comparedValue(random: Random, { operator, form }: Cell, subject: Subject): ComparedValue {
  if (form === 'null' || form === 'alone') return { kind: form }
  const literal = (isGiven: boolean): Literal =>
    literalOf(random, askedBy(random, subject, operator), isGiven)
  const isGiven = form === 'given'
  if (operator !== 'in') return { kind: 'one', literal: literal(isGiven) }
  const isWhole = isGiven && random.chance(0.6)
  const literals = Array.from({ length: random.chance(0.1) ? 0 : 1 + random.below(4) }, (_, i) =>
    // A literal list may contain placeholders too.
    literal(isWhole || (isGiven && i === 0) || random.chance(0.3)),
  )
  return { kind: 'list', literals, isWhole: isWhole || (isGiven && literals.length === 0) }
}

function literalOf(random: Random, asked: Asked, isGiven: boolean): Literal {
  return isGiven
    ? { asked, form: { kind: 'given', value: random.pick(asked.given) } }
    : { asked, form: { kind: 'written', text: random.pick(asked.written) } }
}

function askedBy(random: Random, { type, json }: Subject, operator: Cell['operator']): Asked {
  const knowsWildcards = operator === 'equal' || operator === 'notEqual' || operator === 'in'
  if (json !== null) {
    if (operator === 'begin') return random.pick(ASKED_BEGINNINGS.text)
    if (operator === 'end') return random.pick(ASKED_ENDS.text)
    if (operator === 'keyword') return random.pick(ASKED_KEYWORDS)
    if (json === 'text')
      return random.pick(
        knowsWildcards && random.chance(0.3) ? ASKED_JSON_PATTERNS : ASKED_JSON_TEXTS,
      )
    return random.pick(
      ASKED_JSON.filter(({ value }) => typeof value === (json === 'bool' ? 'boolean' : 'number')),
    )
  }
  if (type === null) throw new Error('it compares with null only')
  const isText = type === 'text' || type === 'exactText'
  if (operator === 'begin')
    return random.pick(ASKED_BEGINNINGS[isText || type === 'uuid' ? type : 'text'])
  if (operator === 'end') return random.pick(ASKED_ENDS[isText || type === 'uuid' ? type : 'text'])
  if (operator === 'keyword') return random.pick(ASKED_KEYWORDS)
  // For operators without wildcards, texts with wildcards are plain texts.
  const isPattern = random.chance(
    knowsWildcards ? (isText || type === 'uuid' ? 0.35 : 0.08) : isText ? 0.1 : 0,
  )
  return random.pick(isPattern ? ASKED_PATTERNS[type] : ASKED[type])
}

/** Joins conditions at random, with `not` before some of them. */
function combined(random: Random, parts: readonly Condition[]): Condition {
  if (parts.length === 1) return random.chance(0.15) ? { kind: 'not', part: parts[0] } : parts[0]
  if (random.chance(0.1)) return { kind: 'not', part: combined(random, parts) }
  const cut = 1 + random.below(parts.length - 1)
  const kind = random.pick(['and', 'and', 'and', 'or', 'or', 'except'] as const)
  const left = combined(random, parts.slice(0, cut))
  const right = combined(random, parts.slice(cut))
  return kind === 'and' ? { kind, parts: [left, right] } : { kind, left, right }
}
