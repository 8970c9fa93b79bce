import type { Random } from '../../../core/test/differential/random.ts'
import type { Drawn, DrawnClass, DrawnModel } from './draw-model.ts'
import { keyOf, POOLS } from './values.ts'

/** A filter with the values of its placeholders. */
export interface DrawnFilter {
  readonly text: string
  readonly parameters: readonly unknown[]
}
/** A path with the attribute at its end. */
interface Way {
  readonly path: string
  readonly end: Drawn
}

const PROPERTIES = ['a', 'a.b', 'a[]', 'length', 'a.length', 'a[x].b'] as const
const TEXT_OPERATORS = ['=', '!=', '===', '!==', '>', '<=', 'begin', 'end', '%', 'in', 'isin']
const OPERATORS = ['=', '!=', '===', '!==', '>', '>=', '<', '<=', 'in', 'isin']

export const classNamed = ({ classes }: DrawnModel, name: string | undefined): DrawnClass =>
  classes.find((each) => each.name === name)!
export const someKey = (random: Random, { keys, keyType }: DrawnClass): string | number =>
  random.chance(0.8) ? random.pick(keys) : keyOf(random, keyType)

function way(random: Random, model: DrawnModel, from: DrawnClass, depth = 0): Way {
  const relations = from.attributes.filter(({ target }) => target !== undefined)
  if (depth < 3 && relations.length > 0 && random.chance(0.3)) {
    const { name, target } = random.pick(relations)
    const { path, end } = way(random, model, classNamed(model, target), depth + 1)
    return { path: `${name}.${path}`, end }
  }
  if (random.chance(0.12)) {
    const type = from.keyType === 'string' ? 'exact' : from.keyType
    return { path: from.keyName, end: { name: from.keyName, kind: 'stored', type } }
  }
  const end = random.pick(from.attributes)
  if (end.type !== 'object' || end.kind !== 'stored') return { path: end.name, end }
  const type = random.pick(['string', 'number', 'bool'] as const)
  return { path: `${end.name}.${random.pick(PROPERTIES)}`, end: { ...end, type } }
}

/** A path as projections and orders take it. */
export const shownPath = (random: Random, model: DrawnModel, from: DrawnClass): string =>
  way(random, model, from).path.replace(/\[.*?\]/g, '')

/** A path that leads to single values. */
export function valuePath(random: Random, model: DrawnModel, from: DrawnClass): string {
  for (let left = 10; left > 0; left--) {
    const { path, end } = way(random, model, from)
    if (end.target === undefined && end.kind !== 'media') return path.replace(/\[.*?\]/g, '')
  }
  return from.keyName
}

export function orderOf(random: Random, model: DrawnModel, from: DrawnClass): string {
  const terms = Array.from({ length: random.pick([1, 1, 2]) }, () => {
    return `${valuePath(random, model, from)}${random.chance(0.4) ? ' desc' : ''}`
  })
  return terms.join(',')
}

export function filterOf(random: Random, model: DrawnModel, from: DrawnClass): DrawnFilter {
  const parameters: unknown[] = []
  const part = (): string => {
    const text = comparison(random, model, from, parameters)
    return random.chance(0.15) ? `not (${text})` : text
  }
  let text = part()
  for (let more = random.pick([0, 0, 1, 1, 2]); more > 0; more--) {
    const left = random.chance(0.3) ? `(${text})` : text
    text = `${left} ${random.pick(['and', 'or', 'and', 'except'])} ${part()}`
  }
  return { text, parameters }
}

function comparison(
  random: Random,
  model: DrawnModel,
  from: DrawnClass,
  parameters: unknown[],
): string {
  const { path, end } = way(random, model, from)
  if (end.kind === 'media' || random.chance(0.15))
    return `${path} ${random.pick(['is', 'is not'])} null`
  if (end.target !== undefined) {
    parameters.push(someKey(random, classNamed(model, end.target)))
    return `${path} ${random.pick(['=', '!='])} :${parameters.length}`
  }
  const isText = ['string', 'exact', 'uuid'].includes(end.type)
  const operator = random.pick(isText ? TEXT_OPERATORS : OPERATORS)
  const value = (): unknown => random.pick(POOLS[end.type])
  const given = operator.endsWith('in') && operator !== 'begin' ? [value(), value()] : value()
  if (typeof given === 'string' && /^[\w :.+*@%-]+$/.test(given) && random.chance(0.4))
    return `${path} ${operator} '${given}'`
  parameters.push(given)
  return `${path} ${operator} :${parameters.length}`
}
