import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  isEntiaError,
  type Reading,
  type ReadingLimits,
} from '../../src/index.ts'
import { INDEXABLE, indexSets, offices } from '../arbitraries.ts'
import { orders, queries } from '../filter-arbitraries.ts'
import { patience, runs } from '../runs.ts'
import { officeOf, outcome } from './office-store.ts'

const SIZE = 3000

/** Milliseconds that pass at each read of the clock. */
let pace = 1
let now = 5000
let looks = 0
/** A side effect of the computed attribute. */
let getterDoes: (tree: { readonly shelters: { readonly count: number } }) => void = () => {}

const labelOf = (ID: number): string =>
  `${((ID - 1) * 7919) % SIZE} of ${(ID - 1) % 7 === 0 ? 'Ä' : 'a'}`

/** Texts with wildcards, a few of which match. */
const patterns = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `@${i % 9 === 8 ? '' : 'x'}${i}7@`)
const ages = (last: number): number[] => [...Array.from({ length: 99 }, (_, i) => i), last]

function wood(reading: Partial<ReadingLimits> = {}, processor?: () => number) {
  const Tree = defineDataClass('Tree', {
    ID: attribute.long({ key: true }),
    height: attribute.number({ indexed: true }),
    age: attribute.long(),
    kind: attribute.string(),
    label: attribute.string(),
    notes: attribute.object<{ rings: number; text: string }>(),
    code: attribute.string({ unique: true }),
    name: attribute.computed('string', { get: (tree: { label: string | null }) => tree.label }),
    shelter: attribute.relatedEntity('Tree', { onDelete: 'null' }),
    shelters: attribute.relatedEntities('Tree', 'shelter'),
    metres: attribute.computed('number', {
      get: (tree: { height: number | null; readonly shelters: { readonly count: number } }) => {
        getterDoes(tree)
        return tree.height === null ? null : tree.height / 100
      },
    }),
  })
  const store = createDataStore({
    name: 'wood',
    dataClasses: [Tree],
    reading: {
      turnMilliseconds: 5,
      maxMilliseconds: 1_000_000,
      maxRowVisits: 10_000_000,
      ...reading,
    },
    clock: {
      now: () => 1_700_000_000_000,
      monotonic: () => {
        looks++
        now += pace
        return now
      },
      ...(processor && { processor }),
    },
  })
  store.Tree.load(
    Array.from({ length: SIZE }, (_, i) => ({
      ID: i + 1,
      height: (i * 7919) % 400,
      age: (i * 131) % 997,
      kind: ['oak', 'ash', 'Elm'][i % 3],
      label: labelOf(i + 1),
      notes: { rings: i % 11, text: labelOf(i + 1) },
      code: `code ${labelOf(i + 1)}`,
      shelter: i % 5 === 0 ? null : (i % 300) + 1,
    })),
  )
  return store
}

/**
 * Advances a sliced read to its end and returns the number of slices. `between` runs after each
 * slice but the last.
 */
function finish<R>(
  reading: Reading<R>,
  between: (turn: number) => void = () => {},
): { value: R; turns: number } {
  for (let turns = 1; ; turns++) {
    if (reading.advance()) return { value: reading.value, turns }
    between(turns)
  }
}

beforeEach(() => {
  pace = 1
  getterDoes = () => {}
})

