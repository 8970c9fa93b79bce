import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { connect } from '../src/connect.ts'

const Doc = defineDataClass('Doc', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ words: true }),
  body: attribute.string({ words: true }),
  year: attribute.long({ indexed: true }),
})
const Plain = defineDataClass('Plain', { ID: attribute.long({ key: true }) })

const open = () => {
  const store = createDataStore({ name: 'library', dataClasses: [Doc, Plain] })
  store.Doc.load([
    { title: 'Boats', body: 'A long text about a lake, boats, and one night.', year: 2023 },
    { title: 'Night trains', body: 'Night by night', year: 2024 },
    { title: 'Day', body: 'Trains to Zürich', year: 2024 },
  ])
  const rest = createRestHandler(store)
  const remote = connect<typeof store>('http://x.example/rest', { fetch: (r) => rest.fetch(r) })
  return { store, remote }
}
const keys = async (found: { toArray(): Promise<{ ID: number }[]> }): Promise<number[]> =>
  (await found.toArray()).map(({ ID }) => ID)

test('a search finds the same as in the store, in the same order', async () => {
  const { store, remote } = open()
  for (const words of [
    'night',
    'ZURICH train*',
    'night&by=1',
    '"night"',
    "it's % night",
    '',
    ' ',
    '+@',
    'é',
    'e\u0301',
    'night\ud800trains',
    '\ud800',
    'night\0',
  ])
    expect([words, await keys(remote.Doc.search(words))]).toEqual([
      words,
      store.Doc.search(words).keys(),
    ])
  const { Doc } = remote
  expect(await keys(Doc.search('night').search('train@'))).toEqual([2])
  expect(await keys(Doc.query`year = ${2024}`.search('train*').orderBy('ID desc'))).toEqual([3, 2])
  expect(await Doc.search('-').search('night').count()).toBe(0)
  expect(await Doc.search('night').search(' ').count()).toBe(0)
  expect(await Doc.search('night').count()).toBe(2)
  expect(await Doc.search('night').max('year')).toBe(2024)
  const set = await Doc.search('night').entitySet()
  expect(await keys(set.search('boats'))).toEqual([1])
  await expect(remote.Plain.search('night').count()).rejects.toThrow('words: true')
  expect(() => Doc.search(5 as never)).toThrow(TypeError)
})

test('a selection with a search is removed, as in the store', async () => {
  const { store, remote } = open()
  await remote.Doc.search('').remove()
  await remote.Doc.query`year > ${2023}`.search('boats').remove()
  expect(store.Doc.count).toBe(3)
  await remote.Doc.query`year > ${2023}`.search('night').remove()
  expect(store.Doc.all().keys()).toEqual([1, 3])
  const set = await remote.Doc.all().entitySet()
  await set.search('-').remove()
  expect(store.Doc.all().keys()).toEqual([1, 3])
  await set.search('lake').remove()
  expect(store.Doc.all().keys()).toEqual([3])
  await remote.Doc.search('train*').remove()
  expect(store.Doc.count).toBe(0)
  await expect(remote.Plain.search('night').remove()).rejects.toThrow('words: true')
})
