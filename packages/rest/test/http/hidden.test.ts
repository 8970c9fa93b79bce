import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { get, send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler
beforeEach(() => {
  store = createHr()
  store.Company.update(1, { secretRating: 7 })
  rest = createRestHandler(store)
})

describe('what is not exposed', () => {
  test('never appears in an entity or in the words of an error', async () => {
    for (const url of [
      '/rest/Company(1)',
      '/rest/Company?$asArray=true',
      '/rest/Company?$attributes=*,nosuch',
      '/rest/Company/nosuch',
      '/rest/Company?$filter="nosuch = 1"',
      '/rest/Employee?$filter="employer.nosuch = 1"',
      '/rest/Company?$orderby=nosuch',
      '/rest/Company?$expand=nosuch',
      '/rest/$catalog/$all',
    ])
      expect([url, (await get(rest, url)).text.includes('secretRating')]).toEqual([url, false])
    const written = await send(rest, 'POST', '/rest/Company', { __KEY: 1, nosuch: 1 })
    expect(written.text).not.toContain('secretRating')
  })

  // Names of one length, so that carets stand alike.
  test.each([
    '/rest/Company/NAME',
    '/rest/Company(1)/NAME',
    '/rest/Company:NAME(7)',
    '/rest/Company?$attributes=name,NAME',
    '/rest/Employee?$attributes=employer.NAME',
    '/rest/Company?$expand=NAME',
    '/rest/Company?$orderby=city,NAME desc',
    '/rest/Employee?$orderby=employer.NAME',
    '/rest/Company/NAME?$compute=max',
    '/rest/Company/NAME?$distinct=true',
    '/rest/Company?$filter="NAME = 7"',
    '/rest/Company?$filter="name = x or not(NAME > 1)"',
    '/rest/Company?$filter="city in [a, b] and NAME is not null"',
    '/rest/Company?$filter="name = x and NAME"',
    '/rest/Employee?$filter="employer.NAME = 7"',
    '/rest/Company?$filter="employees.employer.NAME = 7"',
    '/rest/Company?$filter="ID > 0 order by NAME desc"',
    '/rest/Company?$filter="ID > 0 order by city, NAME"',
    '/rest/Company?$filter=":1 = 7"&$params=["NAME"]',
    '/rest/Employee?$filter=":1 = 7"&$params=["employer.NAME"]',
    '/rest/Employee?$filter=":path = 7"&$params={"path":"employer.NAME"}',
    '/rest/Company(1)?$filter="NAME = 7"',
    '/rest/Company(1)/employees?$filter="employer.NAME = 7"',
  ])('is answered as what does not exist: %s', async (template) => {
    const hidden = await get(rest, template.replace('NAME', 'secretRating'))
    const unknown = await get(rest, template.replace('NAME', 'nosuchRating'))
    expect(unknown.status).toBeGreaterThanOrEqual(400)
    expect([hidden.status, hidden.text.replaceAll('secretRating', 'nosuchRating')]).toEqual([
      unknown.status,
      unknown.text,
    ])
  })

  test('is not told by the plan of a filter that reaches it under an exposed name', async () => {
    const aliased = await get(rest, '/rest/Employee?$filter="employerRating = 7"&$queryplan=true')
    expect([aliased.status, aliased.body.__COUNT]).toEqual([200, 2])
    const joined = await get(rest, '/rest/Company?$filter="owner.value = odd"&$queryplan=true')
    expect(joined.body.__queryPlan.item).toBe('Join on Table : Setting  :  Company.owner = Setting.name')
    for (const { text } of [aliased, joined]) {
      expect(text).not.toContain('secretRating')
      expect(text).not.toContain('ownerName')
    }
  })

  test('deletes nothing by a filter that names it', async () => {
    const reply = await send(rest, 'DELETE', '/rest/Company?$filter="secretRating = null"')
    expect([reply.status, store.Company.count]).toEqual([400, 4])
  })

  test('may be the text of a value', async () => {
    for (const filter of [
      'name = secretRating',
      "name = 'secretRating'",
      'name begin secretRating',
      'name in [secretRating, b]',
      'name is not secretRating',
    ])
      expect([filter, (await get(rest, `/rest/Company?$filter="${filter}"`)).status]).toEqual([filter, 200])
  })
})