describe('a sliced read', () => {
  const store = wood()
  const many = (part: (i: number) => string, joint: string): string =>
    Array.from({ length: 9 }, (_, i) => part(i)).join(joint)
  const reads: readonly (readonly [title: string, read: () => unknown])[] = [
    ['a scan', () => store.Tree.query("label = '@17@'").keys()],
    [
      'a scan, page by page of an index',
      () => store.Tree.query("label != '@17@'").orderBy('height desc').page(3, 40).keys(),
    ],
    [
      'alternatives',
      () =>
        store.Tree.query(many((i) => `label = '@${i}7@' or notes.rings = ${i + 3}`, ' or ')).keys(),
    ],
    ['a list of patterns', () => store.Tree.query('label in :1', [patterns(40)]).keys()],
    [
      'a list of patterns of unique texts, of computed ones and in objects',
      () => store.Tree.query('code in :1 or name in :1 or notes.text in :1', [patterns(40)]).keys(),
    ],
    [
      'unique texts by what they begin with, once more after a change',
      () => {
        const found = store.Tree.query('code in :1 or code = :2', [
          ['code 12@a', 'code 7@f@'],
          'code 3@3 of a',
        ]).keys()
        return [
          found,
          store.Tree.query('code != :1 and code begin :2', ['code 1@', 'code 2']).count,
        ]
      },
    ],
    [
      'a few records, and a list of patterns',
      () => store.Tree.query('ID < 30 and label in :1', [patterns(99)]).keys(),
    ],
    [
      'long lists that differ',
      () => [99, 100].map((last) => store.Tree.query('age in :1', [ages(last)]).count),
    ],
    [
      'words in two spellings',
      () => [store.Tree.all().distinct('kind'), store.Tree.all().distinct('label')],
    ],
    ['relations to one', () => store.Tree.query("shelter.label = '@17@' and age > 3").keys()],
    [
      'relations to many',
      () => store.Tree.query("not (shelters.label = '@17@') or shelters.age < 5").keys(),
    ],
    ['computed', () => store.Tree.query('metres > 2 and metres < 3').keys()],
    [
      'a filter within a selection',
      () => store.Tree.query('age < 800').orderBy('label').query("kind = 'elm'").keys(),
    ],
    ['an order of texts', () => store.Tree.all().orderBy('label').page(100, 2000).keys()],
    [
      'the first of an order of texts',
      () => store.Tree.all().orderBy('label desc, age').page(5, 20).keys(),
    ],
    [
      'an order of everything',
      () => store.Tree.all().orderBy('kind desc, shelter.label, notes.rings, metres, age').keys(),
    ],
    ['distinct texts', () => store.Tree.query('age < 900').distinct('label')],
    [
      'distinct values behind relations',
      () => store.Tree.query('age < 700').distinct('shelters.label'),
    ],
    ['distinct numbers', () => store.Tree.all().distinct('metres')],
    ['aggregates', () => [store.Tree.all().compute('label'), store.Tree.all().compute('metres')]],
    ['aggregates of distinct values', () => store.Tree.all().compute('metres', { distinct: true })],
    [
      'what the parts of a filter find',
      () => store.Tree.trace(many((i) => `label = '@${i}7@'`, ' or ')).root?.found,
    ],
    ['sets', () => store.Tree.query("label = '@1@'").and(store.Tree.query("label = '@2@'")).keys()],
  ]

  test.each(reads)('gives the result of an unsliced read: %s', (_, read) => {
    const { value, turns } = finish(store.reading(read))
    expect(value).toEqual(read())
    expect(turns).toBeGreaterThan(1)
  })

  test('may end a time slice in the middle of a list of patterns', () => {
    // Each text takes longer than a slice, so slices end within the patterns repeatedly.
    pace = 0.5
    const one = finish(
      store.reading(() => store.Tree.query('ID = 7 and code in :1', [patterns(9000)]).count),
    )
    expect(one.turns).toBeGreaterThan(2)
    const words = finish(
      store.reading(() => store.Tree.query('label in :1', [patterns(100)]).count),
    )
    // Far more reads of the clock than blocks of records.
    expect(words.turns).toBeGreaterThan(10)
  })

  test('that was abandoned in the middle of hidden records leaves no state', () => {
    const others = Array.from({ length: 500 }, (_, i) => `"@x${i}@"`).join(', ')
    const filter = `label in [${others}, "@1@", "@2@", "@3@"]`
    const view = store.view({ rows: { Tree: { filter, wildcards: true } } })
    const ask = (): unknown => [11, 12, 13, 14, 15].map((ID) => view.dataClass('Tree').get(ID)?.ID)
    pace = 100
    const reading = store.reading(ask)
    for (let turn = 0; turn < 3; turn++) reading.advance()
    expect(ask()).toEqual(
      [11, 12, 13, 14, 15].map((ID) => (/[123]/.test(labelOf(ID)) ? ID : undefined)),
    )
  })

  test('takes one time slice if the clock hardly moves', () => {
    pace = 0.001
    expect(finish(store.reading(() => store.Tree.query("label = '@17@'").count)).turns).toBe(1)
  })

  test('reads no clock outside of a sliced read', () => {
    const before = looks
    void store.Tree.query("label = '@17@'").orderBy('label').keys()
    expect(looks).toBe(before)
  })

  test('runs its last step once', () => {
    let done = 0
    const reading = store.reading(() => {
      const { count } = store.Tree.query("label = '@17@'")
      done++
      return count
    })
    expect(finish(reading).turns).toBeGreaterThan(1)
    expect(done).toBe(1)
    expect(reading.advance()).toBe(true)
    expect(done).toBe(1)
  })

  test('has no value before its end, and is refused in a transaction', () => {
    expect(() => store.reading(() => 1).value).toThrow(/has come to its end/)
    expect(() => store.transact(() => store.reading(() => 1))).toThrow(/reading/)
  })

  test('throws the error of its body, whenever it occurs', () => {
    const reading = store.reading(() => {
      void store.Tree.query("label = '@17@'").count
      throw new RangeError('mine')
    })
    expect(() => finish(reading)).toThrow(RangeError)
  })

  test('is not disturbed by application code that catches every error', () => {
    getterDoes = ({ shelters }) => {
      try {
        void shelters.count
        void store.Tree.query("label = '@3@'").count
      } catch {}
    }
    pace = 0.2
    const read = (): unknown => store.Tree.query('ID < 90').compute('metres')
    const { value } = finish(store.reading(read))
    getterDoes = () => {}
    expect(value).toEqual(read())
  })
})

