import { describe, expect, test } from 'vitest'
import { asyncOf } from '../../src/async.ts'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

const Author = defineDataClass('Author', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  docs: attribute.relatedEntities('Doc', 'author'),
})
const Doc = defineDataClass('Doc', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ words: true }),
  body: attribute.string({ words: true }),
  secret: attribute.string({ words: true, exposed: false }),
  year: attribute.long({ indexed: true }),
  author: attribute.relatedEntity('Author'),
})
/** Scored is an attribute of its own here. */
const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true }),
  text: attribute.string({ words: true }),
  relevance: attribute.number(),
})

const filled = () => {
  const store = createDataStore({ name: 'library', dataClasses: [Author, Doc, Note] })
  store.Author.insert({ name: 'Night' })
  store.Doc.load([
    { title: 'Boats', body: 'A long text about a lake, boats, and one night.', year: 2023 },
    { title: 'Night trains', body: 'Night by night', year: 2024, author: 1 },
    { title: 'Day', body: 'Trains to Zürich', year: 2024, secret: 'night' },
    { title: 'Nights', body: null, year: 2025, author: 1 },
  ])
  store.Note.load([
    { ID: 1, text: 'night', relevance: 1 },
    { ID: 2, text: 'night night', relevance: 2 },
  ])
  return store
}

describe('search', () => {
  test('finds entities with every word in any attribute, the best matches first', () => {
    const { Doc } = filled()
    expect(Doc.search('night').keys()).toEqual(
      Doc.query(
        "title % 'night' or body % 'night' or secret % 'night' order by relevance desc",
      ).keys(),
    )
    expect(Doc.search('night').keys()[0]).toBe(2)
    expect(Doc.search('NIGHT, trains').keys()).toEqual([2, 3])
    expect(Doc.search('zurich train*').keys()).toEqual([3])
    expect([...Doc.search('night@').keys()].sort()).toEqual([1, 2, 3, 4])
    expect(Doc.search("x' or ID > 0 or title % 'x").count).toBe(0)
    for (const nothing of ['', ' * @ ', '\u0301']) expect(Doc.search(nothing).count).toBe(0)
  })

  test('within a selection keeps its order', () => {
    const { Doc } = filled()
    const latest = Doc.query('year < 2025').orderBy('year, ID desc')
    expect(latest.search('night').keys()).toEqual([1, 3, 2])
    expect(latest.search('night').search('boats').keys()).toEqual([1])
    expect(Doc.search('night').query('year = 2024').keys()).toEqual([2, 3])
  })

  test('is refused without an attribute that has words, and for values other than texts', () => {
    const { Author, Doc } = filled()
    const refused = {
      code: 'attributeNotApplicable',
      message: expect.stringContaining('words: true'),
    }
    expect(() => Author.search('night')).toThrow(expect.objectContaining(refused))
    expect(() => Author.all().search('night')).toThrow(expect.objectContaining(refused))
    for (const wrong of [null, undefined, 5, ['night']])
      expect(() => Doc.search(wrong as never)).toThrow(
        expect.objectContaining({ code: 'argumentInvalid' }),
      )
  })

  test('is in the order of all() where there are no scores', () => {
    const store = filled()
    expect(store.Note.search('night').keys()).toEqual([1, 2])
    const view = store.view({ rows: new Map([['Doc', { filter: 'ID > 1' }]]) })
    expect(view.dataClass('Doc').search('night').keys()).toEqual([2, 3])
    const other = store.view({ rows: { Note: false } })
    expect(other.dataClass('Doc').search('night').keys()).toEqual(store.Doc.search('night').keys())
    const past = store.at(store.globalStamp)
    store.Doc.update(1, { title: 'night night night' })
    expect(past.Doc.search('night').keys()).toEqual([1, 2, 3])
    past.dispose()
  })

  test('is followed in an order of attributes, as scores change with every commit', () => {
    const { Doc } = filled()
    expect(() => Doc.search('night').live(() => {})).toThrow("orderBy('ID')")
    const deltas: unknown[] = []
    for (const found of [Doc.search('boats').orderBy('ID'), Doc.all().search('boats')])
      found.live(({ entered, left }) => deltas.push([entered.map(({ ID }) => ID), left]))
    Doc.update(1, { title: 'Ships', body: null })
    const { ID } = Doc.insert({ body: 'two boats' })
    const gone = [[], [1]]
    const come = [[ID], []]
    expect(deltas).toEqual([gone, gone, come, come])
  })

  test('a reader searches the attributes that it knows', () => {
    const store = filled()
    const view = store.view({ exposedOnly: true }).dataClass('Doc')
    expect(view.search('night').keys()).toEqual([2, 1])
    expect(view.all().search('night').keys()).toEqual([1, 2])
  })

  test('the asynchronous store has the same entities in the same order', async () => {
    const store = filled()
    const db = asyncOf(store)
    const keys = async (found: { toArray(): Promise<{ ID: number }[]> }) =>
      (await found.toArray()).map(({ ID }) => ID)
    expect(await keys(db.Doc.search('night'))).toEqual(store.Doc.search('night').keys())
    expect(await keys(db.Doc.search('night').search('train*'))).toEqual([2, 3])
    expect(await keys(db.Doc.query`year = ${2024}`.search('night').orderBy('ID desc'))).toEqual([
      3, 2,
    ])
    const set = await db.Doc.query`year < ${2025}`.orderBy('ID desc').entitySet()
    expect(await keys(set.search('night'))).toEqual([3, 2, 1])
    await expect(db.Author.search('night').count()).rejects.toMatchObject({
      code: 'attributeNotApplicable',
    })
    expect(() => db.Doc.search(5 as never)).toThrow(TypeError)
    await db.Doc.search('boats').remove()
    expect(store.Doc.all().keys()).toEqual([2, 3, 4])
  })
})
