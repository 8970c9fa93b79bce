import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createLocalEngine } from '@entia/engine'
import { beforeEach, describe, expect, test } from 'vitest'
import type { OperatorAction, RestOptions } from '../../src/index.ts'
import { createHandlerOf, type RestHandler } from '../../src/transport/handler/rest-handler.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string(),
  salary: attribute.number(),
  employer: attribute.relatedEntity('Company'),
})

let now: number
let rest: RestHandler
let store: ReturnType<typeof createHr>
/** Called between time slices, while requests run. */
let between: () => unknown

function createHr() {
  const clock = { now: () => now, monotonic: () => now }
  const hr = createDataStore({ name: 'hr', dataClasses: [Company, Employee], clock })
  hr.Company.load([{ name: 'Acme' }])
  hr.Employee.load(
    Array.from({ length: 3000 }, (_, at) => ({
      lastName: `Secret${at}`,
      salary: at,
      employer: 1,
    })),
  )
  return hr
}

function serve(options: RestOptions): RestHandler {
  now = 1000
  between = () => {}
  store = createHr()
  const nextSlice = async () => {
    await between()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const host = { nextSlice, monotonic: () => now }
  return createHandlerOf(createLocalEngine(store, nextSlice), options, { host })
}

async function ask(url: string, method = 'GET', content?: unknown) {
  const body = content === undefined ? {} : { body: JSON.stringify(content) }
  const headers = { 'content-type': 'application/json', host: 'localhost' }
  const reply = await rest.handle({ method, url: `/rest/${url}`, headers, ...body })
  return { status: reply.status, headers: reply.headers, body: JSON.parse(String(reply.body)) }
}

const codesOf = (body: { __ERROR?: { errCode: number }[] }) =>
  body.__ERROR?.map(({ errCode }) => errCode)

const LONG = 'Employee?$filter="lastName=Secret2999 or salary<2998"&$orderby=lastName&$top=2000'

beforeEach(() => {
  rest = serve({ operator: () => true, live: true, slow: { milliseconds: 0 } })
})

describe('the addresses for operators', () => {
  test('do not exist without the option', async () => {
    rest = serve({})
    for (const part of ['', '/requests', '/requests/1', '/sizes', '/nothing'])
      expect((await ask(`$operator${part}`)).status, part).toBe(404)
  })

  test('exist for the actions that the rule allows, and look like unknown ones for others', async () => {
    const asked: OperatorAction[] = []
    rest = serve({
      operator: ({ action, remoteAddress, header }) => {
        asked.push(action)
        return action === 'look' && remoteAddress === '' && header('host') === 'localhost'
      },
    })
    expect(await ask('$operator')).toMatchObject({
      status: 200,
      body: { actions: ['look'], offersAdvice: false, createsIndexes: true },
    })
    const unknown = await ask('$nothing')
    for (const [method, url] of [
      ['DELETE', '$operator/requests/1'],
      ['POST', '$operator/indexes/Employee/salary'],
    ] as const)
      expect((await ask(url, method)).status, url).toBe(unknown.status)
    expect(store.Employee.query('salary = 1').explain().root.index).toBeNull()
  })

  test('ask the rule once about the action that is requested, and the overview about each', async () => {
    const asked: OperatorAction[] = []
    let mayLook = true
    rest = serve({
      operator: ({ action }) => {
        asked.push(action)
        return action !== 'look' || mayLook
      },
    })
    const askedBy = async (url: string, method?: string) => {
      asked.length = 0
      await ask(url, method)
      return asked
    }
    for (const part of ['requests', 'requests/1', 'sizes', 'indexes', 'streams', 'storage'])
      expect(await askedBy(`$operator/${part}`), part).toEqual(['look'])
    expect(await askedBy('$operator/requests/1', 'DELETE')).toEqual(['stop'])
    expect(await askedBy('$operator/indexes/Employee/salary', 'POST')).toEqual(['createIndex'])
    expect(await askedBy('$operator/sizes', 'POST')).toEqual(['look'])
    expect(await askedBy('$operator/indexes/Employee/salary')).toEqual(['look'])
    expect(await askedBy('$operator')).toEqual(['look', 'stop', 'createIndex'])
    mayLook = false
    expect(await askedBy('$operator')).toEqual(['look'])
    expect(await askedBy('$operator/requests/1', 'DELETE')).toEqual(['stop'])
  })

  test('are refused with a verb that they do not have, and with any that is unknown below', async () => {
    expect(await ask('$operator/sizes', 'POST')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    })
    expect(await ask('$operator/requests/1', 'PUT')).toMatchObject({ status: 405 })
    expect(await ask('$operator/requests/1')).toMatchObject({ status: 404 })
    for (const url of ['$operator/x', '$operator/requests/x', '$operator/sizes/x'])
      expect((await ask(url)).status, url).toBe(404)
  })

  test('are unknown to every caller if the rule throws', async () => {
    const reported: unknown[] = []
    rest = serve({
      operator: () => {
        throw new Error('no directory')
      },
      onError: (error) => reported.push(error),
    })
    expect((await ask('$operator')).status).toBe(404)
    expect(reported).toHaveLength(1)
  })
})

