import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createGuarded, createHr } from './models.ts'
import { expectError, get, post, send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler
beforeEach(() => {
  store = createHr()
  store.Company.update(1, { secretRating: 7 })
  rest = createRestHandler(store)
})

describe('dataclasses and attributes that are not exposed', () => {
  test('never appear in an entity or in an error message', async () => {
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

  // Names of one length, so that carets are at the same position.
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
  ])('are answered as if they did not exist: %s', async (template) => {
    const hidden = await get(rest, template.replace('NAME', 'secretRating'))
    const unknown = await get(rest, template.replace('NAME', 'nosuchRating'))
    expect(unknown.status).toBeGreaterThanOrEqual(400)
    expect([hidden.status, hidden.text.replaceAll('secretRating', 'nosuchRating')]).toEqual([
      unknown.status,
      unknown.text,
    ])
  })

  test('do not appear in the plan of a filter that reaches them through an exposed alias', async () => {
    const aliased = await get(rest, '/rest/Employee?$filter="employerRating = 7"&$queryplan=true')
    expect([aliased.status, aliased.body.__COUNT]).toEqual([200, 2])
    const joined = await get(rest, '/rest/Company?$filter="owner.value = odd"&$queryplan=true')
    expect(joined.body.__queryPlan.item).toBe(
      'Join on Table : Setting  :  Company.owner = Setting.name',
    )
    for (const { text } of [aliased, joined]) {
      expect(text).not.toContain('secretRating')
      expect(text).not.toContain('ownerName')
    }
  })

  test('cannot select entities for deletion by a filter that names them', async () => {
    const reply = await send(rest, 'DELETE', '/rest/Company?$filter="secretRating = null"')
    expect([reply.status, store.Company.count]).toEqual([400, 4])
  })

  test('may occur as text in values', async () => {
    for (const filter of [
      'name = secretRating',
      "name = 'secretRating'",
      'name begin secretRating',
      'name in [secretRating, b]',
      'name is not secretRating',
    ])
      expect([filter, (await get(rest, `/rest/Company?$filter="${filter}"`)).status]).toEqual([
        filter,
        200,
      ])
  })
})

describe('a write that a hidden rule refuses', () => {
  let guarded: ReturnType<typeof createGuarded>
  beforeEach(() => {
    guarded = createGuarded()
    rest = createRestHandler(guarded)
  })
  const isNeutral = (text: string) =>
    !/shadow|vault|label|keeper|gold/i.test(text) && text.includes('not exposed')

  test.each([
    ['codeless', 422, [9031, 1570]],
    ['twin', 409, [9030]],
    ['great', 422, [1569, 1570]],
    ['orphan', 422, [9033]],
    ['spy', 422, [9031, 1570]],
    ['thief', 404, [1542]],
  ])(
    'keeps status and codes, and does not name anything hidden: %s',
    async (name, status, codes) => {
      // If a hook does not find an entity, its error has no outer one, as for an address.
      const outer = (code: number) => (name === 'thief' ? [] : [code])
      const created = await post(rest, '/rest/Account', { name })
      expectError(created, status, ...codes, ...outer(1534))
      const updated = await post(rest, '/rest/Account(2)', { name })
      expectError(updated, status, ...codes, ...outer(1517))
      const batch = await post(rest, '/rest/Account?$atomic=true', [{ name: 'fine' }, { name }])
      expect(batch.status).toBe(status)
      for (const { body } of [created, updated, batch])
        for (const item of body.__ENTITIES ?? [body])
          if (item.__ERROR !== undefined)
            expect([JSON.stringify(item.__ERROR), isNeutral(JSON.stringify(item.__ERROR))]).toEqual(
              [JSON.stringify(item.__ERROR), true],
            )
      expect(
        batch.body.__ERROR.filter((entry: { message: string }) => !isNeutral(entry.message)),
      ).toEqual([])
    },
  )

  test('names exposed attributes next to hidden ones', async () => {
    const { body } = await post(rest, '/rest/Account', { name: 'great', nickname: 'x' })
    const [first, second, whole] = body.__ERROR.map((entry: { message: string }) => entry.message)
    expect([first, second].sort()).toEqual([
      'An attribute that is not exposed refuses the change.',
      'The text of "nickname" must have at least 2 characters.',
    ])
    expect(whole).toContain(first)
    expect(whole).toContain(second)
  })

  test('does not name a hidden class that prevents a deletion, alone, in a batch and by filter', async () => {
    for (const [url, body] of [
      ['/rest/Account(1)?$method=delete', undefined],
      ['/rest/Account?$method=delete&$atomic=true', [{ __KEY: '2' }, { __KEY: '1' }]],
      ['/rest/Account?$method=delete&$atomic=true&$filter="ID > 0"', undefined],
    ] as const) {
      const reply = await post(rest, url, body)
      expectError(reply, 409, 9034, 1518)
      expect(
        reply.body.__ERROR.map((entry: { message: string }) => isNeutral(entry.message)),
      ).toEqual([true, true])
    }
    expect(guarded.Account.count).toBe(2)
  })

  test('does not distinguish a relation to a hidden class from an unknown name in filters', async () => {
    const hidden = await get(rest, '/rest/Account?$filter="vault.ID = 1"')
    const unknown = await get(rest, '/rest/Account?$filter="vouch.ID = 1"')
    expect([hidden.status, hidden.text.replaceAll('vault', 'vouch')]).toEqual([
      unknown.status,
      unknown.text,
    ])
  })
})
