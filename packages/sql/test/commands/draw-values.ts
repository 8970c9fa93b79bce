import type { Random } from '../../../core/test/differential/random.ts'

export type ClassName = 'Team' | 'Player' | 'Pass' | 'Ticket' | 'Form' | 'Door' | 'Log'
export type Values = { [name: string]: unknown }

const NAMES = ['Ada', 'ada', 'Ben', 'Émile', 'emile', 'Zoë', 'o’x y', '', 'A%', '@']
/** Names that hooks of the model act on. */
const ODD_NAMES = ['Count', 'Write', 'Boom', 'No', 'Alone', 'Keep', 'Late', 'Risk']
const TEAMS = ['Red', 'Blue', 'red', 'Green', null, 'Much too long']
/** Keys of forms; the schema trims them and writes them in capitals. */
const FORM_CODES = ['A', 'b', ' c ', 'D/e', 'too long', ' ', '']
const CODES = ['a', 'b', 'A', 'c d', 'é', '7', 'x/y', '"q"']
const UUIDS = [
  '0123456789ABCDEF0123456789ABCDEF',
  'ffffffff-0000-1111-2222-333333333333',
  '00000000000000000000000000000001',
  'wrong',
]
const NUMBERS = [0, 1, 2, 10, 49.5, 50, 75, 0.1, 1e21, -0, null, -1, 'x']
const INFOS = [null, {}, { a: 1, b: [1, 'x', { c: null }] }, ['x', 2], { a: 'É' }, { a: { b: 2 } }]
const DATES = [null, '2024-01-31T08:05:09.250Z', '1969-12-31T23:59:59.999Z', '2024-02-30', 0]

export const playerKey = (random: Random): number => 1 + random.below(random.chance(0.8) ? 8 : 30)
const teamKey = (random: Random): number => 1 + random.below(random.chance(0.8) ? 4 : 12)
const passKey = (random: Random): string => random.pick(CODES)

export function keyOf(random: Random, name: ClassName): string | number {
  switch (name) {
    case 'Team':
      return teamKey(random)
    case 'Pass':
      return passKey(random)
    case 'Ticket':
    case 'Door':
      return random.pick(UUIDS)
    case 'Form':
      return random.pick(FORM_CODES)
    default:
      return playerKey(random)
  }
}

export const addressOf = (random: Random, name: ClassName): string => {
  const key = keyOf(random, name)
  if (typeof key === 'number') return `${name}[${key}]`
  return `${name}[%22${encodeURIComponent(key)}%22]`
}

const related = (random: Random, key: string | number): unknown => {
  const form = random.below(8)
  if (form === 0) return null
  return form < 5 ? key : { __KEY: String(key) }
}

type Maker = (random: Random) => unknown
const MAKERS: { readonly [C in ClassName]: { readonly [name: string]: Maker } } = {
  Team: {
    name: (random) => random.pick(TEAMS),
    motto: (random) => random.pick(NAMES),
    founded: (random) => random.pick([null, '2024-01-31', '1900-02-28', '31']),
    lead: (random) => related(random, playerKey(random)),
  },
  Player: {
    name: (random) => random.pick(random.chance(0.7) ? NAMES : ODD_NAMES),
    nick: (random) => random.pick(['x', 'X', null, 'no!', 'longer than six', 'ü']),
    score: (random) => random.pick(NUMBERS),
    level: (random) => random.pick([1, 2, 3, 7, 7, null, 1.5]),
    serial: (random) => random.below(3),
    big: (random) => random.pick([0, 9007199254740991, -5, null]),
    joined: (random) => random.pick(DATES),
    pause: (random) => random.pick([0, 90500, '01:02:03', null]),
    active: (random) => random.pick([true, false, null, 1]),
    token: (random) => random.pick(UUIDS),
    info: (random) => random.pick(INFOS),
    team: (random) => related(random, teamKey(random)),
    teamID: (random) => random.pick([null, 1, 2, 3, 11]),
    captain: (random) => related(random, playerKey(random)),
    rank: (random) => random.pick([3, 40, 60, null]),
    label: (random) => random.pick(['Ada@-', null]),
    teamName: () => null,
    unknown: () => 1,
    cv: () => ({ ID: '{upload}' }),
  },
  Pass: {
    colour: (random) => random.pick(['red', 'gold', 'blue', null]),
    holder: (random) => related(random, playerKey(random)),
    sponsor: (random) => related(random, teamKey(random)),
  },
  Ticket: {
    price: (random) => random.pick([0, 1, 2, 99.5, 101]),
    pass: (random) => related(random, passKey(random)),
  },
  Form: {
    email: (random) => random.pick([' Ada@X ', 'ben@x', '', 'longer than twelve', null]),
    mode: (random) => random.pick(['open', 'shut', 'shut', 'ajar', null]),
    place: (random) =>
      random.pick([null, { city: ' Rome ' }, { city: 'Oslo', zip: '1', x: 2 }, { zip: '' }, {}]),
    sent: (random) => random.pick(DATES),
    fee: (random) => random.pick([0, 1.5, 100, 101, null, '5']),
    count: (random) => random.pick([0, 3, null, 1.5]),
    player: (random) => related(random, playerKey(random)),
  },
  Door: {
    key: (random) => random.pick([null, 0, 1, 7]),
    stamp: (random) => random.pick([null, 5, -1]),
    day: (random) => random.pick([null, '2020-02-02', '1900-02-28']),
    origin: (random) => random.pick(['here', 'there']),
    player: (random) => related(random, playerKey(random)),
    opened: () => null,
    checked: () => null,
  },
  Log: { text: (random) => random.pick(NAMES) },
}

/** Attributes that are mostly valid, and so are drawn more often. */
const RARE = new Set([
  'label',
  'teamName',
  'unknown',
  'cv',
  'serial',
  'token',
  'info',
  'pause',
  'big',
])

export function valuesOf(random: Random, name: ClassName, most: number): Values {
  const makers = Object.entries(MAKERS[name])
  const values: Values = {}
  for (let left = 1 + random.below(most); left > 0; left--) {
    const [attribute, make] = random.pick(makers)
    if (RARE.has(attribute) && random.chance(0.6)) continue
    values[attribute] = make(random)
  }
  return values
}

/** Values of a new entity; some have keys of their own. */
export function newValues(random: Random, name: ClassName): Values {
  const values = valuesOf(random, name, 6)
  if (name === 'Pass') values.code = passKey(random)
  else if (name === 'Form') {
    values.code = keyOf(random, name)
    if (random.chance(0.6)) values.email = random.pick([' Ada@X ', 'ben@x'])
  } else if (name === 'Door') values.ID = keyOf(random, name)
  else if (random.chance(0.1)) values[name === 'Ticket' ? 'code' : 'ID'] = keyOf(random, name)
  if (name === 'Ticket' && random.chance(0.8)) values.pass = passKey(random)
  return values
}
