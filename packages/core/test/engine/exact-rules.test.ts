// Rules about who sees what compare texts as they are spelled.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, type RowFilter } from '../../src/index.ts'
import { runs } from '../runs.ts'

const classes = (indexed: boolean) => {
  const Owner = defineDataClass('Owner', {
    ID: attribute.long({ key: true }),
    name: attribute.string({ indexed }),
  })
  const Paper = defineDataClass('Paper', {
    ID: attribute.long({ key: true, autoSequence: true }),
    owner: attribute.string({ indexed }),
    unique: attribute.string({ unique: true }),
    exact: attribute.string({ indexed, collation: 'exact' }),
    notes: attribute.object(),
    person: attribute.relatedEntity('Owner'),
    label: attribute.computed('string', { get: (paper: { owner: string | null }) => paper.owner }),
  })
  return [Owner, Paper] as const
}

/** Texts that other comparisons take for one another, or for a pattern of one another. */
const TEXTS = ['ann@example.com', 'ann.lee@example.com', 'Ann', 'ann', 'änn', 'ANN', '@', '*', '']
const texts = fc.oneof(
  fc.constantFrom(...TEXTS, 'a@', '*n', 'a*n', '\\', 'ann\\', "'", '"', 'ann ', 'a:1', '%', '_'),
  fc.string({
    unit: fc.constantFrom('a', 'A', 'ä', '@', '*', '\\', 'n', "'", '\u0301'),
    maxLength: 4,
  }),
)

interface Row {
  readonly owner: string | null
}
/** Rules in every form of equality, with what they select. */
const RULES: readonly [
  filter: string,
  selects: (row: Row, given: string) => boolean,
  parameters?: (given: string) => readonly unknown[],
][] = [
  ['$ = :1', ({ owner }, given) => owner === given],
  ['$ == :1', ({ owner }, given) => owner === given],
  ['$ === :1', ({ owner }, given) => owner === given],
  ['$ like :1', ({ owner }, given) => owner === given],
  [
    '$ in :1',
    ({ owner }, given) => owner === given || owner === 'Ann',
    (given) => [[given, 'Ann']],
  ],
  ['$ in [:1]', ({ owner }, given) => owner === given],
  ['$ != :1', ({ owner }, given) => owner !== null && owner !== given],
  ['$ !== :1', ({ owner }, given) => owner !== null && owner !== given],
  ['$ # :1', ({ owner }, given) => owner !== null && owner !== given],
  ['not ($ = :1)', ({ owner }, given) => owner !== given],
  ['$ = :1 and ID > 0', ({ owner }, given) => owner === given],
  ['$ = :1 or $ = null', ({ owner }, given) => owner === given || owner === null],
]
const PATHS = ['owner', 'exact', 'notes.owner', 'person.name', 'label']

const rowsOf = (owners: readonly (string | null)[]) =>
  owners.map((owner, at) => ({
    ID: at + 1,
    owner,
    exact: owner,
    notes: owner === null ? {} : { owner, list: [owner] },
    person: at + 1,
  }))

const stores = {
  'with indexes': () => createDataStore({ name: 'x', dataClasses: classes(true) }),
  'without indexes': () => createDataStore({ name: 'x', dataClasses: classes(false) }),
}

describe.each(Object.entries(stores))('a row filter in a store %s', (_, open) => {
  test('selects what === selects in JavaScript, over every path and with every operator', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(texts), { maxLength: 12 }),
        texts,
        fc.constantFrom(...PATHS),
        fc.constantFrom(...RULES),
        (owners, given, path, [text, selects, parameters = (value: string) => [value]]) => {
          const store = open()
          store.Owner.load(owners.map((name, at) => ({ ID: at + 1, name })))
          store.Paper.load(rowsOf(owners))
          const rule = { filter: text.replaceAll('$', path), parameters: parameters(given) }
          const { Paper } = tables(store, rule)
          const expected = owners.flatMap((owner, at) =>
            selects({ owner }, given) ? [at + 1] : [],
          )
          expect(Paper.all().keys()).toEqual(expected)
          expect(owners.map((_, at) => Paper.get(at + 1)?.ID ?? null)).toEqual(
            owners.map((_, at) => (expected.includes(at + 1) ? at + 1 : null)),
          )
          // With a filter of the reader, in whose text wildcards stay wildcards.
          expect(Paper.query('owner = "@"').keys()).toEqual(
            expected.filter((ID) => owners[ID - 1] !== null),
          )
        },
      ),
      runs(300),
    )
  })
})

function tables(store: ReturnType<(typeof stores)['with indexes']>, rule: RowFilter) {
  const view = store.view({ rows: { Paper: rule } })
  return { Paper: view.dataClass('Paper') }
}

const store = createDataStore({ name: 'x', dataClasses: classes(true) })
store.Owner.load(TEXTS.map((name, at) => ({ ID: at + 1, name })))
store.Paper.load(rowsOf(TEXTS))
const seenBy = (rule: RowFilter) =>
  tables(store, rule)
    .Paper.all()
    .toArray()
    .map(({ owner }) => owner)

test('a literal in the text of a rule is compared exactly as well', () => {
  expect(seenBy("owner = '@'")).toEqual(['@'])
  expect(seenBy("owner = 'ann@example.com'")).toEqual(['ann@example.com'])
  expect(seenBy('owner = Ann')).toEqual(['Ann'])
  expect(seenBy("owner in ['*', 'änn']")).toEqual(['änn', '*'])
})

