import fc from 'fast-check'
import {
  type Insert,
  type Load,
  NOWHERE,
  type Query,
  type Remove,
  type Stamp,
  type Step,
  type Update,
  type Write,
} from './command.ts'
import { ODD, ODD_KEYS, ODD_NAMES } from './odd-values.ts'
import type { ClassName, Input, Row, Value } from './plain-model.ts'
import type { Filter, Order, Test } from './plain-reads.ts'

// Writes and queries of a club: few keys and few values, so that they collide. Half of the batches
// contain something that is refused.

const TEXTS = ['', 'a', 'A', '\u00e9', 'e\u0301', "O'Neil", 'ab', 'B'] as const
const NUMBERS = [0, 1, 2.5, 10] as const
const text = fc.constantFrom<Value>(...TEXTS, null)
const number = fc.constantFrom<Value>(...NUMBERS, null)
const id = fc.option(fc.integer({ min: 1, max: 8 }), { freq: 2 })
export const at = fc.oneof(
  { weight: 12, arbitrary: fc.nat(11) },
  { weight: 1, arbitrary: fc.constant(NOWHERE) },
)
const link = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 9, arbitrary: fc.nat(11) },
  { weight: 1, arbitrary: fc.constant(NOWHERE) },
)
export const stamp = fc.constantFrom<Stamp>('none', 'none', 'right', 'right', 'stale')
export const className = fc.constantFrom<ClassName>(
  'Team',
  'Team',
  'Player',
  'Player',
  'Player',
  'Pass',
  'Pass',
  'Oddity',
)

const VALUES = {
  Team: { name: text, motto: text, lead: link },
  Player: { name: text, nick: text, score: number, teamID: link, captain: link },
  Pass: { colour: fc.constantFrom('red', 'Red', 'blue'), holder: link, sponsor: link },
  Oddity: Object.fromEntries(
    ODD_NAMES.map((name) => [
      name,
      fc.constantFrom<Value>(null, ...ODD[name].given.map((_, place) => `${place}`)),
    ]),
  ),
}
/** Sometimes the last numbers of the sequence: the next ones are refused. */
const oddID = fc.oneof(
  { weight: 6, arbitrary: id },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_KEYS) },
)
const KEYS = {
  Team: { ID: id },
  Player: { ID: id },
  Pass: { code: fc.constantFrom(...TEXTS) },
  Oddity: { ID: oddID },
}
const rows: { readonly [K in ClassName]: fc.Arbitrary<Row> } = {
  Team: fc.record({ ...KEYS.Team, ...VALUES.Team }, { requiredKeys: [] }),
  Player: fc.record({ ...KEYS.Player, ...VALUES.Player }, { requiredKeys: [] }),
  Pass: fc.record({ ...KEYS.Pass, ...VALUES.Pass }, { requiredKeys: ['code'] }),
  Oddity: fc.record<Row>({ ...KEYS.Oddity, ...VALUES.Oddity }, { requiredKeys: [] }),
}
const patches: { readonly [K in ClassName]: fc.Arbitrary<Row> } = {
  Team: fc.record(VALUES.Team, { requiredKeys: [] }),
  Player: fc.record(VALUES.Player, { requiredKeys: [] }),
  Pass: fc.record(VALUES.Pass, { requiredKeys: [] }),
  Oddity: fc.record<Row>(VALUES.Oddity, { requiredKeys: [] }),
}
const wrong = fc.constantFrom<Input['wrong']>(...new Array(12).fill(null), 'type', 'name')

export const insert = className.chain((name) =>
  fc.tuple(rows[name], wrong).map(
    ([values, wrong]): Insert => ({
      do: 'insert',
      className: name,
      values: withoutNullID(values),
      wrong,
    }),
  ),
)
export const updateOf = (name: ClassName) =>
  fc.record<Update>({
    do: fc.constant('update'),
    className: fc.constant(name),
    at,
    values: patches[name],
    wrong,
    stamp,
    isEdit: fc.constantFrom(false, false, true),
  })
export const update = className.chain(updateOf)
const remove = fc.record<Remove>({ do: fc.constant('remove'), className, at, stamp })
export const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 6, arbitrary: insert },
  { weight: 6, arbitrary: update },
  { weight: 3, arbitrary: remove },
)
/** Values that every write refuses, one for each cause. */
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
      .tuple(
        fc.constantFrom('=', '!=', '<', '<=', '>', '>=', 'begin', 'end'),
        fc.constantFrom(...TEXTS),
      )
      .map(([op, value]) => ({ path, op, value })),
    fc.constantFrom<Test>({ path, op: '=', value: null }, { path, op: '!=', value: null }),
    fc
      .subarray([...TEXTS], { minLength: 1, maxLength: 3 })
      .map((value): Test => ({ path, op: 'in', value })),
  )