describe('running requests', () => {
  test('are listed with their plan, and without values of filters and keys', async () => {
    let list: { requests: object[] } | undefined
    let plan: readonly string[] | undefined
    between = async () => {
      between = () => {}
      now += 40
      list = (await ask('$operator/requests')).body
      plan = (await ask('$operator/requests/1')).body.plan
    }
    expect((await ask(LONG)).status).toBe(200)
    expect(list?.requests).toEqual([
      {
        id: 1,
        method: 'GET',
        path: '/Employee',
        user: null,
        remoteAddress: '',
        milliseconds: 40,
        operation: 'page',
        name: 'Employee',
        filter: 'lastName === ? or salary < ?',
        orderBy: 'lastName',
        canStop: true,
        isStopped: false,
      },
    ])
    expect(plan).toEqual([expect.stringMatching(/^scan/)])
    expect(JSON.stringify([list, plan])).not.toMatch(/Secret|299/)
    expect((await ask('$operator/requests')).body).toEqual({ requests: [] })
  })

  test('are stopped by an error of their own, while others go on', async () => {
    between = async () => {
      between = () => {}
      expect((await ask('$operator/requests/1', 'DELETE')).status).toBe(200)
    }
    const [stopped, other] = await Promise.all([ask(LONG), ask(LONG)])
    expect([stopped.status, codesOf(stopped.body)]).toEqual([409, [9171]])
    expect([other.status, other.body.__COUNT]).toEqual([200, 2999])
    expect(await ask('$operator/requests/1', 'DELETE')).toMatchObject({ status: 404 })
  })

  test('that wait for others are stopped at once', async () => {
    const order: string[] = []
    let slices = 0
    between = async () => {
      if (++slices === 3) {
        const { body } = await ask('$operator/requests')
        expect(body.requests).toHaveLength(3)
        expect((await ask('$operator/requests/3', 'DELETE')).status).toBe(200)
      }
    }
    const named = (name: string) => ask(LONG).then(({ status }) => order.push(`${name} ${status}`))
    await Promise.all([named('first'), named('second'), named('waiting')])
    expect(order).toEqual(['waiting 409', 'first 200', 'second 200'])
  })

  test('that change something run to their end', async () => {
    const items = Array.from({ length: 1500 }, (_, at) => ({ __KEY: `${at + 1}`, salary: 1 }))
    let listed: object[] | undefined
    let refusal: Awaited<ReturnType<typeof ask>> | undefined
    between = async () => {
      between = () => {}
      listed = (await ask('$operator/requests')).body.requests
      refusal = await ask('$operator/requests/1', 'DELETE')
    }
    expect((await ask('Employee?$method=update', 'POST', items)).status).toBe(200)
    expect(listed).toMatchObject([{ method: 'POST', canStop: false }])
    expect([refusal?.status, codesOf(refusal?.body)]).toEqual([409, [9173]])
    expect(store.Employee.query('salary = 1').count).toBe(1500)
  })
})

test('sizes are those of each attribute and index, the largest dataclass first', async () => {
  const { dataClasses } = (await ask('$operator/sizes')).body
  expect(dataClasses.map(({ dataClass }: { dataClass: string }) => dataClass)).toEqual([
    'Employee',
    'Company',
  ])
  const [{ entities, bytes, other, attributes }] = dataClasses
  expect(entities).toBe(3000)
  const parts = attributes.reduce(
    (sum: number, one: { bytes: number; index: number | null }) =>
      sum + one.bytes + (one.index ?? 0),
    other,
  )
  expect(bytes).toBe(parts)
  const salary = attributes.find(({ name }: { name: string }) => name === 'salary')
  expect(salary.bytes).toBeGreaterThanOrEqual(3000 * 8)
  expect(salary).toMatchObject({ index: null, proposal: { bytes: expect.any(Number) } })
  expect(attributes.find(({ name }: { name: string }) => name === 'ID').index).toBeGreaterThan(0)
})

test('an index that slow reads would have used is proposed, created, and no longer proposed', async () => {
  await ask('Employee?$filter="salary=7"')
  await new Promise((resolve) => setImmediate(resolve))
  const before = (await ask('$operator/indexes')).body.indexes
  expect(before).toEqual([
    expect.objectContaining({
      dataClass: 'Employee',
      attribute: 'salary',
      change: 'indexed: true',
      looksAt: 3000,
      finds: 1,
      bytes: 48_000,
      buildMilliseconds: expect.closeTo(3.3, 1),
    }),
  ])
  expect((await ask('$operator/indexes/Employee/salary', 'POST')).status).toBe(200)
  expect(store.Employee.query('salary = 7').explain().root.index).toBe('Employee.salary')
  expect((await ask('$operator/indexes')).body.indexes).toEqual([])
  expect((await ask('$operator/indexes/Employee/nothing', 'POST')).status).toBe(400)
  expect((await ask('$operator/indexes/Nothing/salary', 'POST')).status).toBe(404)
  expect((await ask('$operator/indexes/Employee/employer', 'POST')).status).toBe(400)
})

test('streams are listed with the time that their changes wait for the client', async () => {
  const headers = { host: 'localhost' }
  const url = '/rest/Employee?$filter="salary>2990"&$live=true'
  const { stream } = await rest.handle({ method: 'GET', url, headers })
  const events = stream![Symbol.asyncIterator]()
  await events.next()
  const listed = async () => (await ask('$operator/streams')).body.streams
  expect(await listed()).toEqual([
    {
      kind: 'live',
      user: null,
      dataClasses: ['Employee'],
      plan: 'incremental',
      replica: null,
      behindMilliseconds: 0,
    },
  ])
  store.Employee.update(2999, { salary: 5000 })
  now += 300
  await new Promise((resolve) => setImmediate(resolve))
  expect(await listed()).toMatchObject([{ behindMilliseconds: 300 }])
  await events.next()
  expect(await listed()).toMatchObject([{ behindMilliseconds: 0 }])
  rest.endStreams()
  expect(await listed()).toEqual([])
})

test('the storage of a store in memory has its history', async () => {
  store.Employee.update(1, { salary: 8 })
  expect((await ask('$operator/storage')).body).toEqual({
    storage: {
      kind: 'memory',
      globalStamp: store.globalStamp,
      historyCommits: store.figures.historyCommits,
      historyBytes: expect.any(Number),
      journal: null,
    },
  })
})
