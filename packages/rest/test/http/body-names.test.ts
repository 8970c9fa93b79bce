import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { errCodes, get, post, type Reply, send } from './send.ts'

let store: ReturnType<typeof createHr>
let rest: RestHandler
beforeEach(() => {
  store = createHr()
  rest = createRestHandler(store)
})

const messages = ({ body }: Reply): string =>
  body.__ERROR.map((entry: { message: string }) => entry.message).join('\n')

/** Refused with 400 and a message that contains all of `names`; nothing is stored. */
async function expectRefused(
  call: () => Promise<Reply>,
  ...names: readonly string[]
): Promise<Reply> {
  const before = store.dump()
  const reply = await call()
  expect([reply.status, names.filter((name) => !messages(reply).includes(name))]).toEqual([400, []])
  expect(Buffer.compare(Buffer.from(store.dump()), Buffer.from(before))).toBe(0)
  return reply
}

describe('names that begin with __', () => {
  test.each(['__STMAP', '__key', '__KYE', '__proto__', '__defineGetter__', '__'])(
    '%s is refused by name',
    async (name) => {
      const text = `{"__KEY":"4","${name}":1}`
      await expectRefused(() => post(rest, '/rest/Employee', text), `"${name}"`)
      await expectRefused(() => post(rest, '/rest/Employee(4)', text), `"${name}"`)
      await expectRefused(() => post(rest, '/rest/Employee', `[${text}]`), `"${name}"`)
      await expectRefused(
        () => post(rest, '/rest/Employee', `{"__ENTITIES":[],"${name}":1}`),
        `"${name}"`,
      )
      await expectRefused(() => post(rest, '/rest/Employee?$method=delete', text), `"${name}"`)
      await expectRefused(() => post(rest, '/rest/Employee(4)?$method=delete', text), `"${name}"`)
    },
  )

  test('every such name that occurs in answers is accepted', async () => {
    for (const read of [
      await get(rest, '/rest/Company(1)?$queryplan=true'),
      await get(rest, '/rest/Company(1)?$expand=employees,owner'),
      await post(rest, '/rest/Company', { __KEY: '1' }),
    ]) {
      const again = await post(rest, '/rest/Company', read.text)
      expect([again.status, again.body.__STAMP]).toEqual([200, 1])
    }
    const page = await get(rest, '/rest/Company?$top=2&$queryplan=true')
    expect((await post(rest, '/rest/Company', page.text)).status).toBe(200)
    const refused = await post(rest, '/rest/Employee', { __KEY: '1', salary: -1 })
    expect((await post(rest, '/rest/Employee', refused.text)).status).toBe(200)
  })
})

describe('related entities in a body', () => {
  test('are accepted only in the form in which reads show them', async () => {
    for (const employees of [
      null,
      { __deferred: { uri: '/rest/Company[1]/employees?$expand=employees' } },
      (await get(rest, '/rest/Company(1)?$expand=employees')).body.employees,
    ])
      expect((await post(rest, '/rest/Company', { __KEY: '1', employees })).body.__STAMP).toBe(1)
  })

  test.each([
    [[]],
    [[{ __KEY: '4' }]],
    ['4'],
    [4],
    [true],
    [{}],
    [{ __KEY: '4' }],
    [{ __ENTITIES: 1 }],
  ])('anything else is refused with the way to save them: %j', async (employees) => {
    await expectRefused(
      () => post(rest, '/rest/Company', { __KEY: '1', employees }),
      '"employees"',
      'saved on their own',
      '"employer"',
    )
    await expectRefused(
      () => post(rest, '/rest/Company', { name: 'New', employees }),
      'saved on their own',
    )
  })
})

describe('an update whose body is refused early', () => {
  test.each([{ nosuch: 1 }, { __STAMP: 'x' }, { employees: [] }, { __STMAP: 1 }, { owner: [1] }])(
    'speaks of the existing entity and shows it: %j',
    async (body) => {
      for (const call of [
        () => post(rest, '/rest/Company', { __KEY: '1', ...body }),
        () => post(rest, '/rest/Company(1)', body),
      ]) {
        const reply = await expectRefused(
          call,
          'The entity# 1 in the "Company" dataclass cannot be saved.',
        )
        expect(errCodes(reply).at(-1)).toBe(1517)
        expect(messages(reply)).not.toContain('new entity')
        expect(reply.body).toMatchObject({
          __STATUS: { success: false },
          __KEY: '1',
          __STAMP: 1,
          name: 'Adobe',
        })
      }
    },
  )

  test('a new entity, a missing one and one with a malformed key are reported as such', async () => {
    const created = await expectRefused(
      () => post(rest, '/rest/Company', { nosuch: 1 }),
      'The new entity',
    )
    expect([errCodes(created), created.body.__STATUS]).toEqual([[1500, 1534], { success: false }])
    expect(errCodes(await post(rest, '/rest/Company', { __KEY: '99', nosuch: 1 }))).toEqual([1542])
    await expectRefused(
      () => post(rest, '/rest/Company', { __KEY: 'abc' }),
      'The entity# abc in the "Company"',
    )
  })

  test('does not show an entity outside the filter', async () => {
    const reply = await post(rest, '/rest/Company?$filter="ID = 2"', { __KEY: '1', nosuch: 1 })
    expect([reply.status, errCodes(reply), reply.text.includes('Adobe')]).toEqual([
      404,
      [1542],
      false,
    ])
  })

  test('reports __STATUS for every failed item of a batch', async () => {
    const { body } = await post(rest, '/rest/Employee', [
      { nosuch: 1 },
      { __KEY: '99' },
      { salary: 'x' },
    ])
    expect(body.__ENTITIES.map((item: { __STATUS: unknown }) => item.__STATUS)).toEqual([
      { success: false },
      { success: false },
      { success: false },
    ])
  })
})

describe('a relation and its foreign key', () => {
  test('are refused with both names if they contradict each other, in updates and creations', async () => {
    for (const body of [
      { employer: '2', employerID: 3 },
      { employerID: 3, employer: '2' },
      { employerID: null, employer: '2' },
    ]) {
      const call = () => post(rest, '/rest/Employee', { __KEY: '1', ...body })
      await expectRefused(call, '"employer"', '"employerID"')
      await expectRefused(() => post(rest, '/rest/Employee', body), '"employer"', '"employerID"')
    }
  })

  test('may both be sent if they agree or repeat stored values', async () => {
    for (const body of [
      { employer: '2', employerID: 2 },
      { employer: '2', employerID: 1 },
      { employer: '1', employerID: 2 },
    ]) {
      const reply = await send(rest, 'POST', '/rest/Employee', { __KEY: '1', ...body })
      expect([body, reply.body.employerID]).toEqual([body, 2])
      store.Employee.update(1, { employerID: 1 })
    }
  })
})

test('an invalid direction of an order is named in the error', async () => {
  for (const [order, place] of [
    ['salary dsc', 8],
    ['lastName asc,  salary   down', 25],
    ['salary desc x', 13],
    ['salary, , ID', 9],
  ] as const) {
    const reply = await expectRefused(
      () => get(rest, `/rest/Employee?$orderby=${order}`),
      `at character ${place}:`,
    )
    const [, shown, caret] = messages(reply).split('\n')
    expect([shown, caret?.length]).toEqual([`  ${order}`, 2 + place])
  }
})
