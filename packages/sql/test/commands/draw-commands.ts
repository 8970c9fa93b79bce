import type { Random } from '../../../core/test/differential/random.ts'
import type { Step } from '../../../testing/src/conformance/case.ts'
import { RED_PIXEL } from '../../../testing/src/conformance/fixtures/images.ts'
import { RESTART } from './club-host.ts'
import { client, plain, tool } from './draw-callers.ts'
import { filterOf, orderOf } from './draw-filters.ts'
import { drawContended, withOthers } from './draw-others.ts'
import {
  aggregate,
  className,
  distinct,
  entity,
  groups,
  page,
  related,
  setName,
  sets,
} from './draw-reads.ts'
import {
  addressOf,
  type ClassName,
  keyOf,
  newValues,
  playerKey,
  type Values,
  valuesOf,
} from './draw-values.ts'

type Draw = (random: Random) => Step

const stamped = (random: Random, values: Values): Values =>
  random.chance(0.3) ? { ...values, __STAMP: 1 + random.below(3) } : values

const update = (random: Random, name: ClassName): Values =>
  stamped(random, { __KEY: String(keyOf(random, name)), ...valuesOf(random, name, 3) })

const precondition = (random: Random): Pick<Step, 'headers'> =>
  random.chance(0.15) ? { headers: { 'if-match': random.pick(['"1"', '"2"', '{etag}', '*']) } } : {}

