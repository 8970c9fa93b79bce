import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import type { AnyDataStore } from '../../src/model/store-types.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'
import { createDataStore, openDump } from '../../src/store/create-store.ts'
import { joined } from '../../src/store/dump/line-writer.ts'
import { CheckedDump } from '../../src/store/dump/read-dump.ts'
import { patience, runs } from '../runs.ts'
import { linesOfDump, sealedDump } from '../sealed-dump.ts'
import { codeOf } from './firm-store.ts'

const values = {
  flag: attribute.bool({ indexed: true }),
  small: attribute.long({ indexed: true }),
  large: attribute.long64({ indexed: true }),
  number: attribute.number({ indexed: true }),
  word: attribute.string({ indexed: true }),
  code: attribute.string({ collation: 'exact', unique: true }),
  mark: attribute.uuid({ autoSequence: true }),
  moment: attribute.date({ indexed: true }),
  day: attribute.date({ dateOnly: true, indexed: true }),
  lasts: attribute.duration(),
  notes: attribute.object(),
  photo: attribute.image(),
  bytes: attribute.blob(),
}
const dataClasses = [
  defineDataClass('Long', { ID: attribute.long({ key: true, autoSequence: true }), ...values }),
  defineDataClass('Large', {
    ID: attribute.long64({ key: true, autoSequence: true }),
    count: attribute.long64({ autoSequence: true }),
    ...values,
  }),
  defineDataClass('Plain', { ID: attribute.number({ key: true }), ...values }),
  defineDataClass('Text', { ID: attribute.string({ key: true }), ...values }),
  defineDataClass('Uuid', { ID: attribute.uuid({ key: true, autoSequence: true }), ...values }),
]
const NAMES = dataClasses.map(({ name }) => name)

const MAX = Number.MAX_SAFE_INTEGER
const deep = JSON.parse(`${'{"a":'.repeat(63)}{}${'}'.repeat(63)}`) as unknown
const NUMBERS = [
  0,
  -0,
  1,
  2 ** 31 - 2,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31,
  MAX - 1,
  MAX,
  -MAX,
  2 ** 53,
  0.1,
]
const FRACTIONS = [
  ...NUMBERS,
  5e-324,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  Number.NaN,
  Number.POSITIVE_INFINITY,
]
const TEXTS = [
  '',
  ' ',
  '\0',
  '\n',
  '\u2028',
  '\ufeff',
  '"\\',
  '\ud800',
  '\udc00\ud800',
  '\u{10ffff}',
  'é',
  'e\u0301',
]
const TIMES = [
  0,
  -0,
  1,
  8.64e15,
  -8.64e15,
  8.64e15 - 1,
  8.64e15 + 1,
  0.5,
  '0000-01-01',
  '+275760-09-13',
  '-271821-04-20',
]
/** Values to write; some of them are refused. */
const OFFERED: { readonly [name: string]: readonly unknown[] } = {
  flag: [true, false],
  small: NUMBERS,
  large: NUMBERS,
  count: NUMBERS,
  number: FRACTIONS,
  word: TEXTS,
  code: TEXTS,
  mark: ['00000000-0000-0000-0000-000000000000', 'ffffffffffffffffffffffffffffffff', ''],
  moment: TIMES,
  day: TIMES,
  lasts: [...FRACTIONS, '00:00:00', '-9999999:59:59.999'],
  notes: [
    {},
    [],
    { '': '' },
    { a: -0, b: [5e-324, Number.MAX_VALUE] },
    { '\u2028': '\0' },
    { a: '\ud800' },
    deep,
  ],
  photo: [
    new Uint8Array(0),
    { mediaType: 'a/b', bytes: new Uint8Array([0, 255]) },
    { mediaType: '', bytes: [] },
  ],
  bytes: [
    new Uint8Array(0),
    new Uint8Array(20_000).fill(200),
    { mediaType: 'x/y', bytes: new Uint8Array(0) },
  ],
}
const KEYS: { readonly [name: string]: readonly unknown[] } = {
  Long: NUMBERS,
  Large: NUMBERS,
  Plain: FRACTIONS,
  Text: TEXTS,
  Uuid: OFFERED.mark!,
}

type Values = { readonly [name: string]: unknown }
/** Only a few values: with many, nearly every write would be refused. */
const valuesOf = (name: string): fc.Arbitrary<Values> =>
  fc
    .subarray(
      Object.keys(OFFERED).filter((each) => each !== 'count' || name === 'Large'),
      { maxLength: 2 },
    )
    .chain((names) =>
      fc.record(
        Object.fromEntries(names.map((each) => [each, fc.constantFrom(null, ...OFFERED[each]!)])),
      ),
    )
