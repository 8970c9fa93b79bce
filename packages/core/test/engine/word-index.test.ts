import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'
import { CheckedDump } from '../../src/store/dump/read-dump.ts'
import { codeOrDone } from '../filter/refusal.ts'
import { patience, runs } from '../runs.ts'

const Author = defineDataClass('Author', {
  ID: attribute.long({ key: true, autoSequence: true }),
  about: attribute.string({ words: true }),
  docs: attribute.relatedEntities('Doc', 'author'),
})
/** The same text four times: folded and exact, with an index of its words and without. */
const Doc = defineDataClass('Doc', {
  ID: attribute.long({ key: true, autoSequence: true }),
  body: attribute.string({ words: true }),
  plain: attribute.string(),
  exact: attribute.string({ words: true, collation: 'exact' }),
  plainExact: attribute.string({ collation: 'exact' }),
  size: attribute.number({ indexed: true }),
  author: attribute.relatedEntity('Author'),
})
const storeOf = () => createDataStore({ name: 'words', dataClasses: [Author, Doc] })
type Library = ReturnType<typeof storeOf>
type Values = Parameters<Library['Doc']['insert']>[0]

class Stop extends Error {}

const isOfWord = (character: string): boolean => /^[\p{L}\p{N}]$/u.test(character)
const folded = (text: string): string => {
  const bare = (marked: string): string => marked.normalize('NFD').replace(/\p{M}/gu, '')
  return bare(bare(text).toLowerCase().toUpperCase().toLowerCase()).replaceAll('\u03c2', '\u03c3')
}

/** The runs of letters and digits of a text, each with the character behind it. */
function wordsIn(text: string): { word: string; next: string }[] {
  const found: { word: string; next: string }[] = []
  let word = ''
  for (const character of [...text, ' ']) {
    if (isOfWord(character)) {
      word += character
      continue
    }
    if (word !== '') found.push({ word, next: character })
    word = ''
  }
  return found
}

/** The definition of `%`. */
function holdsWords(asked: string, text: string, isExact: boolean): boolean {
  const fold = isExact ? (as: string) => as : folded
  const words = wordsIn(fold(text))
  const sought = wordsIn(fold(asked))
  const isFound = (one: { word: string; next: string }): boolean =>
    words.some(({ word }) =>
      one.next === '@' || one.next === '*' ? word.startsWith(one.word) : word === one.word,
    )
  return sought.length > 0 && sought.every(isFound)
}

/** Letters, digits, marks and signs of several scripts; few, so that words repeat. */
const pieces = [
  ...['a', 'A', 'b', 'ab', 'e\u0301', '\u00e9', '\u00c9', '\u00df', 'SS', '\u03c2', '\u03a3'],
  ...['1', '\u0661', '\u00bd', '\u4e2d', '\u{1d400}', '\ufb01', '\uff21', '\u0130', '\u{10400}'],
  ...[
    ' ',
    '  ',
    '-',
    '_',
    '\u0301',
    '.',
    '@',
    '*',
    '\n',
    '\u00a0',
    '\u{1f600}',
    '\u00b7',
    '\ue000',
  ],
]
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''))
const values = fc.record({ text: fc.option(text, { freq: 6 }), size: fc.nat(9) })
/** Quotes and escapes are passed as parameters. */
const asked = fc.oneof(
  text,
  fc
    .array(
      fc.constantFrom(
        'a',
        'ab',
        'A@',
        'b*',
        '\u00e9',
        'E\u0301@',
        '\u00df',
        '1',
        '\u4e2d@',
        '\ufb01',
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((words) => words.join(' ')),
)

const docOf = ({ text, size }: { text: string | null; size: number }): Values => ({
  body: text,
  plain: text,
  exact: text,
  plainExact: text,
  size,
})

type Act =
  | {
      readonly kind: 'insert' | 'load'
      readonly rows: readonly { text: string | null; size: number }[]
    }
  | {
      readonly kind: 'update'
      readonly at: number
      readonly row: { text: string | null; size: number }
    }
  | { readonly kind: 'remove' | 'rollback'; readonly at: number }
  | { readonly kind: 'mark' | 'restore' | 'index' | 'dump' }
const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom('insert' as const, 'load' as const),
      rows: fc.array(values, { minLength: 1, maxLength: 8 }),
    }),
    fc.record({ kind: fc.constant('update' as const), at: fc.nat(30), row: values }),
    fc.record({ kind: fc.constantFrom('remove' as const, 'rollback' as const), at: fc.nat(30) }),
    fc.record({
      kind: fc.constantFrom('mark' as const, 'restore' as const, 'index' as const, 'dump' as const),
    }),
  ),
  { minLength: 1, maxLength: 14 },
)