/** Parameters that shape what a write answers, or whether it stores. */
const saving = (random: Random, name: ClassName): string => {
  const parameters = [
    ...(random.chance(0.08) ? ['$refresh=true'] : []),
    ...(random.chance(0.05) ? ['$method=insert'] : []),
    ...(random.chance(0.1) ? [`$filter="${filterOf(random, name)}"`] : []),
    ...(random.chance(0.1) ? ['$isoTimestamps=true'] : []),
    ...(random.chance(0.1) ? ['$expand=$all'] : []),
  ]
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`
}

const create: Draw = (random) => {
  const name = className(random)
  return { send: `POST /rest/${name}${saving(random, name)}`, body: newValues(random, name) }
}

const change: Draw = (random) => {
  const name = className(random)
  const after = saving(random, name)
  if (random.chance(0.5))
    return {
      send: `POST /rest/${name}${after}`,
      body: update(random, name),
      ...precondition(random),
    }
  return {
    send: `PUT /rest/${addressOf(random, name)}${after}`,
    body: stamped(random, valuesOf(random, name, 3)),
    ...precondition(random),
  }
}

const batch: Draw = (random) => {
  const name = className(random)
  const items = Array.from({ length: 1 + random.below(5) }, () =>
    random.chance(0.5) ? newValues(random, name) : update(random, name),
  )
  const whole = random.chance(0.5) ? `?${random.pick(['$atomic', '$atOnce'])}=true` : ''
  return { send: `POST /rest/${name}${whole}`, body: items }
}

const remove: Draw = (random) => {
  const name = className(random)
  const whole = random.chance(0.4) ? '$atomic=true' : ''
  switch (random.below(5)) {
    case 0: {
      const keys = Array.from({ length: 1 + random.below(3) }, () =>
        stamped(random, { __KEY: String(keyOf(random, name)) }),
      )
      return { send: `POST /rest/${name}?$method=delete&${whole}`, body: keys }
    }
    case 1:
      return { send: `DELETE /rest/${name}?$filter="${filterOf(random, name)}"&${whole}` }
    case 2:
      if (random.chance(0.3)) return { send: `DELETE {${setName(random)}}?${whole}` }
      return {
        send: `DELETE {${setName(random)}}?$filter="${filterOf(random, 'Player')}"&${whole}`,
      }
    default:
      return { send: `DELETE /rest/${addressOf(random, name)}`, ...precondition(random) }
  }
}

const lock: Draw = (random) => ({
  send: `GET /rest/${addressOf(random, random.pick<ClassName>(['Player', 'Player', 'Team', 'Pass']))}?$lock=${random.chance(0.7)}`,
  ...precondition(random),
})

const login: Draw = (random) => {
  const name = random.pick(['anna', 'bob'])
  switch (random.below(4)) {
    case 0:
      return { send: 'GET /rest/$directory/currentUser' }
    case 1:
      return { send: 'POST /rest/$directory/logout', body: [], as: name }
    default:
      return {
        send: 'POST /rest/$directory/login',
        body: [name, random.chance(0.9) ? name[0] : 'wrong', random.pick([60, 7200])],
        as: name,
      }
  }
}

const media: Draw = (random) => {
  const team = addressOf(random, 'Team')
  const player = addressOf(random, 'Player')
  const bytes = Uint8Array.from({ length: 1 + random.below(5) }, () => random.below(256))
  switch (random.below(8)) {
    case 0:
      return { send: `POST /rest/${team}/crest?$rawPict=image/png`, body: RED_PIXEL }
    case 1:
      return { send: `POST /rest/${player}/cv`, body: bytes, ...precondition(random) }
    case 2:
      return { send: `GET /rest/${team}/crest?$imageformat=best&$expand=crest` }
    case 3:
      return { send: `GET /rest/${player}/cv?$binary=true&$expand=cv` }
    case 4:
      return { send: `DELETE /rest/${player}/cv` }
    case 5:
      return {
        send: `POST /rest/Player`,
        body: { __KEY: String(playerKey(random)), cv: { ID: '{upload}' } },
      }
    default:
      return {
        send: `POST /rest/$upload?$binary=true&$timeout=${random.pick([5, 300])}`,
        body: bytes,
        keep: { upload: 'ID' },
      }
  }
}

const selected = (random: Random, functionName: string): string =>
  random.chance(0.3)
    ? `{${setName(random)}}/${functionName}`
    : `/rest/Player/${functionName}?$filter="${filterOf(random, 'Player')}"&$orderby=${orderOf(random, 'Player')}`

const call: Draw = (random) => {
  switch (random.below(12)) {
    case 0:
      return { send: `GET ${selected(random, 'best')}` }
    case 1:
      return { send: `POST ${selected(random, 'total')}`, body: [] }
    case 2:
      return { send: `POST ${selected(random, 'raise')}`, body: [random.pick([1, -5, 40])] }
    case 3:
      return { send: `POST ${selected(random, 'drop')}`, body: [] }
    case 4:
      return { send: 'POST /rest/Player/hire', body: [valuesOf(random, 'Player', 4)] }
    case 5:
      return {
        send: 'POST /rest/Player/save',
        body: [
          {
            __DATACLASS: 'Player',
            __ENTITY: true,
            ...(random.chance(0.5) ? update(random, 'Player') : newValues(random, 'Player')),
          },
        ],
      }
    case 6:
      return { send: `GET /rest/Player/named?$params=["${random.pick(['Ada', 'Keep', 'No'])}"]` }
    case 7:
      return { send: 'POST /rest/Player/risk', body: [random.pick(['refuse', 'fail', 'go'])] }
    case 8:
      return { send: `POST /rest/${addressOf(random, 'Player')}/promote`, body: [] }
    case 9:
      return { send: `GET /rest/${addressOf(random, 'Player')}/mateNames` }
    case 10:
      return { send: 'GET /rest/$catalog/stats' }
    default:
      return {
        send: 'POST /rest/$catalog/swap',
        body: [playerKey(random), playerKey(random)],
      }
  }
}

const best: Draw = (random) => ({
  send: `GET ${selected(random, 'best')}${random.chance(0.5) ? '&$top=2' : ''}&$method=entityset`,
  keep: { [setName(random)]: '__ENTITYSET' },
})

/** More players than a time slice or a page takes. */
const crowd: Draw = (random) => ({
  send: 'POST /rest/Player',
  body: Array.from({ length: 60 + random.below(120) }, (_, at) => ({
    name: random.pick(['Ada', 'Ben', 'Zoë', '@', 'A%']),
    score: at % 90,
    level: at % 4,
    team: random.pick([1, 2, null]),
    ...(at % 7 === 0 ? { joined: `20${10 + (at % 14)}-03-01T00:00:00.000Z` } : {}),
  })),
})

/** Kinds of commands with how often they are drawn. */
const KINDS: { readonly [kind: string]: readonly [Draw, number] } = {
  create: [create, 14],
  change: [change, 14],
  batch: [batch, 8],
  remove: [remove, 7],
  page: [page, 14],
  entity: [entity, 6],
  related: [related, 2],
  aggregate: [aggregate, 5],
  distinct: [distinct, 3],
  groups: [groups, 4],
  sets: [sets, 9],
  lock: [lock, 4],
  login: [login, 3],
  media: [media, 4],
  call: [call, 6],
  best: [best, 1],
  crowd: [crowd, 1],
  plain: [plain, 12],
  client: [client, 8],
  tool: [tool, 6],
}
export const KIND_NAMES = Object.keys(KINDS)
const WEIGHTED = Object.entries(KINDS).flatMap(([kind, [draw, weight]]) =>
  Array.from({ length: weight }, () => ({ kind, draw })),
)

/** A request of some caller, after some time. */
export interface Command {
  readonly kind: string
  readonly step: Step
  /** Requests at the same time. */
  readonly others?: readonly Command[]
}

const CALLERS = ['anna', 'bob', 'cleo', undefined, undefined, undefined]

function drawAlone(random: Random): Command {
  const { kind, draw } = random.pick(WEIGHTED)
  const step = draw(random)
  const as = step.as ?? random.pick(CALLERS)
  const after = random.chance(0.1) ? random.pick([1, 5, 59, 61, 3599, 7201]) : undefined
  return {
    kind,
    step: {
      ...step,
      ...(as === undefined ? {} : { as }),
      ...(after === undefined ? {} : { after }),
    },
  }
}

/** `restarts`: the share of commands that end what serves and open it again. */
export function drawCommand(random: Random, _at: number, restarts: number): Command {
  if (restarts > 0 && random.chance(restarts)) return { kind: 'restart', step: { send: RESTART } }
  if (random.chance(0.06)) return drawContended(random)
  const command = drawAlone(random)
  return random.chance(0.1) ? withOthers(command, () => drawAlone(random)) : command
}
