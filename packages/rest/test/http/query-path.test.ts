import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr, createOrders, fixedPorts } from './models.ts'
import { expectError, get } from './send.ts'

let orders: RestHandler
let hr: RestHandler
beforeEach(() => {
  orders = createRestHandler(createOrders())
  hr = createRestHandler(createHr())
})

const filtered = (filter: string): string => `$filter="${filter}"&$querypath=true`
const bought = filtered('Quantity > 4 AND Purchaser.Name = user2')

interface Step {
  readonly description?: string
  readonly recordsfounds?: number
  readonly steps?: readonly Step[]
}
/** A step without its time: `[description, found, …steps]`. */
const brief = ({ description, recordsfounds, steps }: Step): unknown =>
  description === undefined
    ? steps?.map(brief)
    : [description, recordsfounds, ...(steps ?? []).map(brief)]

async function pathOf(rest: RestHandler, url: string): Promise<unknown> {
  const { body } = await get(rest, url)
  expect(Object.keys(body.__queryPath)).toEqual(['steps'])
  expect(body.__queryPath.steps).toHaveLength(1)
  return brief(body.__queryPath.steps[0])
}

describe('$querypath', () => {
  test('reports how many records each part of the filter found, as first members of the envelope', async () => {
    const { body } = await get(orders, `/rest/Orders?${bought}`)
    expect(Object.keys(body).slice(0, 3)).toEqual([
      '__queryPath',
      '__extendedQueryPath',
      '__DATACLASS',
    ])
    expect(body.__COUNT).toBe(1)
    // The clock does not advance in this test.
    expect(body.__queryPath).toEqual({
      steps: [
        {
          description: 'AND',
          time: 0,
          recordsfounds: 1,
          steps: [
            {
              description: 'Join on Table : Users  :  Orders.Purchaser = Users.ID',
              time: 0,
              recordsfounds: 9,
              steps: [
                { steps: [{ description: 'Users.Name === user2', time: 0, recordsfounds: 1 }] },
              ],
            },
            { description: 'Orders.Quantity > 4', time: 0, recordsfounds: 1 },
          ],
        },
      ],
    })
  })

  test('has an extended form: the extended plan with the count of each node', async () => {
    const measured = (foundRecords: number) => ({ timeTaken: 0, foundRecords })
    expect((await get(orders, `/rest/Orders?${bought}`)).body.__extendedQueryPath).toEqual({
      type: 'LogicOperatorNode',
      logicOper: 'And',
      parts: [
        {
          type: 'JoinNode',
          targetTable: 'Users',
          instance: 1,
          joinPath: [
            {
              leftTable: 'Orders',
              leftField: 'Purchaser',
              leftInstance: 1,
              rightTable: 'Users',
              rightField: 'ID',
              rightInstance: 1,
            },
          ],
          filter: {
            type: 'SeqNode',
            field: 'Name',
            table: 'Users',
            instance: 1,
            oper: ' === ',
            value: 'user2',
            ...measured(1),
          },
          ...measured(9),
        },
        {
          type: 'SeqNode',
          field: 'Quantity',
          table: 'Orders',
          instance: 1,
          oper: ' > ',
          value: 4,
          ...measured(1),
        },
      ],
      ...measured(1),
    })
  })

  test('neither runs nor lists parts after a part of an AND that finds nothing', async () => {
    const join = 'Join on Table : Company  :  Employee.employerID = Company.ID'
    expect(
      await pathOf(hr, `/rest/Employee?${filtered('employer.name=acme AND firstName=Ada')}`),
    ).toEqual(['AND', 0, [join, 0, [['[index : Company.name ] === acme', 0]]]])
    const { body } = await get(
      hr,
      `/rest/Employee?${filtered('employer.name=acme AND firstName=Ada')}`,
    )
    expect(body.__extendedQueryPath.parts).toHaveLength(1)
    expect(body.__COUNT).toBe(0)
  })

  test.each([
    ['salary > 35000', ['[index : Employee.salary ] > 35000', 2]],
    ['lastName = B@', ['[index : Employee.lastName ] = B@', 1]],
    ['firstName = a@', ['Employee.firstName = a@', 2]],
    [
      'firstName = Ada or salary > 35000',
      ['OR', 2, ['Employee.firstName === Ada', 1], ['[index : Employee.salary ] > 35000', 2]],
    ],
    ['not(firstName = Ada)', ['NOT', 3, ['Employee.firstName === Ada', 1]]],
    ['employer = null', ['[index : Employee.employerID ] is null', 1]],
    [
      'employer.employees != null',
      [
        'Join on Table : Company  :  Employee.employerID = Company.ID',
        3,
        [['Join on Table : Employee  :  Company.ID = Employee.employerID', 2]],
      ],
    ],
    ['notes.level.n = 3', ['Employee.notes.level.n === 3', 1]],
    ['fullName begin Ada', ['Employee.fullName begin Ada', 1]],
    [
      'employer.city = Clichy or employer.city = Cupertino and firstName = Ann',
      [
        'OR',
        1,
        [
          'Join on Table : Company  :  Employee.employerID = Company.ID',
          0,
          [['[index : Company.city ] === Clichy', 1]],
        ],
        [
          'AND',
          1,
          [
            'Join on Table : Company  :  Employee.employerID = Company.ID',
            1,
            [['[index : Company.city ] === Cupertino', 1]],
          ],
          ['Employee.firstName === Ann', 1],
        ],
      ],
    ],
  ])('%s', async (filter, expected) => {
    expect(await pathOf(hr, `/rest/Employee?${filtered(filter)}`)).toEqual(expected)
  })

  test('follows the plan if both are requested', async () => {
    const { body } = await get(orders, `/rest/Orders?${bought}&$queryplan=true`)
    expect(Object.keys(body).slice(0, 5)).toEqual([
      '__queryPlan',
      '__extendedQueryPlan',
      '__queryPath',
      '__extendedQueryPath',
      '__DATACLASS',
    ])
  })

  test('is empty without a filter, and absent unless requested', async () => {
    const { body } = await get(orders, '/rest/Orders?$querypath=true')
    expect([body.__queryPath, body.__extendedQueryPath]).toEqual([{}, {}])
    const plain = await get(orders, '/rest/Orders?$querypath=false&$filter="ID=1"')
    expect(Object.hasOwn(plain.body, '__queryPath')).toBe(false)
  })

  test('is a member of every answer that is an object, and in a header of other answers', async () => {
    for (const url of [
      `/rest/Orders[20]?${bought}`,
      `/rest/Orders/Quantity?$compute=$all&${bought}`,
      `/rest/Orders?$format=dashboard&${bought}`,
      `/rest/Orders?$method=entityset&${bought}`,
    ]) {
      const { status, body } = await get(orders, url)
      expect([url, status, body.__queryPath.steps[0].recordsfounds]).toEqual([url, 200, 1])
    }
    for (const url of [
      `/rest/Orders?$asArray=true&${bought}`,
      `/rest/Orders/Quantity?$distinct=true&${bought}`,
      `/rest/Orders/Quantity?$compute=sum&${bought}`,
    ]) {
      const { headers, body } = await get(orders, url)
      expect(Object.keys(JSON.parse(headers['entia-query-plan']!))).toEqual([
        '__queryPath',
        '__extendedQueryPath',
      ])
      expect(Object.hasOwn(Object(body), '__queryPath')).toBe(false)
      const both = await get(orders, `${url}&$queryplan=true`)
      expect(Object.keys(JSON.parse(both.headers['entia-query-plan']!))).toHaveLength(4)
    }
  })

  test('counts entities of the dataclass, whatever the filter is applied to', async () => {
    expect(
      await pathOf(orders, `/rest/Users(4)/Orders?$expand=Orders&${filtered('Quantity > 1')}`),
    ).toEqual(['Orders.Quantity > 1', expect.any(Number)])
    const inside = (await pathOf(
      orders,
      `/rest/Users(4)/Orders?$expand=Orders&${filtered('Quantity > 1')}`,
    )) as number[]
    expect(inside[1]).toBe((await get(orders, '/rest/Orders?$filter="Quantity > 1"')).body.__COUNT)
  })

  test('reports times: a part takes no longer than the whole', async () => {
    let ticks = 100
    const Note = defineDataClass('Note', {
      ID: attribute.long({ key: true, autoSequence: true }),
      a: attribute.long(),
      b: attribute.long(),
    })
    const clock = { now: () => 1, monotonic: () => ++ticks }
    const store = createDataStore({ name: 'notes', dataClasses: [Note], ...fixedPorts(), clock })
    store.Note.insert({ a: 1, b: 1 })
    const { body } = await get(createRestHandler(store), `/rest/Note?${filtered('a=1 and b=1')}`)
    const [{ time, steps }] = body.__queryPath.steps
    const times = steps.map((step: { time: number }) => step.time)
    expect(times).toHaveLength(2)
    expect(Math.min(...times)).toBeGreaterThan(0)
    expect(time).toBeGreaterThan(times[0] + times[1])
  })

  test('does not show a hidden name behind an exposed alias', async () => {
    const { status, text } = await get(
      hr,
      `/rest/Employee?${filtered('employerRating > 3')}&$attributes=ID&$queryplan=true`,
    )
    expect(status).toBe(200)
    expect(text).not.toContain('secretRating')
    expect(text).toContain('Company.(hidden) > 3')
  })
})

