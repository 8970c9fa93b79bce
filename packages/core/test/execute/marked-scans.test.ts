import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { patience, runs } from '../runs.ts'

/** Around a word of 32 bits, around 1024 records, and several blocks of a sliced read. */
const SIZES = [0, 1, 31, 32, 33, 1023, 1024, 1025, 2049, 5000]
/** More distinct words than codes of 16 bits. */
const WIDE = 66_000

interface Shape {
  readonly size: number
  /** True if codes of words have 32 bits, and most records are removed. */
  readonly isWide: boolean
}
const SHAPES: readonly Shape[] = [
  ...SIZES.map((size) => ({ size, isWide: false })),
  { size: 1025, isWide: true },
]

interface Line {
  readonly ID: number
  readonly int: number | null
  readonly real: number | null
  readonly flag: boolean | null
  readonly day: string | null
  readonly kind: string | null
  readonly word: string | null
  readonly text: string | null
}

const mixed = (ID: number, by: number, seed: number): number =>
  ((Math.imul(ID + 1, 2654435761 + by * 40503) ^ Math.imul(seed + by, 97)) >>> 7) % 1000

const dayOf = (at: number): string => new Date(Date.UTC(2000, 0, 1 + at)).toISOString().slice(0, 10)

function lineOf(ID: number, seed: number): Line {
  const at = (by: number): number => mixed(ID, by, seed)
  const orNull = <T>(by: number, value: T): T | null => (at(by + 50) < 150 ? null : value)
  return {
    ID,
    int: orNull(1, at(1) % 100),
    real: orNull(2, (at(2) % 100) / 4),
    flag: orNull(3, at(3) % 2 === 0),
    day: orNull(4, dayOf(at(4) % 50)),
    kind: orNull(5, ['oak', 'Ash', 'ELM', 'fir'][at(5) % 4]),
    word: orNull(6, `w${at(6) % 300}`),
    text: orNull(7, `t${at(7) % 100}`),
  }
}

/** A condition as text, and what it means for one record. */
interface Condition {
  readonly text: string
  readonly holds: (line: Line) => boolean
}

const OPERATORS: { readonly [operator: string]: (a: never, b: never) => boolean } = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

function comparison<T>(
  name: keyof Line | 'near' | 'twice',
  values: fc.Arbitrary<T>,
  valueIn: (line: Line) => T | null,
  write: (value: T) => string = String,
): fc.Arbitrary<Condition> {
  const compared = fc
    .tuple(fc.constantFrom(...Object.keys(OPERATORS)), values)
    .map(([operator, value]): Condition => {
      const isPassing = OPERATORS[operator] as (a: T, b: T) => boolean
      return {
        text: `${name} ${operator} ${write(value)}`,
        holds: (line) => {
          const found = valueIn(line)
          return found !== null && isPassing(found, value)
        },
      }
    })
  const isNull = fc.constantFrom(true, false).map(
    (wanted): Condition => ({
      text: `${name} ${wanted ? '=' : '!='} null`,
      holds: (line) => (valueIn(line) === null) === wanted,
    }),
  )
  return fc.oneof({ weight: 5, arbitrary: compared }, { weight: 1, arbitrary: isNull })
}

const lower = (text: string | null): string | null => text?.toLowerCase() ?? null
const plain = fc.oneof(
  comparison('int', fc.integer({ min: -1, max: 101 }), ({ int }) => int),
  comparison(
    'real',
    fc.integer({ min: -1, max: 101 }).map((n) => n / 4),
    ({ real }) => real,
  ),
  fc.constantFrom(true, false).map(
    (wanted): Condition => ({
      text: `flag = ${wanted}`,
      holds: ({ flag }) => flag === wanted,
    }),
  ),
  comparison(
    'day',
    fc.integer({ min: -1, max: 51 }).map(dayOf),
    ({ day }) => day,
    (day) => `'${day}'`,
  ),
  comparison('kind', fc.constantFrom('oak', 'ash', 'elm', 'fir', 'yew'), ({ kind }) => lower(kind)),
  comparison(
    'word',
    fc.nat(310).map((n) => `w${n}`),
    ({ word }) => word,
  ),
  comparison(
    'text',
    fc.nat(110).map((n) => `t${n}`),
    ({ text }) => text,
  ),
)
const twiceOf = ({ int }: { readonly int: number | null }): number => (int ?? -1) * 2
const nearOf = ({ int }: { readonly int: number | null }): number =>
  int === null ? 0 : 100 - (int % 100)
