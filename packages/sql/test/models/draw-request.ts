import type { Random } from '../../../core/test/differential/random.ts'
import { GIF_PIXEL } from '../../../testing/src/conformance/fixtures/images.ts'
import {
  classNamed,
  type DrawnFilter,
  filterOf,
  orderOf,
  shownPath,
  someKey,
  valuePath,
} from './draw-filter.ts'
import type { DrawnClass, DrawnModel } from './draw-model.ts'
import { keyOf, POOLS, someValue } from './values.ts'

/** A request. `{name}` in its address and body stands for a set or an upload that was kept. */
export interface DrawnRequest {
  readonly method: string
  readonly path: string
  readonly body?: string | Uint8Array
  /** The caller, whom rules limit; without one everything is allowed. */
  readonly as?: string
  /** The name under which the set or upload of the answer is kept. */
  readonly keep?: string
}
type Draw = (random: Random, model: DrawnModel, of: DrawnClass) => DrawnRequest
type Values = { [name: string]: unknown }

const SETS = ['s0', 's1', 's2']

const get = (path: string, parameters: readonly string[] = [], keep?: string): DrawnRequest => ({
  method: 'GET',
  path: `${path}?${parameters.join('&')}`,
  ...(keep !== undefined && { keep }),
})
const post = (path: string, body: unknown): DrawnRequest => ({
  method: 'POST',
  path,
  body: json(body),
})
/** With -0, which `JSON.stringify` writes as 0. */
const json = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (Object.is(each, -0) ? '@-0@' : each)).replaceAll(
    '"@-0@"',
    '-0',
  )
const quoted = (value: unknown): string => {
  const text = String(value).replace(/["']/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
  return encodeURIComponent(`"${text}"`)
}

/** The address of one entity, by its key or another attribute, in any spelling. */
function addressOf(random: Random, of: DrawnClass): string {
  const named = of.attributes.filter(({ kind, type }) => kind === 'stored' && type !== 'object')
  if (named.length === 0 || random.chance(0.9)) return `${of.name}(${quoted(someKey(random, of))})`
  const { name, type } = random.pick(named)
  return `${of.name}:${name}(${quoted(random.pick([...POOLS[type], 'x']))})`
}

const filtering = ({ text, parameters }: DrawnFilter): string[] => [
  `$filter=${encodeURIComponent(`"${text}"`)}`,
  ...(parameters.length > 0 ? [`$params=${encodeURIComponent(json(parameters))}`] : []),
]
function selecting(random: Random, model: DrawnModel, of: DrawnClass): string[] {
  const filter = random.chance(0.7) ? filtering(filterOf(random, model, of)) : []
  const order = `$orderby=${encodeURIComponent(orderOf(random, model, of))}`
  return random.chance(0.6) ? [...filter, order] : filter
}
function shaping(random: Random, model: DrawnModel, of: DrawnClass): string[] {
  const some: string[] = []
  if (random.chance(0.3)) some.push(`$top=${random.pick([0, 1, 2, 10])}`)
  if (random.chance(0.2)) some.push(`$skip=${random.pick([0, 1, 5, 100])}`)
  if (random.chance(0.4)) {
    const paths = [shownPath(random, model, of), shownPath(random, model, of)]
    some.push(`$attributes=${encodeURIComponent(paths.join(','))}`)
  }
  const relation = of.attributes.find(({ target }) => target !== undefined)
  if (relation !== undefined && random.chance(0.3)) some.push(`$expand=${relation.name}`)
  if (random.chance(0.15))
    some.push(random.pick(['$asArray=true', '$format=dashboard', '$querypath=true']))
  return some
}

function valuesOf(random: Random, model: DrawnModel, of: DrawnClass, isNew: boolean): Values {
  const values: Values = {}
  for (const { name, kind, type, target } of of.attributes) {
    if (kind === 'many' || kind === 'alias' || !random.chance(isNew ? 0.6 : 0.3)) continue
    if (kind === 'one') {
      const key = random.chance(0.2) ? null : someKey(random, classNamed(model, target))
      values[name] = key === null || random.chance(0.6) ? key : { __KEY: String(key) }
    } else if (kind === 'foreignKey') {
      if (random.chance(0.3)) values[name] = keyOf(random, type)
    } else if (kind === 'media') values[name] = random.pick([null, { ID: '{upload}' }])
    else if (kind === 'stored' || random.chance(0.2)) values[name] = someValue(random, type)
  }
  if (isNew && (!of.isAuto || random.chance(0.15))) values[of.keyName] = someKey(random, of)
  return values
}
const marks = (random: Random, of: DrawnClass): Values => ({
  __KEY: String(someKey(random, of)),
  ...(random.chance(0.3) && { __STAMP: 1 + random.below(3) }),
})
const item = (random: Random, model: DrawnModel, of: DrawnClass): Values =>
  random.chance(0.5)
    ? valuesOf(random, model, of, true)
    : { ...marks(random, of), ...valuesOf(random, model, of, false) }
const some = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: 1 + random.below(most) }, make)
const atomic = (random: Random): string => (random.chance(0.5) ? '$atomic=true' : '')

