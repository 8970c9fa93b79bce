import fc from 'fast-check'
import {
  type BatchMode,
  type Command,
  type Insert,
  type Keeping,
  NOWHERE,
  type Query,
  type Remove,
  type Stamp,
  type Step,
  type Update,
  type Who,
  WRONG_QUERIES,
  type Write,
} from './command.ts'
import { type ClassName, type Input, RELATIONS, type Row, type Value } from './plain-club.ts'
import type { Filter, Order, Test } from './plain-reads.ts'

// Commands for a club: few keys, few values that meet, half of the batches with something in them that is refused.

const TEXTS = ['', 'a', 'A', '\u00e9', 'e\u0301', "O'Neil", 'ab', 'B'] as const
const NUMBERS = [0, 1, 2.5, 10] as const
const text = fc.constantFrom<Value>(...TEXTS, null)
const number = fc.constantFrom<Value>(...NUMBERS, null)
const id = fc.option(fc.integer({ min: 1, max: 8 }), { freq: 2 })
const at = fc.oneof({ weight: 12, arbitrary: fc.nat(11) }, { weight: 1, arbitrary: fc.constant(NOWHERE) })
const link = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 9, arbitrary: fc.nat(11) },
  { weight: 1, arbitrary: fc.constant(NOWHERE) },
)
const stamp = fc.constantFrom<Stamp>('none', 'none', 'right', 'right', 'stale')
const who = fc.constantFrom<Who>(null, null, 0, 1, 2)
const className = fc.constantFrom<ClassName>('Team', 'Player', 'Player', 'Pass')

const VALUES = {
  Team: { name: text, motto: text, lead: link },
  Player: { name: text, nick: text, score: number, teamID: link, captain: link },
  Pass: { colour: fc.constantFrom('red', 'Red', 'blue'), holder: link, sponsor: link },
}
const KEYS = { Team: { ID: id }, Player: { ID: id }, Pass: { code: fc.constantFrom(...TEXTS) } }
const rows: { readonly [K in ClassName]: fc.Arbitrary<Row> } = {
  Team: fc.record({ ...KEYS.Team, ...VALUES.Team }, { requiredKeys: [] }),
  Player: fc.record({ ...KEYS.Player, ...VALUES.Player }, { requiredKeys: [] }),
  Pass: fc.record({ ...KEYS.Pass, ...VALUES.Pass }, { requiredKeys: ['code'] }),
}
const patches: { readonly [K in ClassName]: fc.Arbitrary<Row> } = {
  Team: fc.record(VALUES.Team, { requiredKeys: [] }),
  Player: fc.record(VALUES.Player, { requiredKeys: [] }),
  Pass: fc.record(VALUES.Pass, { requiredKeys: [] }),
}
const wrong = fc.constantFrom<Input['wrong']>(...new Array(12).fill(null), 'type', 'name')

const insert = className.chain((name) =>
  fc
    .tuple(rows[name], wrong)
    .map(([values, wrong]): Insert => ({ do: 'insert', className: name, values: withoutNullID(values), wrong })),
)
const updateOf = (name: ClassName) =>
  fc.record<Update>({
    do: fc.constant('update'),
    className: fc.constant(name),
    at,
    values: patches[name],
    wrong,
    stamp,
    isEdit: fc.constantFrom(false, false, true),
  })
const update = className.chain(updateOf)
const remove = fc.record<Remove>({ do: fc.constant('remove'), className, at, stamp })
const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 6, arbitrary: insert },
  { weight: 6, arbitrary: update },
  { weight: 3, arbitrary: remove },
)
/** What is refused wherever it stands, for each cause that one write can have. */
const refusedStep = fc.constantFrom<Step>(
  { do: 'throw' },
  { do: 'insert', className: 'Player', values: { score: -1 } },
  { do: 'insert', className: 'Player', values: {}, wrong: 'type' },
  { do: 'insert', className: 'Team', values: {}, wrong: 'name' },
  { do: 'insert', className: 'Pass', values: { code: 'c', colour: null } },
  { do: 'insert', className: 'Pass', values: { code: null } },
  { do: 'insert', className: 'Team', values: { lead: NOWHERE } },
  { do: 'update', className: 'Player', at: 0, values: {}, wrong: 'key', stamp: 'none' },
  { do: 'update', className: 'Team', at: 0, values: {}, stamp: 'stale' },
  { do: 'update', className: 'Pass', at: 1, values: { sponsor: NOWHERE }, stamp: 'none' },
  { do: 'remove', className: 'Player', at: NOWHERE, stamp: 'none' },
  { do: 'remove', className: 'Team', at: 0, stamp: 'none' },
)