describe('a write between two time slices', () => {
  test('is in the result, which shows the state of the last time slice', () => {
    const store = wood()
    const read = (): unknown =>
      store.Tree.query("label = '@17@' and shelter.age > 20").orderBy('label').keys()
    let written = 0
    const { value } = finish(store.reading(read), (turn) => {
      if (turn > 4) return
      written++
      store.Tree.remove(turn * 17)
      store.Tree.update(SIZE - turn, { label: `17 ${turn}`, shelter: 1 })
    })
    expect(written).toBe(4)
    expect(value).toEqual(read())
  })
})

describe('a budget', () => {
  const refusal = (
    reading: Partial<ReadingLimits>,
    read: (store: ReturnType<typeof wood>) => unknown,
    processor?: () => number,
  ): unknown => {
    const store = wood(reading, processor)
    try {
      return finish(store.reading(() => read(store)))
    } catch (error) {
      if (isEntiaError(error, 'budgetExceeded')) return error.details
      throw error
    }
  }

  const many = { maxRowVisits: 4 * SIZE }
  test.each<readonly [title: string, read: (store: ReturnType<typeof wood>) => unknown]>([
    ['by key', ({ Tree }) => Tree.query('ID = 7 and label in :1', [patterns(500)]).count],
    [
      'within a selection',
      ({ Tree }) => Tree.query('ID = 7').query('label in :1', [patterns(500)]).count,
    ],
    [
      'behind a relation',
      ({ Tree }) => Tree.query('ID = 7 and shelter.label in :1', [patterns(500)]).count,
    ],
    ['by an index', ({ Tree }) => Tree.query('height = 7 and label in :1', [patterns(500)]).count],
    [
      'in an order that an index has',
      ({ Tree }) =>
        Tree.query("label in ['@a', '@b', '@c']").orderBy('height').page(0, 9).keys().length,
    ],
  ])('of texts that are compared is of those of the records that are looked at: %s', (_, read) => {
    pace = 0.001
    expect(refusal(many, read)).toMatchObject({ turns: 1 })
  })

  test('of records counts a text once for each pattern that it is compared with', () => {
    pace = 0.001
    const one = ({ Tree }: ReturnType<typeof wood>): unknown => Tree.query("label = '@17@'").count
    expect(refusal({ maxRowVisits: 2 * SIZE - 1 }, one)).toMatchObject({
      option: 'reading.maxRowVisits',
    })
    expect(refusal({ maxRowVisits: 2 * SIZE }, one)).toMatchObject({ turns: 1 })
    const ten = ({ Tree }: ReturnType<typeof wood>): unknown =>
      Tree.query('label in :1', [Array.from({ length: 10 }, (_, i) => `@z${i}@`)]).count
    expect(refusal({ maxRowVisits: 11 * SIZE - 1 }, ten)).toMatchObject({
      option: 'reading.maxRowVisits',
    })
    expect(refusal({ maxRowVisits: 11 * SIZE }, ten)).toMatchObject({ turns: 1 })
  })

  test('of milliseconds covers all time slices together', () => {
    const { option, limit } = refusal({ maxMilliseconds: 40 }, ({ Tree }) =>
      Tree.all().orderBy('label').keys(),
    ) as {
      option: string
      limit: number
    }
    expect([option, limit]).toEqual(['reading.maxMilliseconds', 40])
  })

  test('of milliseconds does not include the time of other processes', () => {
    const sorted = ({ Tree }: ReturnType<typeof wood>): unknown =>
      Tree.all().orderBy('label').keys()
    const ends = (maxMilliseconds: number, processor?: () => number): boolean =>
      Object.hasOwn(refusal({ maxMilliseconds }, sorted, processor) as object, 'turns')
    /** The smallest limit within which the read ends. */
    const least = (processor?: () => number): number => {
      let [refused, high] = [0, 1 << 14]
      while (high - refused > 1) {
        const middle = (refused + high) >> 1
        if (ends(middle, processor)) high = middle
        else refused = middle
      }
      return high
    }
    const alone = least()
    expect(alone).toBeGreaterThan(100)
    expect(least(() => now / 10)).toBeLessThan(alone / 8)
    // Several threads take more processor time than the clock shows.
    expect(least(() => now * 10)).toBe(alone)
  })

  test('of milliseconds does not include the time between slices', () => {
    const store = wood({ maxMilliseconds: 3000 })
    const reading = store.reading(() => store.Tree.query("label = '@17@'").count)
    const { turns } = finish(reading, () => {
      now += 10_000
    })
    expect(turns).toBeGreaterThan(1)
  })

  test('of records counts each read of a record', () => {
    pace = 0.001
    const scan = ({ Tree }: ReturnType<typeof wood>): unknown => Tree.query('age > 17').count
    expect(refusal({ maxRowVisits: SIZE - 1 }, scan)).toMatchObject({
      option: 'reading.maxRowVisits',
      limit: SIZE - 1,
    })
    expect(refusal({ maxRowVisits: SIZE }, scan)).toMatchObject({ turns: 1 })
    const both = (store: ReturnType<typeof wood>): unknown => [
      scan(store),
      store.Tree.query('age > 18').count,
    ]
    expect(refusal({ maxRowVisits: 2 * SIZE - 1 }, both)).toMatchObject({
      option: 'reading.maxRowVisits',
    })
    expect(refusal({ maxRowVisits: 2 * SIZE }, both)).toMatchObject({ turns: 1 })
  })
})

test('every sliced read gives the result of the unsliced one', patience, () => {
  fc.assert(
    fc.property(
      offices({ maxEmployees: 9 }),
      indexSets,
      queries('Employee'),
      orders('Employee'),
      (data, indexes, query, order) => {
        // Its clock ticks at every read.
        const store = officeOf(data, indexes.length > 0 ? indexes : INDEXABLE)
        const read = (): unknown =>
          store.Employee.query(query.text, query.params).orderBy(order).keys()
        const inTurns = outcome(() => finish(store.reading(read)).value)
        expect(inTurns).toEqual(outcome(read))
      },
    ),
    runs(150),
  )
})