/** Performs acts; returns the store, which a dump may have replaced. */
function performed(all: readonly Act[]): Library {
  let store = storeOf()
  store.Author.insert({ about: 'a b' })
  let mark = store.snapshot()
  for (const act of all) {
    const keys = store.Doc.all().keys() as number[]
    const key = 'at' in act && keys.length > 0 ? keys[act.at % keys.length] : undefined
    switch (act.kind) {
      case 'insert':
        for (const row of act.rows) store.Doc.insert({ ...docOf(row), author: 1 })
        break
      case 'load':
        store.Doc.load(act.rows.map(docOf))
        break
      case 'update':
        if (key !== undefined) store.Doc.update(key, docOf(act.row))
        break
      case 'remove':
        if (key !== undefined) store.Doc.remove(key)
        break
      case 'rollback':
        expect(() =>
          store.transact((tx) => {
            tx.Doc.insert({ body: 'a rolled back b', exact: 'gone' })
            if (key !== undefined) tx.Doc.update(key, { body: 'other words a', exact: null })
            if (key !== undefined) tx.Doc.remove(key)
            expect(tx.Doc.query('body % rolled').count).toBe(1)
            throw new Stop()
          }),
        ).toThrow(Stop)
        break
      case 'mark':
        mark = store.snapshot()
        break
      case 'restore':
        store.restore(mark)
        break
      case 'index':
        store.Doc.createIndex('body')
        store.Doc.dropIndex('body')
        break
      case 'dump': {
        const bytes = store.dump()
        store = storeOf()
        persistenceOf(store).replace(new CheckedDump(bytes))
        mark = store.snapshot()
      }
    }
    store.verify()
  }
  return store
}

test(
  'after any writes, % selects the same with an index, without one, and by definition',
  patience,
  () => {
    fc.assert(
      fc.property(acts, fc.array(asked, { minLength: 1, maxLength: 6 }), (all, searches) => {
        const store = performed(all)
        const rows = store.Doc.all().toArray() as unknown as {
          ID: number
          body: string | null
          size: number
        }[]
        for (const words of searches) {
          const expected = (isExact: boolean) =>
            rows
              .filter(({ body }) => body !== null && holdsWords(words, body, isExact))
              .map(({ ID }) => ID)
          const keys = (filter: string) => store.Doc.query(filter, [words]).keys()
          expect(keys('body % :1')).toEqual(expected(false))
          expect(keys('plain % :1')).toEqual(expected(false))
          expect(keys('exact % :1')).toEqual(expected(true))
          expect(keys('plainExact % :1')).toEqual(expected(true))
          for (const filter of [
            'body % :1 and size > 4',
            'not (body % :1)',
            "body % :1 and body % 'a@'",
            'body % :1 and exact % :1',
            'body % :1 or size = 3',
            'body % :1 and body != null',
            "body % :1 and author.about % 'b'",
          ]) {
            const unindexed = filter
              .replaceAll('body', 'plain')
              .replaceAll('exact %', 'plainExact %')
            const found = keys(filter)
            expect([filter, found]).toEqual([filter, keys(unindexed)])
            const plans = store.Doc.plans(filter, [words])
            for (let plan = 0; plan < plans.length; plan++)
              expect(store.Doc.query(filter, [words], { plan }).keys()).toEqual(found)
          }
        }
      }),
      runs(400),
    )
  },
)

