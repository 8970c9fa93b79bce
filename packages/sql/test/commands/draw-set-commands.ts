import type { Random } from '../../../core/test/differential/random.ts'
import type { Step } from '../../../testing/src/conformance/case.ts'
import type { Command } from './draw-commands.ts'
import { filterOf, orderOf, storedFilter, storedOrder, valuePathOf } from './draw-filters.ts'
import { setName, sets } from './draw-reads.ts'
import { playerKey } from './draw-values.ts'

// Requests about entity sets while players come, go, and become hidden from anna: what each caller
// sees of members that were removed.

type Draw = (random: Random) => Step

/** Names without hooks, so that most requests succeed. */
const player = (random: Random) => ({
  name: random.pick(['Ada', 'Ben', 'Émile', 'Zoë']),
  score: random.pick([1, 10, 30, 49, 50, 75]),
  level: random.pick([1, 2, 3]),
})

const create: Draw = (random) => ({
  send: 'POST /rest/Player',
  body: Array.from({ length: 1 + random.below(3) }, () => player(random)),
})
const change: Draw = (random) => ({
  send: 'POST /rest/Player',
  body: { __KEY: String(playerKey(random)), ...player(random) },
})
const remove: Draw = (random) =>
  random.chance(0.8)
    ? { send: `DELETE /rest/Player(${playerKey(random)})` }
    : { send: `DELETE {${setName(random)}}?$filter="${storedFilter(random)}"` }

const keep: Draw = (random) => {
  const from = random.chance(0.7) ? '/rest/Player' : `{${setName(random)}}`
  const parameters = ['$method=entityset']
  if (random.chance(0.3)) parameters.push(`$filter="${filterOf(random, 'Player')}"`)
  if (random.chance(0.5)) parameters.push(`$orderby=${orderOf(random, 'Player')}`)
  return { send: `GET ${from}?${parameters.join('&')}`, keep: { [setName(random)]: '__ENTITYSET' } }
}

const read: Draw = (random) => {
  const parameters: string[] = []
  if (random.chance(0.2)) parameters.push(`$filter="${filterOf(random, 'Player')}"`)
  if (random.chance(0.4)) parameters.push(`$orderby=${orderOf(random, 'Player')}`)
  if (random.chance(0.3)) parameters.push(`$top=${random.below(5)}`)
  if (random.chance(0.3)) parameters.push(`$skip=${random.below(5)}`)
  if (random.chance(0.1)) parameters.push('$asArray=true')
  if (random.chance(0.1)) parameters.push('$format=dashboard')
  if (random.chance(0.1)) parameters.push('$clean=true')
  if (random.chance(0.2))
    parameters.push(`$attributes=${random.pick(['name', 'rank', 'label', 'mates'])}`)
  return { send: `GET {${setName(random)}}?${parameters.join('&')}` }
}

const values: Draw = (random) => {
  const set = setName(random)
  const path = valuePathOf(random, 'Player')
  switch (random.below(4)) {
    case 0:
      return { send: `GET {${set}}?$attributes=${path}&$compute=${random.pick(['$all', 'count'])}` }
    case 1:
      return { send: `GET {${set}}?$attributes=${path}&$distinct=true` }
    case 2:
      return { send: `GET {${set}}?$groupby=level&$aggregates=count,score.sum` }
    default:
      return { send: `GET {${set}}?$groupby=team.name&$aggregates=count&$orderby=count` }
  }
}

const call: Draw = (random) =>
  random.chance(0.5)
    ? { send: `POST {${setName(random)}}/total`, body: [] }
    : {
        send: `GET {${setName(random)}}/best?$method=entityset`,
        keep: { [setName(random)]: '__ENTITYSET' },
      }

const saved: Draw = (random) => ({
  send: `GET {${setName(random)}}?$savedfilter="${storedFilter(random)}"&$savedorderby=${storedOrder(random)}`,
})

const KINDS: readonly (readonly [kind: string, draw: Draw, weight: number])[] = [
  ['create', create, 12],
  ['change', change, 8],
  ['remove', remove, 10],
  ['keep', keep, 12],
  ['read', read, 30],
  ['values', values, 10],
  ['combine', sets, 10],
  ['call', call, 5],
  ['saved', saved, 3],
]
export const SET_KIND_NAMES = KINDS.map(([kind]) => kind)
const WEIGHTED = KINDS.flatMap(([kind, draw, weight]) =>
  Array.from({ length: weight }, () => ({ kind, draw })),
)

/** The first requests of a list: two callers, of whom anna sees some players only. */
const LOGINS: readonly Command[] = ['anna', 'bob'].map((name) => ({
  kind: 'login',
  step: { send: 'POST /rest/$directory/login', body: [name, name[0], 86_400], as: name },
}))

export function drawSetCommand(random: Random, at: number): Command {
  const login = LOGINS[at]
  if (login !== undefined) return login
  const { kind, draw } = random.pick(WEIGHTED)
  const step = draw(random)
  const as = random.pick(['anna', 'anna', 'bob', undefined])
  const after = random.chance(0.02) ? 7201 : undefined
  return {
    kind,
    step: {
      ...step,
      ...(as === undefined ? {} : { as }),
      ...(after === undefined ? {} : { after }),
    },
  }
}
