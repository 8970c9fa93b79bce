import { beforeAll, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { get, post, send } from './send.ts'

const HINT = 'A + in an address is a plus sign: write a blank as %20.'

let rest: RestHandler
beforeAll(() => {
  rest = createRestHandler(createHr())
})

const form = (parameters: { readonly [name: string]: string }) =>
  `/rest/Employee?${new URLSearchParams(parameters)}`
/** Values alone by a form encoder, names with a plain `$`. */
const plain = (parameters: { readonly [name: string]: string }) =>
  form(parameters).replaceAll('%24', '$')

describe('names and values of parameters from a form encoder', () => {
  test('read + as a blank, and %2B as a plus', async () => {
    const { body } = await get(
      rest,
      form({
        $filter: 'lastName = :1 or salary > :2',
        $params: '["a + b", 1]',
        $orderby: 'salary desc, lastName',
        $top: '2',
      }),
    )
    expect(body.__ENTITIES).toHaveLength(2)
    const store = createHr()
    store.Employee.update(1, { lastName: `a + "b" & 'c'` })
    const served = createRestHandler(store)
    for (const parameters of [
      { $filter: 'lastName === :1', $params: JSON.stringify([`a + "b" & 'c'`]) },
      { $filter: `"lastName === 'a + \\u0022b\\u0022 & \\u0027c\\u0027'"` },
      { $filter: `lastName begin 'a +'`, note: 'a b' },
    ])
      expect((await get(served, form(parameters))).body.__COUNT).toBe(1)
  })

  test('are read as urllib.parse.urlencode of Python, url.Values of Go and http_build_query of PHP write them', async () => {
    const query =
      '%24filter=lastName+%3D+%3A1&%24params=%5B%22O%27Hara+%2B+%5C%22x%5C%22+%26+y%22%5D&%24top=5'
    const store = createHr()
    store.Employee.update(1, { lastName: `O'Hara + "x" & y` })
    expect((await get(createRestHandler(store), `/rest/Employee?${query}`)).body.__COUNT).toBe(1)
  })
})

describe('a parameter with a plain $ whose blanks are written as +', () => {
  test.each([
    ['a filter', { $filter: "lastName = 'Byron'" }],
    ['a filter in quotes', { $filter: '"salary > 1 and salary < 9"' }],
    ['a filter with placeholders', { $filter: 'salary > :1', $params: '[1]' }],
    ['an order', { $orderby: 'lastName desc' }],
    ['a list of attributes', { $attributes: 'lastName, salary' }],
    ['a list of relations', { $expand: 'employer, employer.employees' }],
  ])('is refused with a hint about it: %s', async (_name, parameters) => {
    const { status, body } = await get(rest, plain(parameters))
    expect(status).toBeGreaterThanOrEqual(400)
    const messages: readonly string[] = body.__ERROR.map(
      (entry: { message: string }) => entry.message,
    )
    expect(messages.filter((message) => message.endsWith(HINT))).toEqual([messages.at(-1)])
  })

  test('is refused with the hint for deletions and updates, too', async () => {
    const url = plain({ $filter: 'ID = 1' })
    for (const reply of [
      await send(rest, 'DELETE', url),
      await post(rest, url, { __KEY: '1', salary: 1 }),
    ])
      expect([reply.status, reply.body.__ERROR.at(-1).message.endsWith(`\n${HINT}`)]).toEqual([
        400,
        true,
      ])
  })

  test('is refused without the hint if there is no +, if it is %2B, and if it is elsewhere', async () => {
    for (const url of [
      '/rest/Employee?$filter="nosuch = 1"',
      '/rest/Employee?$filter="nosuch = 1%2B1"',
      '/rest/Employee?$filter="nosuch = 1"&note=a+b',
      '/rest/Employee?$orderby=nosuch&$filter="lastName=\'a+b\'"',
    ]) {
      const { status, text } = await get(rest, url)
      expect([url, status >= 400, text.includes(HINT)]).toEqual([url, true, false])
    }
  })

  test('is read as a plus where a plus is valid', async () => {
    expect((await get(rest, '/rest/Employee?$filter="lastName=\'a+b\'"')).body.__COUNT).toBe(0)
  })
})