const texts = (path: string): fc.Arbitrary<Test> =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom('=', '!=', '<', '<=', '>', '>=', 'begin'), fc.constantFrom(...TEXTS))
      .map(([op, value]) => ({ path, op, value })),
    fc.constantFrom<Test>({ path, op: '=', value: null }, { path, op: '!=', value: null }),
    fc.subarray([...TEXTS], { minLength: 1, maxLength: 3 }).map((value): Test => ({ path, op: 'in', value })),
  )
const numbers = (path: string): fc.Arbitrary<Test> =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom('=', '!=', '<', '<=', '>', '>='), fc.constantFrom(...NUMBERS))
      .map(([op, value]) => ({ path, op, value })),
    fc.constantFrom<Test>({ path, op: '=', value: null }, { path, op: '!=', value: null }),
    fc.subarray([...NUMBERS], { minLength: 1, maxLength: 3 }).map((value): Test => ({ path, op: 'in', value })),
  )
const tests: { readonly [K in ClassName]: fc.Arbitrary<Test> } = {
  Team: fc.oneof(texts('name'), texts('motto'), numbers('ID'), texts('lead.name')),
  Player: fc.oneof(
    texts('name'),
    texts('nick'),
    numbers('score'),
    numbers('teamID'),
    texts('team.name'),
    numbers('captain.score'),
  ),
  Pass: fc.oneof(texts('code'), texts('colour'), texts('holder.nick'), texts('sponsor.motto')),
}
const filterOf = (name: ClassName): fc.Arbitrary<Filter> => {
  const test = tests[name].map((test): Filter => ({ kind: 'test', test }))
  const both = fc
    .tuple(fc.constantFrom('and' as const, 'or' as const, 'except' as const), test, test)
    .map(([word, left, right]): Filter => ({ kind: 'both', word, of: [left, right] }))
  return fc.oneof(
    test,
    test,
    both,
    both.map((of): Filter => ({ kind: 'not', of })),
  )
}
const NAMES = { Team: ['name', 'motto', 'ID'], Player: ['name', 'nick', 'score', 'teamID'], Pass: ['code', 'colour'] }
const orderOf = (name: ClassName): fc.Arbitrary<readonly Order[]> =>
  fc.array(fc.record({ name: fc.constantFrom(...NAMES[name]), isDown: fc.boolean() }), { maxLength: 2 })
const queryOf = (name: ClassName) =>
  fc.record<Query>({
    className: fc.constant(name),
    filter: fc.option(filterOf(name), { freq: 5 }),
    order: orderOf(name),
  })
const queries = { Team: queryOf('Team'), Player: queryOf('Player'), Pass: queryOf('Pass') }
const query = className.chain((name) => queries[name])

const steps = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.array(write, { minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.array(write, { minLength: 1, maxLength: 20, size: 'max' }) },
    ),
    fc.option(query.map((query): Step => ({ do: 'look', query }))),
    fc.option(refusedStep, { freq: 2 }),
    fc.nat(20),
  )
  .map(([writes, look, refused, place]): Step[] => {
    const all: Step[] = [...writes]
    if (look !== null) all.splice(place % (all.length + 1), 0, look)
    if (refused !== null) all.splice((place * 7) % (all.length + 1), 0, refused)
    return all.slice(0, 20)
  })

const handle = fc.nat(3)
const three = fc.nat(2)
const how = fc.record<Keeping>({
  handle,
  seconds: fc.constantFrom(null, null, null, 1, 60, 5000),
  owner: fc.constantFrom<Who>(null, null, null, null, 0, 1, 2),
  isAnew: fc.constantFrom(false, false, true),
})
const nullableHow = fc.option(how, { freq: 2 })
const kind = <K extends string>(name: K) => fc.constant(name)

