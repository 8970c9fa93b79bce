// @vitest-environment node
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Suspense } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { dehydrate, preload } from '../src/preload.ts'
import { resultOf } from '../src/results.ts'
import { useEntity, useLive } from '../src/use-live.ts'
import { openServer } from './server.ts'

type Db = ReturnType<typeof openServer>['db']

function App({ db }: { readonly db: Db }) {
  const rich = useLive(db.Employee.query`salary > ${50_000}`.orderBy('salary desc'))
  return <p>{rich.map(({ lastName }) => lastName).join(' ')}</p>
}
/** The HTML after everything was loaded. */
const htmlOf = (db: Db): Promise<string> =>
  new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(
      <Suspense fallback="loading">
        <App db={db} />
      </Suspense>,
      { onAllReady: () => resolve(text(pipe(new PassThrough()))), onError: reject },
    )
  })

test('a server renders a connection in one request, and leaves no stream', async () => {
  const { db, requests, streams } = openServer()
  expect(await htmlOf(db)).toContain('<p>Zola Ng</p>')
  expect(requests.filter((request) => request.includes('$live'))).toHaveLength(1)
  await expect.poll(streams).toEqual({ open: 0, opened: 1 })
  const sent = JSON.parse(JSON.stringify(dehydrate(db)))
  expect(Object.values(sent)).toMatchObject([
    [
      [3, { lastName: 'Zola', salary: 90_000 }],
      [1, { lastName: 'Ng', salary: 70_000 }],
    ],
  ])
})

test('a server renders without a fallback what it has preloaded', async () => {
  const { db, streams } = openServer()
  await preload(db.Employee.query`salary > ${50_000}`.orderBy('salary desc'))
  expect(await htmlOf(db)).toBe('<!--$--><p>Zola Ng</p><!--/$-->')
  await expect.poll(streams).toEqual({ open: 0, opened: 1 })
})

test('a renderer without a document follows the mounted selections', async () => {
  const { db, store, streams } = openServer()
  const result = resultOf(db.Employee.all(), null)
  await result.load()
  expect(result.snapshot()).toHaveLength(3)
  const end = result.subscribe(() => {})
  store.Employee.remove(1)
  await expect.poll(() => result.snapshot().length).toBe(2)
  end()
  await expect.poll(() => streams().open).toBe(0)
})

test.each([
  ['a missing key', (db: Db) => [db.Employee, undefined], 'key of useEntity is a text or a number'],
  ['a key of null', ({ Employee }: Db) => [Employee, null], 'is a text or a number, not null'],
  ['a missing dataclass', () => [undefined, 1], 'of a dataclass, such as store.Employee'],
] as const)('useEntity refuses %s by name', (_, given, message) => {
  const { db } = openServer()
  const Entity = () => useEntity(...(given(db) as [typeof db.Employee, number]))?.lastName
  expect(() => renderToString(<Entity />)).toThrow(message)
})
