import { splitFilter } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { describe, expect, test } from 'vitest'
import { FILTER_GUIDE } from '../src/filter-guide.ts'
import { createMcpServer } from '../src/index.ts'
import { createOffice, openAssistant } from './office.ts'

const reading = ['aggregate', 'catalog', 'distinct', 'entity', 'group', 'query']

describe('tools', () => {
  test('are read-only by default; writes are offered on request', async () => {
    const toolsOf = async (allowWrites: boolean) => {
      const { client } = await openAssistant({ allowWrites })
      return (await client.listTools()).tools
    }
    const few = await toolsOf(false)
    expect(few.map(({ name }) => name).sort()).toEqual(reading)
    expect(few.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    const all = await toolsOf(true)
    const writing = all.filter(({ annotations }) => annotations?.readOnlyHint === false)
    expect(writing.map(({ name }) => name).sort()).toEqual(['insert', 'remove', 'update'])
  })

  test('a tool that is not offered cannot be called', async () => {
    const { call, store } = await openAssistant()
    expect((await call('remove', { dataClass: 'Employee', key: 1 })).isError).toBe(true)
    expect(store.Employee.count).toBe(4)
  })

  test('refuse unknown and wrong arguments by name', async () => {
    const { call } = await openAssistant()
    expect((await call('query', { dataClass: 'Employee', limt: 3 })).text).toContain('"limt"')
    expect((await call('query', { dataClass: 'Employee', limit: 101 })).text).toContain('limit')
    expect((await call('query', { filter: 'salary > 1' })).text).toContain('dataClass')
  })
})

test('the filter guide shows what the grammar reads', () => {
  const filters = [
    "salary > 50000 and (employer.city = 'Paris' or employer is null) order by salary desc",
    "name = 'mc@'",
    "state in ['TX', 'CA']",
    'state in :1',
  ]
  const values = [`"O'Hare"`, "'2024-05-31T12:00:00Z'", "'01:30:00'"]
  for (const example of [...filters, ...values]) expect(FILTER_GUIDE).toContain(example)
  for (const filter of [...filters, ...values.map((value) => `a = ${value}`)]) splitFilter(filter)
})

describe('catalog', () => {
  test('lists dataclasses with counts, keys and attributes', async () => {
    const { call } = await openAssistant()
    const { data } = await call('catalog')
    expect(data.dataClasses).toEqual([
      {
        name: 'Company',
        key: 'ID',
        count: 2,
        attributes: [
          'ID: long, indexed, unique, not null',
          'name: string, indexed, not null',
          'staff: Employee (to-many relation)',
        ],
      },
      {
        name: 'Employee',
        key: 'ID',
        count: 4,
        attributes: [
          'ID: long, indexed, unique, not null',
          'lastName: string, indexed, not null',
          'salary: number, indexed',
          'bio: string',
          'hired: date, without a time',
          'employer: Company (to-one relation)',
          'company: string, alias, read-only, = employer.name',
        ],
      },
    ])
  })

  test('an unknown dataclass names the known ones', async () => {
    const { call } = await openAssistant()
    const { isError, text } = await call('catalog', { dataClass: 'Nope' })
    expect([isError, text]).toEqual([
      true,
      'There is no dataclass "Nope". Dataclasses: Company, Employee.',
    ])
  })
})

describe('query', () => {
  test('filters with parameters, orders, pages and explains', async () => {
    const { call } = await openAssistant()
    const { data } = await call('query', {
      dataClass: 'Employee',
      filter: 'employer.name = :1',
      parameters: ['engines'],
      orderBy: 'salary',
      attributes: 'lastName, employer.name',
      limit: 1,
      plan: true,
    })
    expect(data).toMatchObject({
      count: 2,
      skip: 0,
      rows: [
        {
          __KEY: '2',
          __STAMP: 1,
          lastName: 'Babbage',
          employer: { __KEY: '1', __STAMP: 1, name: 'Engines' },
        },
      ],
    })
    expect(data.plan).toContain('semiJoin')
  })

  test('a wrong filter answers with its place', async () => {
    const { call } = await openAssistant()
    const { isError, text } = await call('query', { dataClass: 'Employee', filter: 'salry > 1' })
    expect(isError).toBe(true)
    expect(text).toContain(
      'Known: ID, lastName, salary, bio, hired, employer, company.\n  salry > 1\n  ^',
    )
  })

  test('values of parameters are never parsed as a filter', async () => {
    const { call } = await openAssistant()
    const hostile = `x" or 'a' = 'a`
    const { data } = await call('query', {
      dataClass: 'Employee',
      filter: 'lastName = :name',
      parameters: { name: hostile },
    })
    expect(data.count).toBe(0)
  })

  test('rows beyond the limit of characters are left out, and the note says how to go on', async () => {
    const { call, store } = await openAssistant({ maxCharacters: 300 })
    const seen: unknown[] = []
    for (let skip = 0; skip < store.Employee.count; ) {
      const { data } = await call('query', { dataClass: 'Employee', orderBy: 'ID', skip })
      const rows = data.rows as readonly { readonly ID: number }[]
      expect(rows.length).toBeGreaterThan(0)
      expect(JSON.stringify(rows).length).toBeLessThanOrEqual(302)
      skip += rows.length
      if (skip < store.Employee.count) expect(data.note).toContain(`skip ${skip}`)
      seen.push(...rows.map(({ ID }) => ID))
    }
    expect(seen).toEqual([1, 2, 3, 4])
  })

  test('shows a to-many relation as a list', async () => {
    const { call } = await openAssistant()
    const { data } = await call('query', {
      dataClass: 'Company',
      filter: 'ID = 2',
      attributes: 'staff.lastName',
    })
    expect(data.rows).toEqual([
      { __KEY: '2', __STAMP: 1, staff: [{ __KEY: '3', __STAMP: 1, lastName: 'Jacquard' }] },
    ])
  })
})

describe('entity, aggregate and distinct', () => {
  test('get one entity by key', async () => {
    const { call } = await openAssistant()
    const { data } = await call('entity', { dataClass: 'Employee', key: '2', attributes: 'bio' })
    expect(data.entity).toEqual({ __KEY: '2', __STAMP: 1, bio: null })
    expect((await call('entity', { dataClass: 'Employee', key: 99 })).text).toBe(
      'Employee has no entity with the key 99.',
    )
    expect((await call('entity', { dataClass: 'Nope', key: 1 })).text).toContain('no dataclass')
  })

  test('answer the aggregates of the engine', async () => {
    const { call } = await openAssistant()
    const { data } = await call('aggregate', {
      dataClass: 'Employee',
      attribute: 'salary',
      filter: 'salary > 1',
    })
    expect(data).toEqual({ count: 2, sum: 108000, average: 54000, min: 48000, max: 60000 })
  })

  test('answer groups with aggregates, a condition and an order', async () => {
    const { call } = await openAssistant()
    const question = {
      dataClass: 'Employee',
      by: 'company',
      aggregates: 'count, salary.max',
      filter: 'salary > :1',
      parameters: [0.15],
    }
    const { data } = await call('group', { ...question, orderBy: 'salary.max desc' })
    expect(data).toEqual({
      count: 2,
      skip: 0,
      groups: [
        { company: 'Engines', count: 2, salary: { max: 60_000 } },
        { company: null, count: 1, salary: { max: 0.2 } },
      ],
    })
    expect((await call('group', { ...question, having: 'count > 1' })).data.count).toBe(1)
    expect((await call('group', { ...question, having: 'cont > 1' })).text).toContain('"cont"')
    expect((await call('group', { ...question, by: 'compny' })).text).toContain('"compny"')
  })

  test('answer distinct values in order, page by page', async () => {
    const { call } = await openAssistant({ maxRows: 1 })
    const first = await call('distinct', { dataClass: 'Employee', attribute: 'company' })
    expect(first.data.values).toEqual(['Engines'])
    expect(first.data.note).toContain('skip 1')
    const next = await call('distinct', { dataClass: 'Employee', attribute: 'company', skip: 1 })
    expect(next.data.values).toEqual(['Looms'])
  })
})

describe('writes', () => {
  test('insert, update by stamp, remove', async () => {
    const { call, store } = await openAssistant({ allowWrites: true })
    const inserted = await call('insert', {
      dataClass: 'Employee',
      values: { lastName: 'Noether', employer: 2 },
    })
    expect(inserted.data.entity).toMatchObject({ __KEY: '5', __STAMP: 1, company: 'Looms' })
    const change = { dataClass: 'Employee', key: 5, stamp: 1, values: { salary: 7, __KEY: '1' } }
    expect((await call('update', change)).data.entity).toMatchObject({ __KEY: '5', salary: 7 })
    expect((await call('update', change)).text).toContain('does not match current one (2)')
    expect((await call('remove', { dataClass: 'Employee', key: 5, stamp: 1 })).isError).toBe(true)
    expect((await call('remove', { dataClass: 'Employee', key: 5 })).data).toEqual({
      removed: true,
    })
    expect(store.Employee.count).toBe(4)
  })

  test('an entity is saved as it was read or stored', async () => {
    const { call, store } = await openAssistant({ allowWrites: true })
    const { data } = await call('entity', { dataClass: 'Employee', key: 1 })
    const read = { ...(data.entity as object), salary: 1, company: 'Engines' }
    const saved = await call('update', { dataClass: 'Employee', key: 1, values: read })
    expect(saved.data.entity).toMatchObject({ __STAMP: 2, employer: { __KEY: '1' }, salary: 1 })
    const values = { ...(saved.data.entity as object), salary: 2 }
    const { isError, text } = await call('update', { dataClass: 'Employee', key: 1, values })
    expect([isError, text]).toEqual([false, expect.stringContaining('"salary":2')])
    expect(store.Employee.get(1)?.employer?.name).toBe('Engines')
  })

  test('rules of the model hold', async () => {
    const { call, store } = await openAssistant({ allowWrites: true })
    const wrong = await call('insert', {
      dataClass: 'Employee',
      values: { lastName: 'x', salary: -1 },
    })
    expect(wrong.text).toContain('"salary" cannot be less than 0')
    expect(store.Employee.count).toBe(4)
  })
})

test('permissions are those of the interface', async () => {
  const { call } = await openAssistant(
    { allowWrites: true },
    {
      authorize: ({ dataClass, action, attribute }) =>
        action === 'read' || action === 'describe'
          ? attribute !== 'salary' && (dataClass !== 'Company' || 'name = "Looms"')
          : false,
    },
  )
  const { data } = await call('catalog')
  expect(data.dataClasses).toMatchObject([
    { name: 'Company', count: 1 },
    { name: 'Employee', count: 4 },
  ])
  expect(JSON.stringify(data)).not.toContain('salary')
  const refused = await call('insert', { dataClass: 'Company', values: { name: 'x' } })
  expect(refused.text).toContain('The caller of this server has no permission for it.')
  expect((await call('aggregate', { dataClass: 'Employee', attribute: 'salary' })).isError).toBe(
    true,
  )
})

test('options are checked when the server is created', () => {
  const handler = createRestHandler(createOffice())
  const create = (options: object) => () => createMcpServer(handler, options)
  expect(create({ alowWrites: true })).toThrow('createMcpServer has no option "alowWrites"')
  expect(create({ maxRows: 0 })).toThrow('maxRows must be a whole number from 1, not 0')
  expect(create({ allowWrites: 'yes' })).toThrow('allowWrites must be true or false')
})

test.each([
  ['2021-03-01', '!!yyyy-mm-dd!!'],
  ['2021-03-01', 'd!m!yyyy'],
  ['-000001-03-01', 'd!m!yyyy'],
  ['+012345-03-01', 'd!m!yyyy'],
] as const)(
  'the calendar date %s is in ISO 8601, of a server that writes %s',
  async (hired, dateOnlyFormat) => {
    const { call } = await openAssistant({ allowWrites: true }, { dateOnlyFormat })
    const dataClass = 'Employee'
    const written = await call('update', { dataClass, key: 1, values: { hired } })
    expect(written.data).toMatchObject({ entity: { hired } })
    const filter = `hired = '${hired}'`
    expect((await call('query', { dataClass, filter })).data).toMatchObject({
      rows: [{ hired }],
    })
    const found = await call('query', { dataClass: 'Company', attributes: 'staff.hired', limit: 1 })
    expect(JSON.stringify(found.data)).toContain(`"hired":"${hired}"`)
    expect((await call('aggregate', { dataClass, attribute: 'hired' })).data).toMatchObject({
      min: hired,
      max: hired,
    })
    expect((await call('distinct', { dataClass, attribute: 'hired', filter })).data).toEqual({
      values: [hired],
    })
    for (const [by, aggregates, group] of [
      ['hired', 'count', { hired }],
      ['company', 'hired.max', { company: 'Engines', hired: { max: hired } }],
    ] as const) {
      const grouped = await call('group', { dataClass, by, aggregates, filter })
      expect(grouped.data, grouped.text).toMatchObject({ groups: [group] })
    }
    expect((await call('catalog', { dataClass })).text).toContain('hired: date, without a time')
  },
)
