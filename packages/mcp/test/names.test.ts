// Names and values that an assistant gives are looked up before they become a request.
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, test } from 'vitest'
import { createMcpServer } from '../src/index.ts'
import { calledOf } from './office.ts'

/** A server that records its requests, over a model with a function that changes state. */
async function open(allowWrites: boolean) {
  const Note = defineDataClass(
    'Note',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      title: attribute.string(),
      data: attribute.object(),
      parent: attribute.relatedEntity('Note'),
      children: attribute.relatedEntities('Note', 'parent'),
      icon: attribute.image(),
    },
    {
      functions: {
        wipe: {
          on: 'dataClass',
          exposed: true,
          onHttpGet: true,
          run: () => void calls.push('wipe'),
        },
      },
    },
  )
  const calls: string[] = []
  const store = createDataStore({
    name: 'notes',
    dataClasses: [Note],
    functions: { reset: { exposed: true, onHttpGet: true, run: () => void calls.push('reset') } },
  })
  store.Note.load([{ title: 'a' }, { title: 'b', parent: 1 }])
  const handler = createRestHandler(store, { users: [{ name: 'ada', password: 'x' }] })
  const requests: string[] = []
  const server = createMcpServer(
    {
      basePath: '/rest',
      fetch: (request) => {
        const { pathname } = new URL(request.url)
        requests.push(`${request.method} ${decodeURIComponent(pathname)}`)
        return handler.fetch(request)
      },
    },
    { allowWrites },
  )
  const client = new Client({ name: 'test', version: '1' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  const call = async (name: string, given: object) =>
    calledOf(await client.callTool({ name, arguments: { ...given } }))
  return { store, calls, requests, call }
}

const NO_CLASSES = [
  '$directory',
  '$catalog',
  '$info',
  '$metrics',
  'Note/../$directory',
  '../rest/$directory',
  'Note(1)',
  'Note%2f..',
  'Note?$method=delete',
  'note',
  'reset',
  '..',
  '.',
  ' ',
  '__proto__',
  'constructor',
  'Nöte',
]
const NO_ATTRIBUTES = [
  'logout',
  'login',
  'wipe',
  '..',
  '../Note',
  'title/..',
  'data.x/../../$directory',
  'data.x%2f..%2f..%2f$directory',
  'data.\\..\\title',
  '$entityset',
  '__ENTITIES',
]

describe('a name that is none', () => {
  test.each(NO_CLASSES)('of a dataclass is refused before a request: %s', async (dataClass) => {
    const { store, calls, requests, call } = await open(true)
    const before = store.globalStamp
    for (const [tool, given] of Object.entries({
      query: {},
      entity: { key: 1 },
      aggregate: { attribute: 'logout' },
      distinct: { attribute: 'logout' },
      group: { by: 'title' },
      catalog: {},
      insert: { values: { title: 'x' } },
      update: { key: 1, values: { title: 'x' } },
      remove: { key: 1 },
    })) {
      const { isError, text } = await call(tool, { dataClass, ...given })
      expect([tool, isError, text]).toEqual([tool, true, expect.stringContaining('Note')])
    }
    expect(new Set(requests)).toEqual(new Set(['GET /rest/$catalog/$all']))
    expect([store.globalStamp, calls]).toEqual([before, []])
  })

  test.each(NO_ATTRIBUTES)('of an attribute is refused before a request: %s', async (attribute) => {
    const { store, calls, requests, call } = await open(true)
    const before = store.globalStamp
    const given = { dataClass: 'Note', attribute }
    expect((await call('aggregate', given)).isError).toBe(true)
    expect((await call('distinct', given)).isError).toBe(true)
    const values = { [attribute]: 'x' }
    expect((await call('insert', { dataClass: 'Note', values })).isError).toBe(true)
    expect((await call('update', { dataClass: 'Note', key: 1, values })).isError).toBe(true)
    expect(new Set(requests)).toEqual(new Set(['GET /rest/$catalog/$all']))
    expect([store.globalStamp, calls]).toEqual([before, []])
  })
})

test('values that are parts of the protocol write nothing', async () => {
  const { store, call } = await open(true)
  const before = store.globalStamp
  const other = [{ __KEY: '2', title: 'taken' }]
  for (const values of [
    { __ENTITIES: other },
    { title: 'x', __ENTITIES: other },
    { 'parent.title': 'taken' },
    { parent: { __KEY: '1', title: 'taken' } },
    { __DATACLASS: 'Note' },
  ]) {
    const { isError } = await call('update', { dataClass: 'Note', key: 1, stamp: 1, values })
    expect([values, isError]).toEqual([values, true])
    expect((await call('insert', { dataClass: 'Note', values })).isError).toBe(true)
  }
  expect(store.globalStamp).toBe(before)
})

test.each([
  { __deferred: { uri: 'x' } },
  { __deferred: { image: true, __KEY: '1' } },
  { __STATUS: { success: false } },
  { __ENTITIES: [{ __KEY: '1' }], __COUNT: 7 },
  { __KEY: '2', __DATACLASS: 'Note', title: 'x' },
  { deep: [{ __deferred: { __KEY: '1' } }], __ERROR: [] },
])('an object attribute keeps %j', async (data) => {
  const { store, call } = await open(true)
  const saved = await call('update', { dataClass: 'Note', key: 1, values: { data } })
  expect(saved.data).toMatchObject({ entity: { data } })
  expect(store.Note.get(1)?.data).toEqual(data)
  expect((await call('entity', { dataClass: 'Note', key: 1 })).data).toMatchObject({
    entity: { data },
  })
  const shown = await call('query', {
    dataClass: 'Note',
    attributes: 'title, data, parent.data, children.data',
    orderBy: 'ID',
  })
  expect(shown.data.rows).toMatchObject([
    { data, parent: null, children: [{ data: null }] },
    { data: null, parent: { data }, children: [] },
  ])
})
