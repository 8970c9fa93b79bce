import type { Random } from '../../../core/test/differential/random.ts'
import type { Step } from '../../../testing/src/conformance/case.ts'
import { CALL_NAMES, type Call } from './club-callers.ts'
import { PLAIN } from './club-options.ts'
import { filterOf, groupOf, orderOf, shownOf, valuePathOf } from './draw-filters.ts'
import { className } from './draw-reads.ts'
import { type ClassName, keyOf, newValues, type Values, valuesOf } from './draw-values.ts'

// The other ways to the interface: plain REST, the client of a program, the tools of an assistant.

type Draw = (random: Random) => Step

/** Values that a filter reads as patterns, or that only look like it. */
const TEXTS = ['Ada', 'ada', '@', 'A%', 'A@', '*', 'e*', '', 'é', 'red', null]

/** The parts of a filter around one value. */
const PARTS: { readonly [C in ClassName]: readonly (readonly [string, string])[] } = {
  Team: [
    ['name = ', ''],
    ['motto === ', ' and size >= 0'],
  ],
  Player: [
    ['name = ', ''],
    ['name != ', ' and score > 1'],
    ['label === ', ''],
    ['team.name begin ', ''],
  ],
  Pass: [['code = ', '']],
  Ticket: [['pass.colour = ', '']],
  Form: [
    ['email = ', ''],
    ['player.name = ', ''],
  ],
  Door: [['player.name = ', ' or key is null']],
  Log: [['text = ', '']],
}

/** The same with members that may be undefined. */
type Gaps<T> = { readonly [N in keyof T]: T[N] | undefined }

const some = <T>(random: Random, chance: number, value: () => T): T | undefined =>
  random.chance(chance) ? value() : undefined

const withoutGaps = <T extends object>(values: T): T =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T

/** Calls in whose result the order shows. */
const IN_ORDER = new Set('page first toArray iterate entitySet'.split(' '))
const SUMS = new Set(['sum', 'average'])

/** Programs give related keys as they are, where requests have texts, and no ids of uploads. */
const withKeys = (call: object): object =>
  JSON.parse(JSON.stringify(call), (name, value) => {
    // Of several wrong values any may be found first.
    if (name === 'cv' || name === 'unknown') return undefined
    const key = value?.__KEY
    if (key === undefined || /^\d*$/.test(name)) return value
    return { key: name === 'pass' ? key : Number(key) }
  })

export const client: Draw = (random) => {
  const name = random.pick(CALL_NAMES)
  const dataClass = className(random)
  const key = keyOf(random, dataClass)
  const isInParts = random.chance(0.4)
  const given: Gaps<Call> = {
    dataClass,
    key,
    values: random.chance(0.5) ? newValues(random, dataClass) : valuesOf(random, dataClass, 3),
    changes: Array.from({ length: 1 + random.below(3) }, () =>
      random.chance(0.5)
        ? newValues(random, dataClass)
        : { ...valuesOf(random, dataClass, 2), __KEY: key },
    ),
    ...(isInParts
      ? { parts: random.pick(PARTS[dataClass]), parameters: [random.pick(TEXTS)] }
      : { filter: some(random, 0.6, () => filterOf(random, dataClass)) }),
    orderBy: some(random, 0.4, () => orderOf(random, dataClass)),
    select: some(random, 0.4, () => shownOf(random, dataClass)),
    path: name === 'groupBy' ? groupOf(random, dataClass) : valuePathOf(random, dataClass),
  }
  // A path without a sum is refused before or after a wrong filter.
  const { orderBy: _, ...unordered } = given
  const sent = IN_ORDER.has(name)
    ? given
    : SUMS.has(name)
      ? { dataClass, path: given.path }
      : unordered
  const call = { send: `CLIENT ${name}`, body: withKeys(withoutGaps(sent)) }
  return random.chance(0.2) ? { ...call, as: 'dora' } : call
}