describe('$explain', () => {
  test('explains how a page was found: operators, index, estimated and actual rows', async () => {
    const { body } = await get(
      hr,
      '/rest/Employee?$filter="salary > 1"&$orderby=lastName&$top=2&$explain=true',
    )
    const { filter, text, root } = body.__explain
    expect(filter).toContain('salary > 1')
    expect(text).toContain('salary > 1')
    expect(root).toMatchObject({
      operator: expect.any(String),
      actualRows: 2,
      inputs: [expect.anything()],
    })
    // Of a model with hidden attributes the plan says which indexes it uses, and nothing else of
    // attributes.
    expect(JSON.stringify(root)).toContain('"index":"Employee.salary"')
    expect(JSON.stringify(root)).not.toMatch(/"detail":"[^"]/)
    expect(root.inputs[0]).toMatchObject({
      estimatedRows: expect.any(Number),
      isExact: expect.any(Boolean),
    })
    expect(Object.keys((await get(hr, '/rest/Employee?$top=2')).body)).not.toContain('__explain')
  })

  test('shows all details if nothing in the model is hidden', async () => {
    const Note = defineDataClass('Note', {
      ID: attribute.long({ key: true }),
      text: attribute.string({ indexed: true }),
    })
    const store = createDataStore({ name: 'notes', dataClasses: [Note] })
    store.Note.load([
      { ID: 1, text: 'a' },
      { ID: 2, text: 'b' },
    ])
    const { body } = await get(
      createRestHandler(store),
      '/rest/Note?$filter="text = b"&$explain=true',
    )
    expect(JSON.stringify(body.__explain.root)).toMatch(/"detail":"[^"]*Note\.text/)
  })

  test('is available for pages only', async () => {
    for (const url of [
      '/rest/Employee(1)?$explain=true',
      '/rest/Employee/salary?$compute=sum&$explain=true',
    ])
      expectError(await get(hr, url), 400, 1813)
    expectError(await get(hr, '/rest/Employee?$explain=maybe'), 400, 9100)
  })
})
