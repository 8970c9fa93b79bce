import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { refusalOf } from '../filter/refusal.ts'
import { patience, runs } from '../runs.ts'

const Doc = defineDataClass('Doc', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ words: true }),
  body: attribute.string({ words: true }),
  plain: attribute.string(),
  size: attribute.long(),
})
const Score = defineDataClass('Score', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string({ words: true }),
  relevance: attribute.long(),
})
const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
})
const storeOf = () => createDataStore({ name: 'relevance', dataClasses: [Doc, Score, Note] })

const words = fc.array(fc.constantFrom('a', 'b', 'ab', 'abc', 'c', 'd'), { maxLength: 12 })
const rows = fc.array(fc.record({ title: fc.option(words), body: fc.option(words, { freq: 5 }) }), {
  minLength: 1,
  maxLength: 20,
})

/** BM25 by its definition. */
function bm25(
  texts: readonly (readonly string[] | null)[],
  at: number,
  isHit: (word: string) => boolean,
) {
  const count = (text: readonly string[] | null): number => (text ?? []).filter(isHit).length
  const found = texts.filter((text) => count(text) > 0).length
  const total = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  const idf = Math.log(1 + (texts.length - found + 0.5) / (found + 0.5))
  const times = count(texts[at])
  if (times === 0) return 0
  const length = (texts[at]?.length ?? 0) / (total / texts.length)
  return (idf * times * 2.2) / (times + 1.2 * (0.25 + 0.75 * length))
}

test('relevance is BM25 over the dataclass, and ties are in the order of keys', patience, () => {
  fc.assert(
    fc.property(rows, fc.nat(19), fc.nat(19), (all, changed, removed) => {
      const store = storeOf()
      store.Doc.load(
        all.map(({ title, body }) => ({
          title: title?.join(' ') ?? null,
          body: body?.join('-') ?? null,
        })),
      )
      const docs = all.map((row, i) => ({ ...row, ID: i + 1 }))
      const one = docs[changed % docs.length]
      if (one !== undefined) {
        one.body = ['a', 'b', 'a']
        store.Doc.update(one.ID, { body: 'a B a' })
      }
      if (docs.length > 1) {
        const [gone] = docs.splice(removed % docs.length, 1)
        if (gone !== undefined) store.Doc.remove(gone.ID)
      }
      const titles = docs.map(({ title }) => title)
      const bodies = docs.map(({ body }) => body)
      const ranked = (scoreAt: (at: number) => number, isFound: (at: number) => boolean) =>
        docs
          .map(({ ID }, at) => ({ ID, score: scoreAt(at), isFound: isFound(at) }))
          .filter((doc) => doc.isFound)
          .sort((a, b) => b.score - a.score || a.ID - b.ID)
      const agree = (
        found: readonly (string | number)[],
        expected: readonly { ID: number; score: number }[],
      ): void => {
        expect([...found].sort()).toEqual(expected.map(({ ID }) => ID).sort())
        // Sums of numbers in another order differ in their last digit.
        const scoreOf = new Map(expected.map(({ ID, score }) => [ID, score]))
        for (const [at, { score }] of expected.entries())
          expect(scoreOf.get(found[at] as number)).toBeCloseTo(score, 9)
      }
      const isA = (word: string): boolean => word === 'a'
      const startsWithAb = (word: string): boolean => word.startsWith('ab')
      agree(
        store.Doc.query("body % 'a' order by relevance desc").keys(),
        ranked(
          (at) => bm25(bodies, at, isA),
          (at) => bodies[at]?.some(isA) === true,
        ),
      )
      agree(
        store.Doc.query("body % 'a ab@' or title % 'A'").orderBy('relevance desc').keys(),
        ranked(
          (at) => bm25(bodies, at, isA) + bm25(bodies, at, startsWithAb) + bm25(titles, at, isA),
          (at) =>
            (bodies[at]?.some(isA) === true && bodies[at]?.some(startsWithAb) === true) ||
            titles[at]?.some(isA) === true,
        ),
      )
    }),
    runs(300),
  )
})