export const tool: Draw = (random) => {
  const dataClass = random.chance(0.97) ? className(random) : 'Unknown'
  const known = dataClass === 'Unknown' ? 'Player' : dataClass
  const filter = some(random, 0.6, () => filterOf(random, known))
  const page = { skip: some(random, 0.3, () => 1), limit: some(random, 0.3, () => 2) }
  const key = keyOf(random, known)
  const values = valuesOf(random, known, 3)
  const attributes = some(random, 0.4, () => shownOf(random, known))
  const orderBy = some(random, 0.4, () => orderOf(random, known))
  const stamp = some(random, 0.3, () => 1 + random.below(3))
  const tools: readonly (readonly [string, Values])[] = [
    ['catalog', { dataClass: some(random, 0.5, () => dataClass) }],
    ['query', { dataClass, filter, orderBy, attributes, ...page }],
    ['query', { dataClass, filter, orderBy, attributes, ...page }],
    ['entity', { dataClass, key, attributes }],
    ['aggregate', { dataClass, attribute: valuePathOf(random, known), filter }],
    ['distinct', { dataClass, attribute: valuePathOf(random, known), filter, ...page }],
    ['group', { dataClass, by: groupOf(random, known), filter, ...page }],
    ['insert', { dataClass, values: newValues(random, known) }],
    ['update', { dataClass, key, values, stamp }],
    ['remove', { dataClass, key, stamp }],
  ]
  const [name, given] = random.pick(tools)
  return { send: `TOOL ${name}`, body: withoutGaps(given) }
}

/** Conditions of lists, with signs that are wildcards elsewhere. */
const CONDITIONS: { readonly [C in ClassName]: readonly string[] } = {
  Team: ['name=red', 'name_like=^r.*d$', 'motto=@', 'size_gte=1', 'founded=2024-01-31'],
  Player: [
    'name=Ada',
    'name=@',
    'name_like=A%25',
    'name_like=^e.*',
    'score_gte=10',
    'score_lte=50',
    'level_ne=1',
    'team.name=red',
    'active=true',
    'label_like=@',
    'info.a=1',
    'captain.team.name=Red',
    'big=5',
    'nothing=1',
  ],
  Pass: ['colour=gold', 'code=c%20d', 'holder.name=Ada'],
  Ticket: ['price_gte=1', 'pass.colour=red'],
  Form: ['email=ada@x', 'email_like=@', 'mode=shut', 'fee_gte=1', 'place.city=Rome'],
  Door: ['key=7', 'stamp=5', 'day=2020-02-02', 'player.name=Ada'],
  Log: ['text=gold', 'text_like=@'],
}

/** Members that a form writes as text. */
const formOf = (values: Values): string =>
  Object.entries(values)
    .filter(([, value]) => typeof value !== 'object')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&')

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const RELATED: { readonly [C in ClassName]: readonly string[] } = {
  Team: ['players', 'passes'],
  Player: ['mates', 'passes', 'team', 'forms', 'doors'],
  Pass: ['tickets'],
  Ticket: ['pass'],
  Form: ['player'],
  Door: ['player'],
  Log: ['text'],
}

export const plain: Draw = (random) => {
  const name = className(random)
  const one = `${PLAIN}/${name}/${encodeURIComponent(String(keyOf(random, name)))}`
  const parameters: string[] = []
  if (random.chance(0.6)) parameters.push(random.pick(CONDITIONS[name]))
  if (random.chance(0.2)) parameters.push(random.pick(CONDITIONS[name]))
  if (random.chance(0.15)) parameters.push(`q=${random.pick(['a', '@', 'E', '1', '*'])}`)
  if (random.chance(0.3)) parameters.push(`_sort=${valuePathOf(random, name)}&_order=desc`)
  if (random.chance(0.3)) parameters.push(random.pick(['_page=2&_limit=2', '_start=1&_end=4']))
  if (random.chance(0.3))
    parameters.push(`${random.pick(['_embed', '_expand'])}=${random.pick(RELATED[name])}`)
  const list = parameters.length === 0 ? '' : `?${parameters.join('&')}`
  const values = random.chance(0.5) ? newValues(random, name) : valuesOf(random, name, 3)
  const given = random.chance(0.25)
    ? { body: formOf(values), headers: FORM }
    : { body: random.chance(0.1) ? { ...values, __STAMP: 1 } : values }
  const condition = random.chance(0.1)
    ? { headers: { 'if-match': random.pick(['"1"', '{etag}', '*']) } }
    : {}
  switch (random.below(10)) {
    case 0:
    case 1:
      return { send: `POST ${PLAIN}/${name}`, ...given }
    case 2:
      return { send: `PATCH ${one}`, ...given }
    case 3:
      return { send: `PUT ${one}`, ...given, ...(given.headers === undefined ? condition : {}) }
    case 4:
      return { send: `DELETE ${one}`, ...condition }
    case 5:
      return { send: `GET ${one}/${random.pick(RELATED[name])}${list}` }
    case 6:
      return { send: `GET ${one}` }
    case 7:
      return random.chance(0.2) ? { send: `GET ${PLAIN}/db` } : { send: `GET ${one}${list}` }
    default:
      return { send: `GET ${PLAIN}/${name}${list}` }
  }
}
