import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { expectError, get, send } from './send.ts'

const Doc = defineDataClass('Doc', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ words: true }),
  body: attribute.string({ words: true }),
  secret: attribute.string({ words: true, exposed: false }),
  note: attribute.string(),
  shelf: attribute.relatedEntity('Shelf'),
})
const Shelf = defineDataClass('Shelf', {
  ID: attribute.long({ key: true, autoSequence: true }),
  docs: attribute.relatedEntities('Doc', 'shelf'),
})
const Hidden = defineDataClass('Hidden', { ID: attribute.long({ key: true }) }, { exposed: false })
const store = createDataStore({ name: 'search', dataClasses: [Doc, Shelf, Hidden] })
store.Shelf.load([{}, {}])
store.Doc.load([
  { title: 'Night trains', body: 'The train to Zürich is late', note: 'boat', shelf: 1 },
  { title: 'Zurich', body: 'A walk, a train, a train', secret: 'boat', shelf: 1 },
  { title: 'Boats', body: 'The lake at night', shelf: 2 },
])
const rest = createRestHandler(store)

async function keys(address: string, handler = rest): Promise<readonly number[]> {
  const { status, body } = await get(handler, `/rest/${address}`)
  expect([status, body]).toEqual([200, expect.anything()])
  return (body as { readonly __ENTITIES: readonly { readonly ID: number }[] }).__ENTITIES.map(
    ({ ID }) => ID,
  )
}

test('every word occurs, each in any visible attribute with an index of words', async () => {
  expect(await keys('Doc?$search=ZURICH train')).toEqual([2, 1])
  expect(await keys('Doc?$search=night lake')).toEqual([3])
  expect(await keys('Doc?$search="boat"')).toEqual([])
  expect(await keys('Doc?$search=boat*')).toEqual([3])
  expect(await keys('Doc?$search=trai@, Zu\u0308rich&$orderby=ID')).toEqual([1, 2])
  expect(await keys(`Doc?$search="train' or 'lake"`)).toEqual([])
  expect(await keys('Doc?$search=!')).toEqual([])
  expect(await keys('Doc?$search=%20')).toEqual([1, 2, 3])
})

test('a filter narrows it, and its values and its order stay', async () => {
  expect(await keys('Doc?$search=train&$filter="ID = 1 or ID = 3"')).toEqual([1])
  expect(await keys('Doc?$search=train&$filter="ID < :1"&$params=[2]')).toEqual([1])
  expect(await keys('Doc?$search=train&$filter="ID < :most"&$params={"most":9}')).toEqual([2, 1])
  expect(await keys('Doc?$search=train&$filter="order by ID"')).toEqual([1, 2])
  expect(await keys('Doc?$search=train&$filter="ID > 0 order by ID"')).toEqual([1, 2])
  expect(await keys('Doc?$search=train&$orderby=ID')).toEqual([1, 2])
  expectError(await get(rest, '/rest/Doc?$search=train&$params=[2]'), 400, 9021)
  expectError(await get(rest, '/rest/Doc?$search=train&$filter="ID <"'), 400, 1162)
})

test('it narrows relations, counts, values, groups and entity sets', async () => {
  expect(await keys('Shelf(1)/docs?$search=train')).toEqual([2, 1])
  expect(await keys('Shelf(2)/docs?$search=train')).toEqual([])
  const count = await get(rest, '/rest/Doc/ID?$compute=count&$search=train')
  expect(count.body).toBe(2)
  const values = await get(rest, '/rest/Doc/title?$distinct=true&$search=train')
  expect(values.body).toEqual(['Night trains', 'Zurich'])
  const groups = await get(rest, '/rest/Doc?$groupby=shelf.ID&$aggregates=count&$search=train')
  expect(groups.body.__GROUPS).toEqual([{ 'shelf.ID': 1, count: 2 }])
  const kept = await get(rest, '/rest/Doc?$search=train&$method=entityset')
  const { __ENTITYSET: set } = kept.body as { readonly __ENTITYSET: string }
  const address = set.replace('/rest/', '')
  expect(await keys(address)).toEqual([2, 1])
  expect(await keys(`${address}?$search=night`)).toEqual([1])
})

test('where row filters hide entities of the dataclass, the order is that of keys', async () => {
  const guarded = createRestHandler(store, {
    authorize: ({ dataClass }) => (dataClass === 'Doc' ? { filter: 'ID < 3' } : true),
  })
  expect(await keys('Doc?$search=train', guarded)).toEqual([1, 2])
  expect(await keys('Doc?$search=night', guarded)).toEqual([1])
  for (const shelves of [true, false, { filter: 'ID = 1' }]) {
    const open = createRestHandler(store, {
      authorize: ({ dataClass }) => dataClass !== 'Shelf' || shelves,
    })
    expect(await keys('Doc?$search=train', open)).toEqual([2, 1])
    expect(await keys('Doc?$search=train&$orderby=relevance', open)).toEqual([1, 2])
  }
})

test('it is refused where nothing can be searched, and where no selection is read', async () => {
  const unsearchable = await get(rest, '/rest/Shelf?$search=train')
  expectError(unsearchable, 400, 1813)
  expect(JSON.stringify(unsearchable.body)).toContain('attribute.string({ words: true })')
  expectError(await get(rest, '/rest/Doc(1)?$search=train'), 400, 1813)
  expectError(await send(rest, 'DELETE', '/rest/Doc(1)?$search=train'), 400, 1813)
  expectError(await send(rest, 'DELETE', '/rest/Doc?$search='), 400, 1813)
  expectError(await send(rest, 'POST', '/rest/Doc?$search=train', { body: {} }), 400, 1813)
  const short = createRestHandler(store, { limits: { maxFilterCharacters: 5 } })
  expectError(await get(short, '/rest/Doc?$search=trains'), 400, 9055)
  expect(store.Doc.all().keys().length).toBe(3)
})

test('a deletion removes what the search finds, as a filter does', async () => {
  const library = createDataStore({ name: 'library', dataClasses: [Doc, Shelf] })
  library.Doc.load(['train', 'late train', 'boat', 'train boat'].map((title) => ({ title })))
  const desk = createRestHandler(library)
  const left = async (verb: string, address: string, body?: unknown) => {
    const { status } = await send(desk, verb, `/rest/${address}`, { body })
    return [status, library.Doc.all().keys()]
  }
  expect(await left('DELETE', 'Doc?$search=-')).toEqual([200, [1, 2, 3, 4]])
  expect(await left('DELETE', 'Doc?$search=train&$filter="ID > 3"')).toEqual([200, [1, 2, 3]])
  expect(await left('DELETE', 'Doc?$search=late train')).toEqual([200, [1, 3]])
  expect(await left('POST', 'Doc?$method=delete&$search=boa*&$atomic=true')).toEqual([200, [1]])
})
