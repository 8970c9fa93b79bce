// What a client stores for a value is what asyncOf stores, or both refuse the value.
import { expect, test } from 'vitest'
import { createLeague } from '../../core/test/async/league.ts'
import { ways } from './ways.ts'

const circle: { inner?: object } = {}
circle.inner = { circle }
const VALUES: readonly unknown[] = [
  circle,
  null,
  undefined,
  '',
  'x',
  ' 3 ',
  '3',
  '1e3',
  '0x1F',
  'true',
  '\ud800',
  '2021-05-05',
  '2021-05-05T01:00:00+02:00',
  '01:00:00',
  0,
  -0,
  1,
  1.5,
  2 ** 53,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NaN,
  5n,
  true,
  false,
  Symbol('x'),
  () => 1,
  new Date(0),
  new Date(Number.NaN),
  new Date('+010000-01-01T00:00:00Z'),
  Uint8Array.of(1),
  new Map([['a', 1]]),
  new Set([1]),
  /x/,
  Object(5),
  Promise.resolve(5),
  [],
  {},
  ['x', null],
  [undefined],
  // biome-ignore lint/suspicious/noSparseArray: a hole is such a value
  [, 1],
  [new Date(0)],
  [Number.NaN],
  [-0],
  [[[]]],
  ['\ud800'],
  { a: undefined },
  { a: new Date(0) },
  { a: [{ b: new Date(0) }] },
  { a: Number.NaN },
  { a: 1n },
  { a: new Map() },
  { a: Uint8Array.of(1) },
  { a: () => 1 },
  { a: { toJSON: () => 1 } },
  { toJSON: () => ({}) },
  { toJSON: 1 },
  { __proto__: null, a: 1 },
  JSON.parse('{"__proto__":1}'),
  { constructor: 1 },
  { __KEY: 1 },
  { __ENTITIES: [] },
  { __deferred: { uri: 'x' } },
  { __STATUS: { success: false } },
  { key: 1 },
  { key: 1, stamp: 1 },
  { key: null },
  { key: '1' },
  { uri: 'x' },
  { '': 1 },
  { ID: 1 },
  new (class {
    a = 1
  })(),
  Object.create({ inherited: 1 }),
]
const ATTRIBUTES = [
  'name',
  'goals',
  'isFit',
  'joined',
  'notes',
  'origin',
  'team',
  'mentor',
  'label',
]

/** Whether a save is refused, and the entity after it. */
async function resultOf(save: () => Promise<unknown>, read: () => unknown): Promise<unknown> {
  try {
    const outcome = await save()
    const { kind } = (Array.isArray(outcome) ? outcome[0] : outcome) as { kind?: string }
    return [kind ?? 'saved', read()]
  } catch (error) {
    if (!(error instanceof Error) || /^Cannot /.test(error.message)) throw error
    return ['refused', read()]
  }
}

test.each(ATTRIBUTES)('of %s', async (name) => {
  const sides = ways.map((way) => {
    const { store } = createLeague()
    return { store, db: way(store)(), start: store.snapshot() }
  })
  for (const [at, value] of VALUES.entries()) {
    const values = { [name]: value } as never
    const first = { name: 'New', [name]: value } as never
    const found: string[] = []
    for (const { store, db, start } of sides) {
      const stored = (key: number) => () => store.Player.get(key) ?? null
      const left = [
        await resultOf(() => db.Player.update(2, values), stored(2)),
        await resultOf(() => db.Player.saveAll([{ key: 3, ...(values as object) }]), stored(3)),
        await resultOf(() => db.Player.insert(first), stored(9)),
      ]
      found.push(`value ${at}: ${JSON.stringify(left)}`)
      store.restore(start)
    }
    expect(found[1]).toBe(found[0])
  }
})
