import type { Random } from '../../../core/test/differential/random.ts'
import type { Step } from '../../../testing/src/conformance/case.ts'
import {
  filterOf,
  groupOf,
  orderOf,
  relationOf,
  shownOf,
  storedFilter,
  storedOrder,
  valuePathOf,
} from './draw-filters.ts'
import { addressOf, type ClassName } from './draw-values.ts'

const CLASSES: readonly ClassName[] = [
  'Player',
  'Player',
  'Player',
  'Team',
  'Pass',
  'Ticket',
  'Form',
  'Form',
  'Door',
  'Log',
]
export const className = (random: Random): ClassName => random.pick(CLASSES)

/** Names of sets for later requests. A name is unknown until its set is created. */
const SETS = ['s0', 's1', 's2']
export const setName = (random: Random): string => random.pick(SETS)

const joined = (address: string, parameters: readonly string[]): string =>
  parameters.length === 0 ? address : `${address}?${parameters.join('&')}`

/** Parameters that select and order. */
function selecting(random: Random, name: ClassName): string[] {
  const parameters: string[] = []
  if (random.chance(0.7)) parameters.push(`$filter="${filterOf(random, name)}"`)
  if (random.chance(0.5)) parameters.push(`$orderby=${orderOf(random, name)}`)
  return parameters
}

/** Parameters of a page. */
function shaping(random: Random, name: ClassName): string[] {
  const parameters: string[] = []
  if (random.chance(0.3)) parameters.push(`$top=${random.below(4)}`)
  if (random.chance(0.2)) parameters.push(`$skip=${random.below(4)}`)
  if (random.chance(0.4)) parameters.push(`$attributes=${shownOf(random, name)}`)
  if (random.chance(0.3)) parameters.push(`$expand=${relationOf(random, name)}`)
  if (random.chance(0.1)) parameters.push('$asArray=true')
  if (random.chance(0.05)) parameters.push('$format=dashboard')
  return [...parameters, ...planning(random)]
}

const planning = (random: Random): string[] => [
  ...(random.chance(0.15) ? ['$queryplan=true'] : []),
  ...(random.chance(0.15) ? ['$querypath=true'] : []),
]

/** Addresses of several entities: a dataclass, a relation, a set. */
function source(random: Random, name: ClassName): string {
  const kind = random.below(10)
  if (kind < 7) return `/rest/${name}`
  if (kind < 9 && name === 'Player') return `{${setName(random)}}`
  if (name === 'Player')
    return random.chance(0.5)
      ? `/rest/${addressOf(random, 'Team')}/players`
      : `/rest/${addressOf(random, 'Player')}/mates`
  return name === 'Pass' ? `/rest/${addressOf(random, 'Player')}/passes` : `/rest/${name}`
}

type Draw = (random: Random) => Step

export const page: Draw = (random) => {
  const name = className(random)
  const parameters = [...selecting(random, name), ...shaping(random, name)]
  return { send: `GET ${joined(source(random, name), parameters)}` }
}

export const entity: Draw = (random) => {
  const name = className(random)
  const parameters = shaping(random, name).filter((each) => !/top|skip|asArray|format/.test(each))
  if (random.chance(0.2)) parameters.push(`$filter="${filterOf(random, name)}"`)
  return {
    send: `GET ${joined(`/rest/${addressOf(random, name)}`, parameters)}`,
    ...(random.chance(0.2) ? { headers: { 'if-none-match': '{etag}' } } : {}),
  }
}

export const related: Draw = (random) => {
  const name = random.pick<ClassName>(['Player', 'Team', 'Pass'])
  return { send: `GET /rest/${addressOf(random, name)}/${relationOf(random, name)}` }
}

export const aggregate: Draw = (random) => {
  const name = className(random)
  const how = random.pick(['sum', 'average', 'min', 'max', 'count', '$all'])
  const parameters = [
    ...(random.chance(0.8) ? [`$compute=${how}`] : ['$distinct=true']),
    ...(random.chance(0.15) ? ['$distinct=true'] : []),
    ...(random.chance(0.6) ? [`$filter="${filterOf(random, name)}"`] : []),
    ...planning(random),
  ]
  const from = source(random, name)
  const path = valuePathOf(random, name)
  if (from !== `/rest/${name}`)
    return { send: `GET ${joined(from, [`$attributes=${path}`, ...parameters])}` }
  return { send: `GET ${joined(`${from}/${path}`, parameters)}` }
}

export const distinct: Draw = (random) => {
  const name = className(random)
  const parameters = ['$distinct=true']
  if (random.chance(0.6)) parameters.push(`$filter="${filterOf(random, name)}"`)
  if (random.chance(0.2)) parameters.push('$top=2', '$skip=1')
  return { send: `GET ${joined(`/rest/${name}/${valuePathOf(random, name)}`, parameters)}` }
}

export const groups: Draw = (random) => {
  const name = className(random)
  const parameters = [`$groupby=${groupOf(random, name)}`]
  const aggregates = ['count']
  if (random.chance(0.6))
    aggregates.push(
      `${valuePathOf(random, name)}.${random.pick(['average', 'count', 'countDistinct', 'max', 'min', 'sum'])}`,
    )
  parameters.push(`$aggregates=${aggregates.join(',')}`)
  if (random.chance(0.3)) parameters.push('$having="count > 1"')
  if (random.chance(0.3)) parameters.push('$orderby=count desc')
  if (random.chance(0.4)) parameters.push(`$filter="${filterOf(random, name)}"`)
  if (random.chance(0.1)) parameters.push('$asArray=true')
  return { send: `GET ${joined(source(random, name), [...parameters, ...planning(random)])}` }
}

/** Creates a set, combines sets, releases one. */
export const sets: Draw = (random) => {
  const set = setName(random)
  const keep = { [set]: '__ENTITYSET' }
  const timeout = random.chance(0.3) ? [`$timeout=${random.pick([1, 60, 9000])}`] : []
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2: {
      const parameters = ['$method=entityset', ...timeout]
      if (random.chance(0.7)) parameters.push(`$filter="${storedFilter(random)}"`)
      if (random.chance(0.5)) parameters.push(`$orderby=${storedOrder(random)}`)
      return { send: `GET ${joined(source(random, 'Player'), parameters)}`, keep }
    }
    case 3:
    case 4: {
      const word = random.pick(['AND', 'OR', 'EXCEPT', 'INTERSECT'])
      const other = `$otherCollection={${setName(random)}.id}`
      const parameters = [`$logicOperator=${word}`, other, ...shaping(random, 'Player')]
      if (random.chance(0.5)) parameters.push('$method=entityset')
      return { send: `GET ${joined(`{${setName(random)}}`, parameters)}`, keep }
    }
    case 5: {
      const parameters = ['$clean=true', ...(random.chance(0.5) ? ['$method=entityset'] : [])]
      return { send: `GET ${joined(`{${setName(random)}}`, parameters)}`, keep }
    }
    case 6: {
      const saved = [`$savedfilter="${storedFilter(random)}"`]
      if (random.chance(0.5)) saved.push(`$savedorderby=${storedOrder(random)}`)
      if (random.chance(0.7)) saved.push('$method=entityset')
      return { send: `GET ${joined(`{${setName(random)}}`, saved)}`, keep }
    }
    default:
      return random.chance(0.3)
        ? { send: `GET {${set}}?$method=release` }
        : {
            send: `GET /rest/${addressOf(random, 'Team')}/players?$expand=players&$method=subentityset&$subOrderby=${storedOrder(random)}`,
            keep,
          }
  }
}