const sets: Draw = (random, model, of) => {
  const set = random.pick(SETS)
  const kept = random.pick(SETS)
  switch (random.below(7)) {
    case 0:
    case 1:
      return get(of.name, [...selecting(random, model, of), '$method=entityset'], set)
    case 2:
      return get(`{${set}}`, [...selecting(random, model, of), ...shaping(random, model, of)])
    case 3:
      return get(`{${set}}`, ['$clean=true', '$method=entityset'], kept)
    case 4: {
      const operator = random.pick(['AND', 'OR', 'EXCEPT', 'INTERSECT'])
      const other = `$otherCollection={id:${random.pick(SETS)}}`
      return get(`{${set}}`, [`$logicOperator=${operator}`, other, '$method=entityset'], kept)
    }
    case 5:
      return { method: 'DELETE', path: `{${set}}` }
    default:
      return get(`{${set}}`, ['$method=release'])
  }
}

const media: Draw = (random, _model, of) => {
  const of1 = of.attributes.find(({ kind }) => kind === 'media')
  const upload = { method: 'POST', path: '$upload?$rawPict=true', body: GIF_PIXEL, keep: 'upload' }
  if (of1 === undefined || random.chance(0.4)) return upload
  const path = `${addressOf(random, of)}/${of1.name}`
  if (random.chance(0.3)) return { method: 'DELETE', path }
  if (random.chance(0.5)) return { method: 'POST', path, body: GIF_PIXEL }
  return get(path, [`$expand=${of1.name}`, random.pick(['$binary=true', '$imageformat=best'])])
}

const call: Draw = (random, model, of) => {
  const from = random.chance(0.25) ? `{${random.pick(SETS)}}` : of.name
  const query = selecting(random, model, of).join('&')
  switch (random.below(5)) {
    case 0:
      return post(`${from}/sweep?${query}`, [1 + random.below(2)])
    case 1:
      return post(`${from}/touch?${query}`, [random.pick(['a', 'boom', 'B', 'q', ''])])
    case 2:
      return post(`${from}/values?${query}`, [])
    case 3:
      return post(`${addressOf(random, of)}/near`, [])
    default: {
      const rows = some(random, 3, () => valuesOf(random, model, of, true))
      return post(`${of.name}/enter`, [rows, random.chance(0.3)])
    }
  }
}

const values: Draw = (random, model, of) => {
  const path = encodeURIComponent(valuePath(random, model, of))
  const filter = random.chance(0.6) ? filtering(filterOf(random, model, of)) : []
  switch (random.below(3)) {
    case 0:
      return get(of.name, [...filter, `$attributes=${path}`, '$distinct=true'])
    case 1: {
      const how = random.pick(['sum', 'average', 'min', 'max', 'count', '$all'])
      return get(of.name, [...filter, `$attributes=${path}`, `$compute=${how}`])
    }
    default: {
      const part = random.chance(0.15) ? `.${random.pick(['year', 'month', 'week'])}` : ''
      const how = random.pick(['average', 'count', 'countDistinct', 'max', 'min', 'sum'])
      const value = encodeURIComponent(valuePath(random, model, of))
      const aggregates = `$aggregates=count,${value}.${how}`
      return get(of.name, [...filter, `$groupby=${path}${part}`, aggregates])
    }
  }
}

const related: Draw = (random, _model, of) => {
  const relation = of.attributes.find(({ target }) => target !== undefined)
  if (relation === undefined) return get(addressOf(random, of))
  const { name } = relation
  const parameters = [`$expand=${name}`, ...(random.chance(0.3) ? ['$method=subentityset'] : [])]
  return get(`${addressOf(random, of)}/${name}`, parameters, 's2')
}

/** Kinds of requests with how often they are drawn. */
const KINDS: readonly (readonly [number, Draw])[] = [
  [14, (random, model, of) => post(of.name, valuesOf(random, model, of, true))],
  [
    10,
    (random, model, of) =>
      post(of.name, { ...marks(random, of), ...valuesOf(random, model, of, false) }),
  ],
  [
    12,
    (random, model, of) =>
      post(
        `${of.name}?${atomic(random)}`,
        some(random, 6, () => item(random, model, of)),
      ),
  ],
  [3, (random, _model, of) => ({ method: 'DELETE', path: addressOf(random, of) })],
  [
    2,
    (random, _model, of) =>
      post(
        `${of.name}?$method=delete&${atomic(random)}`,
        some(random, 3, () => marks(random, of)),
      ),
  ],
  [
    2,
    (random, model, of) => {
      const filter = filtering(filterOf(random, model, of))
      return { method: 'DELETE', path: `${of.name}?${[...filter, atomic(random)].join('&')}` }
    },
  ],
  [
    17,
    (random, model, of) =>
      get(of.name, [...selecting(random, model, of), ...shaping(random, model, of)]),
  ],
  [
    4,
    (random, model, of) => {
      const shape = shaping(random, model, of).filter((each) => !/top|skip|asA|format/.test(each))
      return get(addressOf(random, of), shape)
    },
  ],
  [2, related],
  [12, values],
  [10, sets],
  [2, (random, _model, of) => get(addressOf(random, of), [`$lock=${random.chance(0.6)}`])],
  [3, media],
  [7, call],
]
const WEIGHTED = KINDS.flatMap(([weight, draw]) => Array.from({ length: weight }, () => draw))

export function drawRequest(random: Random, model: DrawnModel): DrawnRequest {
  const request = random.pick(WEIGHTED)(random, model, random.pick(model.classes))
  return random.chance(0.35) ? { ...request, as: 'ann' } : request
}