interface Step {
  readonly name: string
  readonly kind: 'insert' | 'update' | 'remove' | 'load'
  readonly key: unknown
  readonly values: Values
  readonly time: number
}
const steps: fc.Arbitrary<Step> = fc.constantFrom(...NAMES).chain((name) =>
  fc.record({
    name: fc.constant(name),
    kind: fc.constantFrom('insert', 'insert', 'update', 'remove', 'load'),
    key: fc.constantFrom(undefined, ...KEYS[name]!),
    values: valuesOf(name),
    time: fc.constantFrom(0, -0, 8.64e15, -8.64e15, 8.64e15 + 1, -0.5, Number.NaN, 1e12),
  }),
)

const clock = { time: 0, now: () => clock.time, monotonic: () => 1 }

function perform(store: AnyDataStore, { name, kind, key, values: given, time }: Step): void {
  clock.time = time
  const table = store.dataClass(name)
  const whole = { ID: key, ...given }
  if (kind === 'insert') table.insert(whole)
  else if (kind === 'update') table.update((key ?? table.all().first()?.ID) as number, given)
  else if (kind === 'remove') table.remove(key as number)
  else table.load([whole, { ...given, code: null }])
}

/** Null, or the code of the refusal. Other errors are passed on. */
function outcomeOf(run: () => void): string | null {
  try {
    run()
    return null
  } catch (error) {
    if (!isEntiaError(error)) throw error
    return error.code
  }
}

const makeStore = (): AnyDataStore => createDataStore({ name: 'extremes', dataClasses, clock })
const opened = (dump: Uint8Array, commits: readonly Uint8Array[]): AnyDataStore => {
  const store = makeStore()
  persistenceOf(store).replace(new CheckedDump(dump), commits)
  return store
}

test(
  'a dump and a journal hold everything that a store holds, and reopened stores continue like it',
  () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 12 }), fc.nat(12), (all, firstKept) => {
        const store = makeStore()
        let base = store.dump()
        const commits: Uint8Array[] = []
        for (const [at, step] of all.entries()) {
          if (at === firstKept) {
            base = store.dump()
            persistenceOf(store).reportCommitsTo((_, commit) => void commits.push(joined(commit)))
          }
          outcomeOf(() =>
            at % 3 === 2 ? store.transact(() => perform(store, step)) : perform(store, step),
          )
        }
        if (all.length <= firstKept) base = store.dump()
        store.verify()
        const dump = store.dump()
        const copies = [opened(dump, []), opened(base, commits)]
        for (const copy of copies) {
          copy.verify()
          expect(copy.dump()).toEqual(dump)
        }
        for (const name of NAMES) {
          const [first, ...others] = [store, ...copies].map((each) =>
            outcomeOf(() => void each.dataClass(name).insert({ code: null })),
          )
          expect(others).toEqual([first, first])
        }
        for (const copy of copies)
          expect(copy.dataClass('Large').count).toBe(store.dataClass('Large').count)
      }),
      runs(80),
    )
  },
  patience.timeout,
)

describe('a given number that would end the sequence', () => {
  const cases = [
    ['long', attribute.long({ key: true, autoSequence: true }), 2 ** 31 - 1],
    ['long64', attribute.long64({ key: true, autoSequence: true }), MAX],
    ['long up to 9.5', attribute.long({ key: true, autoSequence: true, max: 9.5 }), 9],
  ] as const
  test.each(cases)(
    'is refused by every write, and the number before it is accepted: %s',
    (_, ID, last) => {
      const Thing = defineDataClass('Thing', { ID, name: attribute.string() })
      const store = createDataStore({ name: 'things', dataClasses: [Thing] })
      const refused = (write: () => unknown): void => expect(codeOf(write)).toBe('sequenceWouldEnd')
      refused(() => store.Thing.insert({ ID: last }))
      refused(() => store.transact(() => store.Thing.insert({ ID: last })))
      expect(codeOf(() => store.Thing.load([{}, { ID: last }]))).toBe('loadRefused')
      expect(store.Thing.insert({}).key).toBe(1)
      store.Thing.insert({ ID: last - 1 })
      expect(openDump(store.dump(), { dataClasses: [Thing] }).Thing.insert({}).key).toBe(last)
      expect(store.Thing.insert({}).key).toBe(last)
      expect(codeOf(() => store.Thing.insert({}))).toBe('sequenceExhausted')
      store.verify()
      const again = openDump(store.dump(), { dataClasses: [Thing] })
      expect(again.dump()).toEqual(store.dump())
      expect(codeOf(() => again.Thing.insert({}))).toBe('sequenceExhausted')
      expect(again.Thing.insert({ ID: 5 }).key).toBe(5)
    },
  )

  test('is refused for every attribute of the sequence, also by updates', () => {
    const Ticket = defineDataClass('Ticket', {
      ID: attribute.long({ key: true, autoSequence: true }),
      number: attribute.long64({ autoSequence: true, unique: true }),
    })
    const store = createDataStore({ name: 'tickets', dataClasses: [Ticket] })
    store.Ticket.insert({})
    const refused = (write: () => unknown): void => expect(codeOf(write)).toBe('sequenceWouldEnd')
    for (const number of [2 ** 31 - 1, 2 ** 40]) {
      refused(() => store.Ticket.insert({ number }))
      refused(() => store.Ticket.update(1, { number }))
      refused(() => store.transact(() => store.Ticket.update(1, { number })))
      refused(() => store.Ticket.updateAll([{ key: 1, patch: { number } }]))
    }
    store.Ticket.update(1, { number: 50 })
    store.transact(() => store.Ticket.update(1, { number: 60 }))
    expect(store.Ticket.insert({})).toMatchObject({ ID: 61, number: 62 })
    const dump = store.dump()
    expect(openDump(dump, { dataClasses: [Ticket] }).dump()).toEqual(dump)
  })
})