const computed = fc.oneof(
  comparison('twice', fc.integer({ min: -3, max: 202 }), twiceOf),
  comparison('near', fc.integer({ min: -2, max: 101 }), nearOf),
)

const joined = (parts: readonly Condition[], isAnd: boolean): Condition => ({
  text: `(${parts.map(({ text }) => text).join(isAnd ? ' and ' : ' or ')})`,
  holds: (line) =>
    isAnd ? parts.every(({ holds }) => holds(line)) : parts.some(({ holds }) => holds(line)),
})
const negated = ({ text, holds }: Condition): Condition => ({
  text: `not(${text})`,
  holds: (line) => !holds(line),
})
const conditions = fc.letrec<{ any: Condition }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    { weight: 4, arbitrary: plain },
    { weight: 1, arbitrary: computed },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.array(tie('any'), { minLength: 2, maxLength: 4 }), fc.boolean())
        .map(([parts, isAnd]) => joined(parts, isAnd)),
    },
    { weight: 2, arbitrary: tie('any').map(negated) },
  ),
})).any

function linesStore({ size, isWide }: Shape, isIndexed: boolean) {
  let now = 0
  let pace = 0
  const Other = defineDataClass('Other', { ID: attribute.long({ key: true }), n: attribute.long() })
  const Line = defineDataClass('Line', {
    ID: attribute.long({ key: true }),
    int: attribute.long({ indexed: isIndexed }),
    real: attribute.number(),
    flag: attribute.bool(),
    day: attribute.date({ dateOnly: true }),
    kind: attribute.string({ indexed: isIndexed }),
    word: attribute.string(),
    text: attribute.string({ collation: 'exact' }),
    near: attribute.computed('long', {
      get: (line: { readonly int: number | null }): number => {
        try {
          const { int } = line
          return int === null ? 0 : store.Other.query('n >= :1 and n < 100', [int % 100]).count
        } catch {
          // It catches the end of a time slice too.
          return -2
        }
      },
    }),
    twice: attribute.computed('long', { get: twiceOf }),
  })
  const store = createDataStore({
    name: 'lines',
    dataClasses: [Line, Other],
    reading: { turnMilliseconds: 3, maxMilliseconds: 1e15, maxRowVisits: 1e15 },
    clock: { now: () => 1_700_000_000_000, monotonic: () => (now += pace) },
  })
  store.Other.load(Array.from({ length: 100 }, (_, ID) => ({ ID, n: ID })))
  if (isWide) {
    store.Line.load(
      Array.from({ length: WIDE }, (_, ID) => ({ ID, word: `x${ID}`, text: `y${ID}` })),
    )
    store.transact(() => {
      for (let ID = 0; ID < WIDE; ID++) store.Line.remove(ID)
    })
  }
  const lines = new Map<number, Line>()
  for (let ID = 0; ID < size; ID++) lines.set(ID, lineOf(ID, size))
  store.Line.load([...lines.values()])
  for (let ID = 3; ID < size; ID += 7)
    if (mixed(ID, 9, size) < 600) {
      store.Line.remove(ID)
      lines.delete(ID)
    }
  return {
    store,
    lines,
    first: store.globalStamp,
    /** The answer of a sliced read; the clock advances by `tick` at each look. */
    finish<R>(read: () => R, tick: number): R {
      pace = tick
      try {
        const reading = store.reading(read as () => never)
        while (!reading.advance());
        return reading.value
      } finally {
        pace = 0
      }
    },
  }
}

const built = new Map<string, ReturnType<typeof linesStore>>()
function storeOf(shape: Shape, isIndexed: boolean) {
  const name = JSON.stringify([shape, isIndexed])
  const found = built.get(name) ?? linesStore(shape, isIndexed)
  built.set(name, found)
  return found
}

const sorted = (keys: Iterable<unknown>): unknown[] =>
  [...keys].sort((a, b) => Number(a) - Number(b))