const filled = () => {
  const store = storeOf()
  store.Doc.load([
    { body: 'one rare word', size: 1 },
    { body: 'rare rare', size: 2 },
    { body: 'word', size: 3 },
    { body: 'word', size: 3 },
  ])
  return store
}

test('pages, further terms and later changes', () => {
  const store = filled()
  const found = store.Doc.query("body % 'rare'").orderBy('relevance desc')
  expect(found.keys()).toEqual([2, 1])
  store.Doc.update(1, { body: 'rare rare rare' })
  expect(found.keys()).toEqual([2, 1])
  expect(found.slice(1, 2).keys()).toEqual([1])
  expect(store.Doc.query("body % 'word' order by relevance desc, size desc").keys()).toEqual([3, 4])
  expect(store.Doc.query("body % 'word'").query('size = 3').orderBy('relevance').keys()).toEqual([
    3, 4,
  ])
  store.transact((tx) => {
    tx.Doc.insert({ body: 'rare' })
    expect(tx.Doc.query("body % 'rare' order by relevance desc").count).toBe(3)
  })
})

test('is refused where there is no score', () => {
  const store = filled()
  const remedyOf = (read: () => unknown): unknown => {
    const error = refusalOf(read)
    expect(error.code).toBe('attributeNotSortable')
    return (error.details as { remedy?: unknown }).remedy
  }
  const withWords = 'Order the result of a filter with "%" on an attribute with words: true.'
  expect(remedyOf(() => store.Doc.all().orderBy('relevance'))).toBe(withWords)
  expect(remedyOf(() => store.Doc.query("plain % 'a'").orderBy('relevance'))).toBe(withWords)
  expect(remedyOf(() => store.Doc.query("not (body % 'rare') order by relevance"))).toBe(withWords)
  const text: string = 'relevance'
  const unknown = refusalOf(() => store.Note.query("text % 'a'").orderBy(text as 'ID'))
  expect(unknown.code).toBe('attributeNotFound')
  const view = store.view({ rows: { Doc: 'size < 3' } })
  expect(remedyOf(() => view.dataClass('Doc').query("body % 'rare' order by relevance"))).toMatch(
    /hidden/,
  )
  for (const rows of [{}, { Note: false as const, Score: 'ID > 1' }])
    expect(
      store.view({ rows }).dataClass('Doc').query("body % 'rare' order by relevance desc").keys(),
    ).toEqual([2, 1])
  expect(
    remedyOf(() => store.Doc.query("body % 'rare' order by relevance").live(() => {})),
  ).toMatch(/commit/)
})

test('is unknown to a reader who sees no indexed text', () => {
  const view = filled().view({ hides: ({ name }) => name === 'title' || name === 'body' })
  const error = refusalOf(() => view.dataClass('Doc').all().orderBy('relevance'))
  expect(error.code).toBe('attributeNotFound')
})

test('a search that can find nothing is ordered by relevance too', () => {
  const store = storeOf()
  store.Doc.load([{ body: 'rare', size: 1 }])
  const order = 'relevance desc'
  for (const typed of ['', '!', '@ *'])
    expect(store.Doc.query('body % :1', [typed]).orderBy(order).keys()).toEqual([])
  expect(store.Doc.query("body % 'rare' and size in [] order by relevance").keys()).toEqual([])
  expect(store.Doc.query('size in []').query("body % 'rare'").orderBy(order).keys()).toEqual([])
})

test('an attribute that is called relevance keeps its meaning', () => {
  const store = storeOf()
  store.Score.load([
    { text: 'a', relevance: 2 },
    { text: 'a a', relevance: 3 },
    { text: 'a a a', relevance: 1 },
  ])
  expect(store.Score.query("text % 'a' order by relevance").keys()).toEqual([3, 1, 2])
  expect(store.Score.all().orderBy('relevance desc').keys()).toEqual([2, 1, 3])
})