test('a rule says that it has wildcards, and that it folds', () => {
  expect(seenBy({ filter: "owner = 'ann@'", wildcards: true })).toEqual([
    'ann@example.com',
    'ann.lee@example.com',
    'ann',
  ])
  expect(seenBy({ filter: 'owner = ann', collation: 'folded' })).toEqual([
    'Ann',
    'ann',
    'änn',
    'ANN',
  ])
  expect(seenBy({ filter: "owner = 'A@'", wildcards: true })).toEqual(['Ann', 'ANN'])
  expect(seenBy({ filter: "owner = 'A@'", wildcards: true, collation: 'folded' })).toHaveLength(6)
  expect(seenBy({ filter: "owner = '@'", collation: 'folded' })).toEqual(['@'])
})

test('an escaped pattern in a rule is a text, unless the rule has wildcards', () => {
  expect(seenBy("owner esclike 'ann@'")).toEqual([])
  expect(seenBy("owner esclike 'Ann'")).toEqual(['Ann'])
  expect(seenBy({ filter: 'owner esclike :1', parameters: ['\\@'] })).toEqual(['@'])
  expect(seenBy({ filter: "owner esclike 'A@'", wildcards: true })).toEqual(['Ann', 'ANN'])
})

test('words of a rule have no prefixes', () => {
  expect(seenBy("owner % 'exam@'")).toEqual([])
  expect(seenBy("owner % 'example'")).toEqual(['ann@example.com', 'ann.lee@example.com'])
  expect(seenBy({ filter: "owner % 'exam@'", wildcards: true })).toHaveLength(2)
})

test('unknown and wrong options of a rule are refused', () => {
  for (const wrong of [
    { filter: 'ID > 1', wildcard: true },
    { filter: 'ID > 1', wildcards: 'yes' },
    { filter: 'ID > 1', collation: 'nocase' },
  ])
    expect(() => seenBy(wrong as never)).toThrow(
      expect.objectContaining({ code: 'argumentInvalid' }),
    )
})

test('two readers whose rules differ in their treatment of texts do not share a result', () => {
  const exact = { filter: 'owner = :1', parameters: ['ann'] }
  for (let again = 0; again < 3; again++) {
    expect(seenBy(exact)).toEqual(['ann'])
    expect(seenBy({ ...exact, collation: 'folded' })).toHaveLength(4)
    expect(store.Paper.query('owner = :1', ['ann']).count).toBe(4)
  }
})

/** Numbers and booleans are written as such; a filter takes them as text too. */
const STORED = (value: unknown): unknown =>
  typeof value === 'string' && /^(-?[0-9.]+|false)$/.test(value) ? JSON.parse(value) : value

/** Every type that is not text, with two values in the forms that a rule can give. */
const OTHER_TYPES: readonly (readonly [type: string, values: readonly unknown[]])[] = [
  ['date', ['2020-01-01T00:00:00.000Z', '2021-05-06T07:08:09.010Z', new Date(0)]],
  ['dateOnly', ['2020-01-01', '2021-05-06']],
  ['duration', ['00:30:00', 5]],
  ['long', [1, '2']],
  ['long64', [1, '9007199254740991']],
  ['number', [1.5, '-0.25']],
  ['bool', [true, 'false']],
  ['uuid', ['00112233-4455-6677-8899-aabbccddeeff', 'FF000000000000000000000000000000']],
]

describe.each([true, false])('rules about other types, indexed: %s', (indexed) => {
  const Thing = defineDataClass('Thing', {
    ID: attribute.long({ key: true, autoSequence: true }),
    date: attribute.date({ indexed }),
    dateOnly: attribute.date({ indexed, dateOnly: true }),
    duration: attribute.duration({ indexed }),
    long: attribute.long({ indexed }),
    long64: attribute.long64({ indexed }),
    number: attribute.number({ indexed }),
    bool: attribute.bool(),
    uuid: attribute.uuid({ indexed }),
  })
  const things = createDataStore({ name: 'things', dataClasses: [Thing] })
  things.Thing.insert({})
  for (const at of [0, 1])
    things.Thing.insert(Object.fromEntries(OTHER_TYPES.map(([type, of]) => [type, STORED(of[at])])))

  test.each(OTHER_TYPES)(
    '%s: every operator selects what it selects in a query',
    (type, values) => {
      const filters: readonly (readonly [string, readonly unknown[]])[] = [
        ...['=', '===', '!=', '!=='].flatMap((sign) =>
          values.map((value) => [`${type} ${sign} :1`, [value]] as const),
        ),
        [`${type} in :1`, [values]],
        [`${type} isin :1`, [[values[0]]]],
        [`${type} in [:1, :2]`, values.slice(0, 2)],
        [`not(${type} in :1)`, [[values[1]]]],
        [`${type} = :1 or ${type} = :2`, values.slice(0, 2)],
      ]
      for (const [filter, parameters] of filters) {
        const expected = things.Thing.query(filter, parameters).keys()
        const view = things.view({ rows: { Thing: { filter, parameters } } })
        expect(view.dataClass('Thing').all().keys(), filter).toEqual(expected)
      }
      expect(things.Thing.query(`${type} in :1`, [values]).count).toBe(2)
    },
  )
})
