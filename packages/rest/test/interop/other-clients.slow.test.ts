import { afterEach, beforeEach, expect, test } from 'vitest'
import { json } from '../http/send.ts'
import { type ServedContacts, serveContacts } from './serve-contacts.ts'

// Mobile clients read whole dataclasses page by page, which `wakanda-client` does not do.

const MAX_TOP = 300
let served: ServedContacts
beforeEach(async () => {
  served = await serveContacts({ limits: { maxTop: MAX_TOP } })
})
afterEach(() => served.close())

const ask = async (path: string) => json(await fetch(served.origin + path))

test('a $limit above the maximum is reduced, as __SENT shows', async () => {
  const page = await ask('/rest/Employee?$filter="ID>0"&$attributes=lastName&$limit=100000')
  expect([page.__COUNT, page.__FIRST, page.__SENT, page.__ENTITIES.length]).toEqual([
    1000,
    0,
    MAX_TOP,
    MAX_TOP,
  ])
  expect(page.__entityModel).toBe('Employee')
})

test('the last page is recognised by __FIRST, __SENT and __COUNT', async () => {
  for (const [path, count] of [
    ['/rest/Employee?$limit=100000', 1000],
    ['/rest/Employee?$filter="ID<=600"&$limit=100000', 600],
    ['/rest/Company?$limit=20', 62],
  ] as const) {
    const keys = new Set<string>()
    let isLast = false
    while (!isLast) {
      const page = await ask(`${path}&$skip=${keys.size}`)
      expect([path, page.__FIRST]).toEqual([path, keys.size])
      for (const { __KEY } of page.__ENTITIES) keys.add(__KEY)
      isLast = page.__FIRST + page.__SENT === page.__COUNT
    }
    expect([path, keys.size]).toEqual([path, count])
  }
})

test('every attribute of the catalog has a scope and a type', async () => {
  const { dataClasses } = await ask('/rest/$catalog/$all')
  for (const { name, attributes } of dataClasses)
    for (const attribute of attributes)
      expect([name, attribute]).toEqual([
        name,
        expect.objectContaining({ scope: 'public', type: expect.any(String) }),
      ])
})