const usual = [
  [12, fc.record({ kind: kind('write'), write, session: who })],
  [
    9,
    fc.record({
      kind: kind('batch'),
      mode: fc.constantFrom<BatchMode>('atomic', 'atomic', 'lenient', 'separate'),
      steps,
      session: who,
    }),
  ],
  [
    2,
    className.chain((name) =>
      fc.record({
        kind: kind('updateAll'),
        className: kind(name),
        changes: fc.array(updateOf(name), { maxLength: 5 }),
      }),
    ),
  ],
  [
    2,
    className.chain((name) =>
      fc.record({
        kind: kind('load'),
        className: kind(name),
        rows: fc.array(
          fc.record<Input>({ values: rows[name], wrong: fc.constantFrom(null, null, null, null, 'type') }),
          { maxLength: 4 },
        ),
        isEmptied: fc.boolean(),
      }),
    ),
  ],
  [2, fc.record({ kind: kind('removeFound'), query, session: who })],
  [8, fc.record({ kind: kind('query'), query, skip: fc.nat(4), top: fc.nat(6) })],
  [1, fc.constantFrom(...Object.keys(WRONG_QUERIES)).map((text) => ({ kind: 'wrongQuery', text }))],
  [2, fc.record({ kind: kind('related'), relation: fc.nat(RELATIONS.length - 1), at })],
  [9, fc.record({ kind: kind('keepSet'), query: fc.oneof({ weight: 3, arbitrary: queries.Player }, query), how })],
  [
    4,
    fc.record({
      kind: kind('combineSets'),
      left: handle,
      word: fc.constantFrom('AND', 'OR', 'EXCEPT', 'INTERSECT'),
      right: handle,
      session: who,
      how: nullableHow,
    }),
  ],
  [2, fc.record({ kind: kind('cleanSet'), set: handle, session: who, how: nullableHow })],
  [4, fc.record({ kind: kind('readSet'), set: handle, session: who, order: orderOf('Player') })],
  [2, fc.record({ kind: fc.constantFrom('peekSet', 'peekSet', 'releaseSet'), set: handle, session: who })],
  [2, fc.record({ kind: kind('listSides') })],
  [3, fc.record({ kind: kind('advance'), toEnd: fc.nat(3), off: fc.constantFrom(-1, 0, 1) })],
  [1, fc.record({ kind: kind('advanceBy'), milliseconds: fc.constantFrom(1, 500, 60_000, 3_600_000) })],
  [1, fc.record({ kind: kind('wallJump'), milliseconds: fc.constantFrom(-1, -86_400_000, 86_400_000) })],
  [7, fc.record({ kind: kind('openSession'), session: three, seconds: fc.constantFrom(null, null, 60, 20_000) })],
  [1, fc.record({ kind: kind('closeSession'), session: three })],
  [5, fc.record({ kind: kind('lock'), className, at, session: three, stamp })],
  [2, fc.record({ kind: kind('unlock'), className, at, session: three })],
  [1, fc.record({ kind: kind('releaseLocks'), session: three })],
  [2, fc.record({ kind: fc.constantFrom('createIndex', 'dropIndex'), index: fc.nat(7) })],
  [2, fc.record({ kind: kind('snapshot') })],
  [3, fc.record({ kind: kind('restore'), snapshot: three })],
  [1, fc.record({ kind: kind('dispose'), snapshot: three })],
  [1, fc.record({ kind: kind('reopen') })],
  [
    4,
    fc.record({
      kind: kind('failHook'),
      call: fc.integer({ min: 1, max: 6 }),
      how: fc.constantFrom('throw', 'refuse'),
    }),
  ],
] as const

const command = fc.oneof(
  ...usual.map(([weight, arbitrary]) => ({ weight, arbitrary: arbitrary as fc.Arbitrary<Command> })),
)

/** A club with something of everything, so that fewer commands meet nothing. */
const START: readonly Command[] = [
  { kind: 'load', className: 'Team', rows: [{ values: { name: 'a' } }, { values: { motto: 'A' } }], isEmptied: false },
  {
    kind: 'load',
    className: 'Player',
    rows: [
      { values: { name: 'a', score: 1, teamID: 0 } },
      { values: { name: 'B', score: 10 } },
      { values: { nick: 'A', captain: 0 } },
      { values: { name: '\u00e9', score: 2.5, teamID: 1, captain: 1 } },
    ],
    isEmptied: false,
  },
  {
    kind: 'load',
    className: 'Pass',
    rows: [{ values: { code: 'a', holder: 0 } }, { values: { code: 'ab', holder: 1, sponsor: 1 } }],
    isEmptied: false,
  },
  { kind: 'openSession', session: 0, seconds: null },
  { kind: 'openSession', session: 1, seconds: null },
]

/** Lists of commands for one club, about 75 long. */
export const commandLists = fc
  .tuple(fc.constantFrom([], START, START, START), fc.array(command, { minLength: 1, maxLength: 140, size: 'max' }))
  .map(([start, commands]) => [...start, ...commands])

/** No ID given is another thing than an empty one, though both take the next number. */
function withoutNullID(values: Row): Row {
  if (values.ID !== null) return values
  const { ID: _, ...others } = values
  return others
}
