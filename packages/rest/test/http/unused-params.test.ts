// A value of `$params` that nothing in the request uses is refused. Filters of a request share it.
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { type AuthorizeAnswer, createRestHandler } from '../../src/index.ts'
import { expectError, get, post, send } from './send.ts'

function serve(authorize?: () => AuthorizeAnswer) {
  const Author = defineDataClass('Author', {
    ID: attribute.long({ key: true }),
    name: attribute.string(),
    books: attribute.relatedEntities('Book', 'author'),
  })
  const Book = defineDataClass(
    'Book',
    {
      ID: attribute.long({ key: true }),
      title: attribute.string(),
      sold: attribute.bool(),
      author: attribute.relatedEntity('Author'),
    },
    {
      functions: {
        titles: {
          on: 'selection',
          exposed: true,
          onHttpGet: true,
          run: ({ selection }, ...sent) => [selection.count, sent],
        },
      },
    },
  )
  const store = createDataStore({
    name: 'books',
    dataClasses: [Author, Book],
    functions: { echo: { exposed: true, onHttpGet: true, run: (_, ...sent) => sent } },
  })
  store.Author.insert({ ID: 1, name: 'Lem' })
  store.Book.insert({ ID: 1, title: 'Eden', author: 1 })
  store.Book.insert({ ID: 2, title: 'Fiasko', author: 1 })
  const reported: unknown[] = []
  const onError = (error: unknown): void => void reported.push(error)
  const rest = createRestHandler(store, { live: true, onError, ...(authorize && { authorize }) })
  return { rest, reported }
}
const { rest } = serve()
const messageOf = async (url: string): Promise<string> =>
  (await get(rest, `/rest/${url}`)).body.__ERROR?.[0].message ?? ''

test.each<[url: string, status?: number, code?: number]>([
  ['Book?$filter="ID=:1"&$params=[1]'],
  ['Book?$filter="ID=:1"&$params=[]', 400, 1279],
  ['Book?$filter="ID=:1"&$params=[1,2]', 400, 9021],
  ['Book?$filter="ID=1"&$params=[1]', 400, 9021],
  ['Book?$filter="ID=:id"&$params={"id":1}'],
  ['Book?$filter="ID=:id"&$params={"id":1,"ID":1}', 400, 9021],
  ['Book?$params=[1]', 400, 9021],
  ['Book?$params=[]'],
  ['Book(1)?$params=[1]', 400, 9021],
  ['Book(1)?$lock=true&$params=[1]', 400, 9021],
  ['Author(1)/books?$filter="ID=:1"&$params=[1,2]', 400, 9021],
  ['Book?$groupby=title&$aggregates=count&$filter="ID=:1"&$having="count=:2"&$params=[1,1]'],
  [
    'Book?$groupby=title&$aggregates=count&$filter="ID=:a"&$having="count=:b"&$params={"a":1,"b":1}',
  ],
  ['Book?$groupby=title&$aggregates=count&$having="count=:1"&$params=[1]'],
  ['Book?$groupby=title&$aggregates=count&$having="count=:1"&$params=[1,2]', 400, 9021],
  [
    'Book?$groupby=title&$aggregates=count&$filter="ID=:1"&$having="count=:2"&$params=[1,1,1]',
    400,
    9021,
  ],
  ['Book?$savedfilter="ID=:1"&$filter="title=:2"&$params=[1,"x"]'],
  ['Book?$savedfilter="$all"&$filter="title=:1"&$params=["x"]'],
  ['Book?$savedfilter="ID=:1"&$filter="title=:2"&$params=[1,"x",3]', 400, 9021],
  [
    'Book?$savedfilter="ID=:1"&$filter="title=:2"&$params={"values":[1,"x"],"parameters":{"c":1}}',
    400,
    9021,
  ],
  ['Book?$live=true&$filter="ID=:1"&$params=[1,2]', 400, 9021],
  ['Book/ID?$compute=count&$filter="ID=:1"&$params=[1,2]', 400, 9021],
  ['Book/title?$distinct=true&$filter="ID=:1"&$params=[1,2]', 400, 9021],
  ['Book?$format=dashboard&$filter="ID=:1"&$params=[1,2]', 400, 9021],
  // What a function is called with is used.
  ['Book/titles?$params=[1]'],
  ['Book/titles?$filter="ID=:1"&$params=[1,2]'],
  ['$catalog/echo?$params=[1,2]'],
])('GET /rest/%s', async (url, status = 200, code = 0) => {
  const reply = await get(rest, `/rest/${url}`)
  if (status === 200) expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
  else expectError(reply, status, code)
})

test('a POST takes the values of its filter from $params, and those of a function from its body', async () => {
  const url = '/rest/Book/titles?$filter="ID=:1"&$params='
  expect((await post(rest, `${url}[1]`, [7])).body).toEqual({ result: [1, [7]] })
  expectError(await post(rest, `${url}[1,2]`, [7]), 400, 9021)
  for (const address of ['Book/titles', '$catalog/echo']) {
    const reply = await post(rest, `/rest/${address}?$params=[1]`, [])
    expect([reply.status, reply.body.__ERROR[0].message]).toEqual([
      400,
      expect.stringContaining('POST takes the parameters of a function from its body'),
    ])
  }
  expectError(
    await send(rest, 'POST', '/rest/Book?$method=delete&$filter="ID=:1"&$params=[9,2]'),
    400,
    9021,
  )
})

test('the message names the value and the remedy', async () => {
  expect(await messageOf('Book?$filter="ID=:1"&$params=[1,2]')).toBe(
    'No filter uses parameter 2. Write :2 where its value belongs, or remove it.',
  )
  expect(await messageOf(`Book?$filter="title=':1'"&$params=["x"]`)).toContain(
    'The filter has :1 in quotes, where it is text: write it without quotes.',
  )
})

test('a rule of permission with an unused value is a mistake of the program, and shows nothing', async () => {
  for (const rule of [
    { filter: 'ID = 1', parameters: [1] },
    { filter: 'ID = :1', parameters: [] },
  ]) {
    const { rest, reported } = serve(() => rule)
    const reply = await get(rest, '/rest/Book')
    expect([reply.status, reported.length]).toEqual([500, 1])
    expect(reply.text).not.toContain('Eden')
  }
})