const numbers = (path: string): fc.Arbitrary<Test> =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom('=', '!=', '<', '<=', '>', '>='), fc.constantFrom(...NUMBERS))
      .map(([op, value]) => ({ path, op, value })),
    fc.constantFrom<Test>({ path, op: '=', value: null }, { path, op: '!=', value: null }),
    fc
      .subarray([...NUMBERS], { minLength: 1, maxLength: 3 })
      .map((value): Test => ({ path, op: 'in', value })),
  )
const isNull = (path: string): fc.Arbitrary<Test> =>
  fc.constantFrom<Test>({ path, op: '=', value: null }, { path, op: '!=', value: null })
const odds = (path: string): fc.Arbitrary<Test> => {
  const places = ODD[path].given.map((_, place) => `${place}`)
  if (!ODD[path].isComparable) return isNull(path)
  return fc.oneof(
    fc
      .tuple(fc.constantFrom('=', '!=', '<', '<=', '>', '>='), fc.constantFrom(...places))
      .map(([op, value]): Test => ({ path, op, value })),
    isNull(path),
    fc
      .subarray(places, { minLength: 1, maxLength: Math.min(3, places.length) })
      .map((value): Test => ({ path, op: 'in', value })),
  )
}
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
  Oddity: fc.oneof(numbers('ID'), ...ODD_NAMES.map(odds)),
}
/** Queries that follow a relation to an entity that may be missing. */
const OF_NOBODY: { readonly [K in ClassName]: readonly Test[] } = {
  Team: [{ path: 'lead.name', op: '=', value: null }],
  Player: [
    { path: 'team.name', op: '=', value: null },
    { path: 'captain.score', op: '=', value: null },
  ],
  Pass: [
    { path: 'holder.nick', op: '=', value: null },
    { path: 'sponsor.motto', op: '=', value: null },
  ],
  Oddity: [{ path: 'key', op: '=', value: null }],
}
const filterOf = (name: ClassName): fc.Arbitrary<Filter> => {
  const test = fc
    .oneof(
      { weight: 4, arbitrary: tests[name] },
      { weight: 1, arbitrary: fc.constantFrom(...OF_NOBODY[name]) },
    )
    .map((test): Filter => ({ kind: 'test', test }))
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
const NAMES = {
  Team: ['name', 'motto', 'ID'],
  Player: ['name', 'nick', 'score', 'teamID'],
  Pass: ['code', 'colour'],
  Oddity: ['ID', 'key', 'then', 'first'],
}
export const orderOf = (name: ClassName): fc.Arbitrary<readonly Order[]> =>
  fc.array(fc.record({ name: fc.constantFrom(...NAMES[name]), isDown: fc.boolean() }), {
    maxLength: 2,
  })
const queryOf = (name: ClassName) =>
  fc.record<Query>({
    className: fc.constant(name),
    filter: fc.option(filterOf(name), { freq: 5 }),
    order: orderOf(name),
  })
export const queries = {
  Team: queryOf('Team'),
  Player: queryOf('Player'),
  Pass: queryOf('Pass'),
  Oddity: queryOf('Oddity'),
}
export const query = className.chain((name) => queries[name])

export const load = className.chain((name) =>
  fc.record<Load>({
    className: fc.constant(name),
    rows: fc.array(
      fc.record<Input>({
        values: rows[name],
        wrong: fc.constantFrom(null, null, null, null, 'type'),
      }),
      {
        maxLength: 4,
      },
    ),
    isEmptied: fc.boolean(),
  }),
)
/** Writes that stage nothing, or are applied at once. */
const otherStep = fc.oneof(
  { weight: 2, arbitrary: load.map((load): Step => ({ do: 'load', ...load })) },
  { weight: 1, arbitrary: className.map((className): Step => ({ do: 'updateNone', className })) },
  {
    weight: 1,
    arbitrary: update.map(
      (update): Step => ({ ...update, values: {}, wrong: null, stamp: 'none' }),
    ),
  },
)

export const steps = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.array(write, { maxLength: 4 }) },
      { weight: 1, arbitrary: fc.array(write, { minLength: 1, maxLength: 20, size: 'max' }) },
    ),
    fc.option(query.map((query): Step => ({ do: 'look', query }))),
    fc.option(refusedStep, { freq: 2 }),
    fc.array(otherStep, { maxLength: 2 }),
    fc.nat(20),
  )
  .map(([writes, look, refused, others, place]): Step[] => {
    const all: Step[] = [...writes]
    for (const [i, other] of others.entries())
      all.splice((place * (i + 3)) % (all.length + 1), 0, other)
    if (look !== null) all.splice(place % (all.length + 1), 0, look)
    if (refused !== null) all.splice((place * 7) % (all.length + 1), 0, refused)
    return all.slice(0, 20)
  })

/** A missing ID differs from an empty one, although both take the next number. */
function withoutNullID(values: Row): Row {
  if (values.ID !== null) return values
  const { ID: _, ...others } = values
  return others
}