test(
  'a scan finds what a test of each record finds: at once, sliced, staged and in the past',
  patience,
  () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SHAPES),
        fc.boolean(),
        fc.constantFrom(0.001, 0.02, 0.3, 4),
        conditions,
        fc.nat(5000),
        (shape, isIndexed, tick, { text, holds }, at) => {
          const { store, lines, first, finish } = storeOf(shape, isIndexed)
          const expectedOf = (): unknown[] =>
            sorted([...lines.values()].filter(holds).map(({ ID }) => ID))
          const keysIn = ({ Line }: Pick<typeof store, 'Line'>) => sorted(Line.query(text).keys())
          const expected = expectedOf()
          const stamp = store.globalStamp
          expect(keysIn(store)).toEqual(expected)
          expect(store.Line.query(text).count).toBe(expected.length)
          const skip = at % 40
          const page = store.Line.query(text).page(skip, 10).keys()
          expect(page).toEqual(
            store.Line.query(text)
              .keys()
              .slice(skip, skip + 10),
          )
          for (let plan = 0; plan < store.Line.plans(text).length; plan++)
            expect(sorted(store.Line.query(text, [], { plan }).keys())).toEqual(expected)
          expect(finish(() => keysIn(store), tick)).toEqual(expected)
          const twoMoments = () => [
            keysIn(store),
            stamp > first &&
              sorted(
                store
                  .at(stamp - 1)
                  .Line.query(text)
                  .keys(),
              ),
            keysIn(store),
          ]
          expect(finish(twoMoments, tick)).toEqual(twoMoments())
          const ID = at % Math.max(1, shape.size)
          store.transact(() => {
            const line = lineOf(ID, at)
            if (!lines.has(ID)) store.Line.insert(line)
            else if (at % 3 === 0) store.Line.remove(ID)
            else store.Line.update(ID, line)
            if (lines.has(ID) && at % 3 === 0) lines.delete(ID)
            else lines.set(ID, line)
            expect(keysIn(store)).toEqual(expectedOf())
          })
          expect(keysIn(store)).toEqual(expectedOf())
          const past = (): unknown[] => sorted(store.at(stamp).Line.query(text).keys())
          expect(past()).toEqual(expected)
          expect(finish(past, tick)).toEqual(expected)
        },
      ),
      {
        ...runs(100),
        // Candidates of an index, of which a time slice tests some.
        examples: ([0.02, 0.3, 4] as const).map(
          (tick): [Shape, boolean, typeof tick, Condition, number] => [
            { size: 5000, isWide: false },
            true,
            tick,
            {
              text: 'kind = oak and near >= -2',
              holds: ({ kind }: Line) => kind === 'oak',
            },
            1,
          ],
        ),
      },
    )
  },
)

/** Conditions of every kind that hold for dead trees only. */
const DEAD = [
  'kind = "dead"',
  'kind = "de@"',
  'kind in ["dead", "yew"]',
  'not kind != "dead"',
  'code begin "dead"',
  'height = null',
  'isDead',
  'facts.dead = true',
  'wood.name = "old"',
  'wood.name = "old" and isDead',
]
/** Conditions with a getter, which hold for other trees of at least a height. */
const TALL = [
  'perYear > 0.2',
  'not perYear <= 0.2',
  'perYear > 0.2 and height > 0',
  'height > 0 and perYear > 0.2',
  'not (perYear <= 0.2 or height = 0)',
  'not (not perYear > 0.2)',
]
test.each([10, 1100, 5000])(
  'a getter does not run for a record that another part of an or has found, of %i',
  (size) => {
    let calls = 0
    const Wood = defineDataClass('Wood', {
      ID: attribute.long({ key: true }),
      name: attribute.string(),
    })
    const Tree = defineDataClass('Tree', {
      ID: attribute.long({ key: true }),
      kind: attribute.string(),
      code: attribute.string({ unique: true }),
      height: attribute.number(),
      isDead: attribute.bool(),
      facts: attribute.object(),
      wood: attribute.relatedEntity('Wood'),
      perYear: attribute.computed('number', {
        get: (tree: { height: number | null }) => {
          calls++
          if (tree.height === null) throw new Error('a dead tree does not grow')
          return tree.height / 10
        },
      }),
    })
    const store = createDataStore({ name: 'wood', dataClasses: [Tree, Wood] })
    store.Wood.load([
      { ID: 1, name: 'old' },
      { ID: 2, name: 'new' },
    ])
    const kinds = ['oak', 'dead', 'fir', 'ash', 'elm']
    store.Tree.load(
      Array.from({ length: size }, (_, ID) => {
        const isDead = ID % 5 === 1
        const height = isDead ? null : ID % 5
        const code = `${kinds[ID % 5]} ${ID}`
        const wood = isDead ? 1 : 2
        return { ID, kind: kinds[ID % 5], code, height, isDead, facts: { dead: isDead }, wood }
      }),
    )
    for (const dead of DEAD)
      for (const tall of TALL)
        for (const filter of [
          `${dead} or ${tall}`,
          `${tall} or ${dead}`,
          `not (not (${tall}) and not (${dead}))`,
        ]) {
          calls = 0
          expect([filter, store.Tree.query(filter).count]).toEqual([filter, (size / 5) * 3])
          expect(calls).toBeLessThanOrEqual((size / 5) * 4)
        }
  },
)
