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

test('a selection with a search is not removed', async () => {
  const { store, remote } = open()
  await expect(remote.Doc.search('night').remove()).rejects.toThrow('$search')
  await expect(remote.Doc.query`year > ${2000}`.search('night').remove()).rejects.toThrow('$search')
  expect(store.Doc.count).toBe(3)
})