describe('with an index of words', () => {
  const filled = () => {
    const store = storeOf()
    store.Author.load([{ about: 'Writes about stars' }, { about: 'Writes about seas' }])
    store.Doc.load(
      Array.from({ length: 1000 }, (_, i) => ({
        body: `The ${i % 7 === 0 ? 'night' : 'day'} ${i} of the ${i % 2 === 0 ? 'Star' : 'stage'}`,
        size: i,
        author: 1 + (i % 2),
      })),
    )
    return store
  }

  test('the plan searches words, with an exact count, and intersects with other conditions', () => {
    const store = filled()
    expect(String(store.Doc.explain("body % 'night'"))).toContain(
      "wordSearch  Doc.body % 'night' [index Doc.body]  (143 rows",
    )
    expect(store.Doc.explain("body % 'sta@ night'").root).toMatchObject({
      operator: 'wordSearch',
      isExact: true,
      estimatedRows: 143,
    })
    expect(store.Doc.query("body % 'sta@ night' and size < 100").count).toBe(15)
    expect(
      store.Doc.explain("body % 'sta@ night' and size < 500").root.inputs.length,
    ).toBeGreaterThan(0)
    expect(String(store.Doc.explain("author.about % 'seas' and size < 9"))).toContain('Doc')
    expect(String(store.Author.explain("docs.body % '999'"))).toContain('wordSearch')
    expect(store.Author.query("docs.body % '999'").keys()).toEqual([2])
  })

  test('pages are those of the whole selection', () => {
    const store = filled()
    const found = store.Doc.query("body % 'night star'")
    const keys = found.keys()
    expect(keys.length).toBe(72)
    expect(store.Doc.query("body % 'night star'").slice(10, 15).keys()).toEqual(keys.slice(10, 15))
    expect(store.Doc.query("body % 'night star' order by size desc").slice(0, 3).keys()).toEqual(
      keys.slice(-3).reverse(),
    )
  })

  test('live queries and older selections follow the words', () => {
    const store = filled()
    const selection = store.Doc.query("body % 'night 14@'")
    const before = selection.keys()
    const entered: unknown[] = []
    const left: unknown[] = []
    store.Doc.query("body % 'nova'").live((delta) => {
      entered.push(...delta.entered.map(({ key }) => key))
      left.push(...delta.left)
    })
    store.Doc.update(3, { body: 'A Nova' })
    store.Doc.update(3, { body: 'none' })
    for (const key of before) store.Doc.update(key as number, { body: 'night 14' })
    store.Doc.insert({ body: 'night 1400' })
    expect(selection.keys()).toEqual(before)
    expect(entered.length).toBe(1)
    expect(left.length).toBe(1)
  })

  test('words of removed texts are forgotten', () => {
    const store = storeOf()
    const { key } = store.Doc.insert({ body: 'first' })
    for (let i = 0; i < 300; i++) {
      const words = Array.from(
        { length: 400 },
        (_, at) => `word${i}x${at}yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy`,
      )
      store.Doc.update(key, { body: words.join(' ') })
    }
    store.verify()
    expect(store.Doc.query("body % 'word299@'").count).toBe(1)
    expect(store.Doc.query("body % 'word298@'").count).toBe(0)
  })
})

test('words are for texts', () => {
  expect(
    codeOrDone(() =>
      defineDataClass('Doc', {
        ID: attribute.long({ key: true }),
        n: attribute.number({ words: true }),
      }),
    ),
  ).toBe('modelInvalid')
})

test('a prefix of letters beyond the basic plane, and of letters above the surrogates, is found', () => {
  const store = storeOf()
  const texts = ['𝐀𝐁 x', '𝐀', 'ﬀer', '豈x', '𐀀', 'a']
  for (const body of texts) store.Doc.insert(docOf({ text: body, size: 0 }))
  for (const text of texts) {
    const prefix = `${Array.from(text)[0]}@`
    const keys = store.Doc.query('plain % :1', [prefix]).keys()
    expect(keys.length).toBeGreaterThan(0)
    expect(store.Doc.query('body % :1', [prefix]).keys()).toEqual(keys)
  }
})
