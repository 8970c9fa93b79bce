import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WordFlags } from '../../src/execute/column-loops.ts'
import { compileTest } from '../../src/execute/test-value.ts'
import { TimeSlices } from '../../src/execute/time-slices.ts'
import type { Test } from '../../src/filter/predicate.ts'
import { bitsOf } from '../../src/storage/bitset.ts'
import type { WordColumn } from '../../src/storage/column.ts'
import { Dictionary } from '../../src/storage/dictionary.ts'
import { textKey } from '../../src/value/compare.ts'
import { parseKeywords, parseWildcard, type Wildcard } from '../../src/value/pattern-list.ts'
import { runs } from '../runs.ts'

const LIMITS = { turnMilliseconds: 3, maxMilliseconds: 1_000_000, maxRowVisits: 1_000_000 }

/**
 * Words, and a record for each element of `codes`, with the counts that a column would maintain.
 */
function columnOf(words: readonly string[], codes: Uint16Array, isOrdered: boolean): WordColumn {
  const dictionary = new Dictionary('folded')
  for (const word of words) dictionary.admit(word)
  for (const code of codes) dictionary.counts[code]++
  if (isOrdered) dictionary.order()
  const attribute = { type: 'string', collation: 'folded' }
  return { dictionary, codes, attribute } as unknown as WordColumn
}

const key = (text: string): string => textKey(text, 'folded')
const pattern = (text: string): Wildcard => parseWildcard(text, 'folded') as Wildcard

const texts = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', 'ä', ' '),
  minLength: 1,
  maxLength: 4,
})
const patterns = texts
  .chain((text) => fc.constantFrom(`@${text}@`, `${text}@`, `@${text}`, `${text}@a`))
  .map(pattern)
const tests: fc.Arbitrary<Test> = fc.oneof(
  fc.record({
    op: fc.constantFrom('equal', 'notEqual', 'less', 'lessEqual', 'greater', 'greaterEqual'),
    value: texts.map(key),
    spelling: fc.constant(''),
  }),
  fc.record({
    op: fc.constantFrom('like', 'notLike'),
    wildcard: patterns,
    spelling: fc.constant(''),
  }),
  fc.record({
    op: fc.constant('keyword'),
    words: texts.map((text) => parseKeywords(text)),
    spelling: fc.constant(''),
  }),
  fc.record({
    op: fc.constant('in'),
    values: fc.array(texts.map(key), { maxLength: 3 }),
    wildcards: fc.oneof(fc.constant([]), fc.array(patterns, { maxLength: 40 })),
    spelling: fc.constant([]),
  }),
  fc.constant({ op: 'isNotNull' }),
) as fc.Arbitrary<Test>

const columns = fc.uniqueArray(texts, { minLength: 1, maxLength: 12 }).chain((words) =>
  fc.record({
    words: fc.constant(words),
    codes: fc
      .array(fc.nat(words.length), { maxLength: 40 })
      .map((codes) => Uint16Array.from(codes)),
    isOrdered: fc.boolean(),
  }),
)

/** The records of a range, or some of them for tests one by one. */
interface Question {
  readonly kind: 'mark' | 'narrow' | 'has'
  readonly from: number
  readonly to: number
}
const questions: fc.Arbitrary<readonly Question[]> = fc.array(
  fc.record({ kind: fc.constantFrom('mark', 'narrow', 'has'), from: fc.nat(40), to: fc.nat(40) }),
  { minLength: 1, maxLength: 5 },
)

function answer(words: WordFlags, codes: Uint16Array, { kind, from, to }: Question): number[] {
  const end = Math.min(to, codes.length)
  const slots = Int32Array.from({ length: Math.max(0, end - from) }, (_, i) => from + i)
  if (kind === 'has') return [...slots].filter((slot) => words.has(codes[slot]))
  if (kind === 'narrow') return [...slots.subarray(0, words.narrow(codes, slots, slots.length))]
  const marks = new Int32Array(2)
  words.mark(codes, from, end, marks)
  return bitsOf(marks, 0, 40).map((place) => from + place)
}

function expected(column: WordColumn, compared: Test, { from, to }: Question): number[] {
  const { onValue } = compileTest(compared)
  const { keys, spellings } = column.dictionary
  return [...column.codes.keys()].filter((slot) => {
    const code = column.codes[slot]
    return slot >= from && slot < to && code !== 0 && onValue(keys[code], spellings[code])
  })
}

describe('the words that satisfy a test', () => {
  test('are the same for every order of calls and number of records', () => {
    fc.assert(
      fc.property(columns, tests, questions, ({ words, codes, isOrdered }, compared, asked) => {
        const column = columnOf(words, codes, isOrdered)
        const flags = new WordFlags(column, compared, null)
        for (const question of asked) {
          expect(answer(flags, codes, question)).toEqual(expected(column, compared, question))
        }
      }),
      runs(1500),
    )
  })

  test('are the same if time slices end on the way', () => {
    let cut = 0
    fc.assert(
      fc.property(columns, tests, questions, ({ words, codes, isOrdered }, compared, asked) => {
        // Long words, so that the clock is read between any two of them.
        const column = columnOf(
          words.map((word) => word + 'x'.repeat(20_000)),
          codes,
          isOrdered,
        )
        let now = 1000
        const turns = new TimeSlices({ monotonic: () => ++now }, LIMITS)
        const read = (): number[][] => {
          const flags = turns.once(['words'], () => new WordFlags(column, compared, turns))
          return asked.map((question) => answer(flags, codes, question))
        }
        let found = turns.run(read)
        for (let left = 2000; found === undefined && left > 0; left--) {
          cut++
          found = turns.run(read)
        }
        expect(found?.value).toEqual(asked.map((question) => expected(column, compared, question)))
      }),
      runs(120, 120),
    )
    expect(cut).toBeGreaterThan(0)
  })
})

describe('a word', () => {
  const like: Test = { op: 'like', wildcard: pattern('@7@'), spelling: '@7@' }
  const words = Array.from({ length: 1000 }, (_, i) => `word ${i}`)
  const codes = Uint16Array.from({ length: 3000 }, (_, slot) => 1 + (slot % 1000))
  const column = columnOf(words, codes, false)

  /** The words that were tested. */
  function visits(ask: (flags: WordFlags) => void): number {
    let spent = 0
    const turns = {
      spend: (visits: number) => {
        spent += visits
      },
    } as unknown as TimeSlices
    ask(new WordFlags(column, like, turns))
    return spent
  }

  test('is tested once, if a tested record has it', () => {
    const few = Int32Array.of(1, 7, 1007, 2007, 17)
    expect(visits((flags) => void flags.narrow(codes, few.slice(), few.length))).toBe(3)
    expect(visits((flags) => void flags.mark(codes, 10, 20, new Int32Array(1)))).toBe(10)
    expect(visits((flags) => void [flags.has(5), flags.has(5), flags.has(6)])).toBe(2)
  })

  test('is tested once for many records, whatever was tested before', () => {
    const out = new Int32Array(94)
    expect(visits((flags) => void flags.mark(codes, 0, 3000, out))).toBe(1000)
    const after = (flags: WordFlags): void => {
      flags.has(5)
      flags.mark(codes, 0, 3000, out)
      flags.has(6)
      flags.narrow(codes, Int32Array.of(7), 1)
    }
    expect(visits(after)).toBe(1000)
  })
})
