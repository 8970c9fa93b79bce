import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { get, post, send } from './send.ts'

const Page = defineDataClass('Page', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
  file: attribute.blob(),
})
function serve() {
  const store = createDataStore({
    name: 'pages',
    dataClasses: [Page],
    sizes: { entityBytes: 1000, commitBytes: 3000 },
  })
  store.Page.insert({ text: 'first' })
  return { store, rest: createRestHandler(store) }
}
const large = 'x'.repeat(1000)
const nearly = 'x'.repeat(700)

test.each([
  { what: 'an insertion', path: 'Page', body: { text: large } },
  { what: 'an update', path: 'Page', body: { __KEY: '1', text: large } },
  { what: 'an update at its address', path: 'Page(1)', body: { text: large }, method: 'PUT' },
  {
    what: 'a batch of which each item is refused',
    path: 'Page',
    body: [{ text: large }, { text: large }],
  },
  {
    what: 'an atomic batch with one',
    path: 'Page?$atomic=true',
    body: [{ text: 'a' }, { text: large }],
  },
  {
    what: 'an atomic batch of many',
    path: 'Page?$atomic=true',
    body: Array(6).fill({ text: nearly }),
  },
])(
  '$what that is too large is answered 413 with the limit and a remedy, and nothing is stored',
  async (request) => {
    const { store, rest } = serve()
    const before = store.dump()
    const answer = await send(rest, request.method ?? 'POST', `/rest/${request.path}`, request.body)
    expect(answer.text).toMatch(
      /the limit is [13]000 \(option \\"sizes\.(entity|commit)Bytes\\"\)\. \w/,
    )
    expect(answer.status).toBe(413)
    expect(store.dump()).toEqual(before)
  },
)

test('in a batch without $atomic, only the item that is too large is refused', async () => {
  const { store, rest } = serve()
  expect(
    (await post(rest, '/rest/Page', [{ text: 'a' }, { text: large }, { text: 'b' }])).status,
  ).toBe(207)
  expect(store.Page.count).toBe(3)
  expect((await get(rest, '/rest/Page')).body.__COUNT).toBe(3)
})