describe('a store from an earlier version', () => {
  const Thing = defineDataClass('Thing', {
    ID: attribute.long64({ key: true }),
    name: attribute.string(),
  })
  const Counted = defineDataClass('Thing', {
    ID: attribute.long64({ key: true, autoSequence: true }),
    name: attribute.string(),
  })

  test('with a dump from before `autoSequence` was set continues behind the highest key', () => {
    const store = createDataStore({ name: 'things', dataClasses: [Thing] })
    store.Thing.load([{ ID: 7 }, { ID: -3 }])
    const counted = openDump(store.dump(), { dataClasses: [Counted] })
    expect(counted.Thing.insert({}).key).toBe(8)
    counted.verify()
  })

  test('with a journal from before `autoSequence` was set continues behind the highest key', () => {
    const store = createDataStore({ name: 'things', dataClasses: [Thing] })
    const base = store.dump()
    const commits: Uint8Array[] = []
    persistenceOf(store).reportCommitsTo((_, commit) => void commits.push(joined(commit)))
    store.Thing.insert({ ID: 7 })
    store.Thing.insert({ ID: 9 })
    const counted = createDataStore({ name: 'things', dataClasses: [Counted] })
    persistenceOf(counted).replace(new CheckedDump(base), commits)
    counted.verify()
    expect(counted.Thing.insert({}).key).toBe(10)
  })

  test('with a dump whose sequence has ended opens, and accepts other keys', () => {
    const store = createDataStore({ name: 'things', dataClasses: [Counted] })
    store.Thing.insert({ ID: MAX - 1 })
    store.Thing.insert({})
    const [head, thing, ...rest] = linesOfDump(store.dump())
    expect(thing).toContain(`"sequence":${2 ** 53}`)
    const again = openDump(sealedDump([head!, thing!, ...rest]), { dataClasses: [Counted] })
    expect(codeOf(() => again.Thing.insert({}))).toBe('sequenceExhausted')
    again.Thing.insert({ ID: 1 })
    expect(openDump(again.dump(), { dataClasses: [Counted] }).dump()).toEqual(again.dump())
  })

  test('with the highest stamps opens: the stamp of an entity restarts, and the highest global stamp refuses commits', () => {
    const store = createDataStore({ name: 'things', dataClasses: [Thing] })
    store.Thing.insert({ ID: 1 })
    const lines = linesOfDump(store.dump())
    lines[0] = lines[0]!.replace('"globalStamp":1', `"globalStamp":${MAX - 1}`)
    lines[2] = lines[2]!.replace('[0,1,', `[0,${2 ** 31 - 1},`)
    const again = openDump(sealedDump(lines), { dataClasses: [Thing] })
    expect(again.Thing.update(1, { name: 'x' }).stamp).toBe(1)
    const dump = again.dump()
    expect(codeOf(() => again.Thing.update(1, { name: 'y' }))).toBe('budgetExceeded')
    expect(codeOf(() => again.transact(() => again.Thing.insert({ ID: 2 })))).toBe('budgetExceeded')
    expect(again.dump()).toEqual(dump)
    expect(openDump(dump, { dataClasses: [Thing] }).globalStamp).toBe(MAX)
    again.verify()
  })
})

test('ids of the host that are not UUIDs are refused before they are stored', () => {
  const Thing = defineDataClass('Thing', { ID: attribute.uuid({ key: true }) })
  for (const wrong of ['', 'x', 7, null, crypto.randomUUID().slice(1)]) {
    let given: unknown = crypto.randomUUID()
    const ids = { uuid: () => given as string, token: () => 't' }
    const store = createDataStore({ name: 'things', dataClasses: [Thing], ids })
    given = wrong
    expect(codeOf(() => store.Thing.insert({}))).toBe('argumentInvalid')
    expect(codeOf(() => store.Thing.load([{}]))).toBe('argumentInvalid')
    expect(store.Thing.count).toBe(0)
  }
})
