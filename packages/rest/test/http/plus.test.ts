import { beforeAll, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { get, post, send } from './send.ts'

const HINT = 'A + in an address is a plus sign: write a blank as %20.'

let rest: RestHandler
beforeAll(() => {
  rest = createRestHandler(createHr())
})

const form = (parameters: { readonly [name: string]: string }) => `/rest/Employee?${new URLSearchParams(parameters)}`

describe('a parameter written by a form encoder, blanks as +', () => {
  test.each([
    ['a filter', { $filter: "lastName = 'Byron'" }],
    ['a filter in quotes', { $filter: '"salary > 1 and salary < 9"' }],
    ['a filter with placeholders', { $filter: 'salary > :1', $params: '[1]' }],
    ['an order', { $orderby: 'lastName desc' }],
    ['a list of attributes', { $attributes: 'lastName, salary' }],
    ['a list of relations', { $expand: 'employer, employer.employees' }],
  ])('is refused with a word about it: %s', async (_name, parameters) => {
    const { status, body } = await get(rest, form(parameters))
    expect(status).toBeGreaterThanOrEqual(400)
    const messages: readonly string[] = body.__ERROR.map((entry: { message: string }) => entry.message)
    expect(messages.filter((message) => message.endsWith(HINT))).toEqual([messages.at(-1)])
  })

  test('is refused so for deletions and updates too', async () => {
    const url = form({ $filter: 'ID = 1' })
    for (const reply of [await send(rest, 'DELETE', url), await post(rest, url, { __KEY: '1', salary: 1 })])
      expect([reply.status, reply.body.__ERROR.at(-1).message.endsWith(`\n${HINT}`)]).toEqual([400, true])
  })

  test('is refused without it where no + was sent, where it was %2B, and where it stands elsewhere', async () => {
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

  test('means a plus where it can be one', async () => {
    expect((await get(rest, '/rest/Employee?$filter="lastName=\'a+b\'"')).body.__COUNT).toBe(0)
  })
})
