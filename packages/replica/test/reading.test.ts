import { connect } from '@entia/client'
import { attribute, defineDataClass, where } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import { expect, test } from 'vitest'
import { ReplicaError, replicate } from '../src/index.ts'
import { CLASSES, createOffice, PAUSES, rowsOf } from './office.ts'
import { until } from './waiting.ts'

function planted(...given: Parameters<typeof createOffice>) {
  const office = createOffice(...given)
  const { store } = office
  const [paris, rome] = ['Paris', 'Rome'].map((city) =>
    store.Company.insert({ name: `${city} Ltd`, city, revenue: 100 }),
  )
  const ann = store.Employee.insert({ name: 'Ann', salary: 10, employer: paris!.ID })
  const bob = store.Employee.insert({ name: 'Bob', salary: 20, employer: rome!.ID, manager: ann })
  return { ...office, paris: paris!, rome: rome!, ann, bob }
}

test('a replica holds the entities of its shapes and follows moves into and out of them', async () => {
  const { store, db, rome, ann, bob } = planted()
  const { Company } = store
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: { Company: { filter: where(Company)('city', '=', 'Paris'), with: ['staff'] } },
    pauses: PAUSES,
  })
  const names = () =>
    replica.store.Company.query('city = Paris')
      .orderBy('name')
      .toArray()
      .map((c) => c.name)
  expect(replica.state).toBe('current')
  expect(names()).toEqual(['Paris Ltd'])
  expect(
    replica.store.Employee.query('employer.city = Paris')
      .toArray()
      .map((e) => e.name),
  ).toEqual(['Ann'])
  store.Company.update(rome.ID, { city: 'Paris' })
  store.Employee.update(ann.ID, { salary: 11 })
  await settled(replica)
  expect(names()).toEqual(['Paris Ltd', 'Rome Ltd'])
  expect(replica.store.Employee.get(bob.ID)?.manager?.name).toBe('Ann')
  expect(replica.store.Employee.get(ann.ID)?.salary).toBe(11)
  expect(replica.store.Employee.get(ann.ID)?.stamp).toBe(2)
  store.Company.update(rome.ID, { city: 'Rome' })
  await settled(replica)
  expect(names()).toEqual(['Paris Ltd'])
  expect([...replica.store.Employee.query('employer.city = Paris').keys()]).toEqual([ann.ID])
  replica.store.verify()
  await replica.close()
})

test('a stream that breaks off within a line is continued from its last moment', async () => {
  const { store, rest, ann } = planted()
  const asked: string[] = []
  let breakOff = (): void => {}
  const db = connect('http://office.test/rest', {
    fetch: async (request) => {
      const { at } = (await request.clone().json()) as { at: readonly unknown[] | null }
      const response = await rest.fetch(request)
      asked.push(at === null ? 'none' : 'moment')
      let stop: TransformStreamDefaultController<Uint8Array>
      const tap = new TransformStream<Uint8Array, Uint8Array>({
        start(controller) {
          stop = controller
        },
      })
      // As `fetch` reports a lost connection.
      breakOff = () => {
        stop.enqueue(new TextEncoder().encode('[1,'))
        stop.error(new TypeError('terminated'))
      }
      void response.body!.pipeTo(tap.writable).catch(() => {})
      return new Response(tap.readable, response)
    },
  })
  const errors: unknown[] = []
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: { Employee: true },
    pauses: PAUSES,
    onError: (error) => errors.push(error),
  })
  breakOff()
  await until(() => replica.state === 'offline')
  store.Employee.update(ann.ID, { salary: 12 })
  await until(() => replica.store.Employee.get(ann.ID)?.salary === 12)
  expect(asked).toEqual(['none', 'moment'])
  expect(errors).toEqual([])
  await replica.close()
})

test('a query that needs more than the shapes hold is refused, and names what is missing', async () => {
  const { db, paris, rome, ann } = planted()
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: {
      Company: { filter: 'city = Paris', attributes: 'name, city', with: ['staff'] },
    },
    pauses: PAUSES,
  })
  const { Company, Employee } = replica.store
  expect(problem(() => Company.query('city = Paris'))).toBe('answered')
  expect(problem(() => Company.query("city = Paris and name = 'x'"))).toBe('answered')
  expect(problem(() => Company.get(paris.ID)?.staff.count)).toBe('answered')
  expect(problem(() => Employee.get(ann.ID)?.employer?.name)).toBe('answered')
  expect(problem(() => Company.all())).toMatch(/^notReplicated: .*Company.*reshape/)
  expect(problem(() => Company.query('city = Rome'))).toMatch(/wider than the shape of Company/)
  expect(problem(() => Company.query('city = Paris or city = Rome'))).toMatch(/notReplicated/)
  expect(problem(() => Company.query('city = Paris and revenue > 1'))).toMatch(/"Company.revenue"/)
  expect(problem(() => Company.get(rome.ID))).toMatch(/notReplicated/)
  expect(problem(() => Employee.query('salary > 1'))).toMatch(/notReplicated/)
  expect(problem(() => Employee.query('employer.city = Paris and manager.name = x'))).toMatch(
    /behind "Employee.manager"/,
  )
  const inParis = Employee.query('employer.city = Paris')
  expect(problem(() => inParis.query('salary > 1').count)).toBe('answered')
  expect(problem(() => inParis.query('manager.name = x'))).toMatch(/behind "Employee.manager"/)
  await replica.reshape({ Employee: true })
  expect(problem(() => Employee.query('salary > 1'))).toBe('answered')
  expect(problem(() => Employee.query('manager.name = Ann'))).toBe('answered')
  expect(Employee.all().count).toBe(2)
  await replica.close()
})

/** What becomes of a read. */
function problem(ask: () => unknown): string {
  try {
    ask()
    return 'answered'
  } catch (error) {
    if (error instanceof ReplicaError) return `${error.code}: ${error.message}`
    throw error
  }
}

test('objects, entities and computed attributes show nothing as empty that is not held', async () => {
  const [Company, Employee] = CLASSES
  const Person = defineDataClass('Employee', {
    ...Employee.attributes,
    city: attribute.computed('string', {
      get: (entity) => (entity.employer as unknown as { city: string } | null)?.city ?? 'none',
    }),
    pay: attribute.computed('number', { get: ({ salary }) => Number(salary) }),
  })
  const { db, ann, paris } = planted()
  const options = { dataClasses: [Company, Person] as const, pauses: PAUSES }
  const replica = await replicate(db, {
    ...options,
    shapes: { Employee: { attributes: 'name, employer, manager' } },
  })
  const { Employee: held } = replica.store
  const missing = /^notReplicated: .*"Employee.employer"/
  expect(problem(() => held.get(ann.ID)?.employer)).toMatch(missing)
  expect(problem(() => held.get(ann.ID)?.city)).toMatch(missing)
  expect(held.get(ann.ID)?.manager).toBeNull()
  for (const read of [
    () => held.all().select('name, employer.name'),
    () => held.all().json('employer.*'),
    () => held.all().live(() => {}, { select: 'employer.name' }),
  ])
    expect(problem(read)).toMatch(missing)
  for (const read of [
    () => held.query("city = 'none'").count,
    () => held.all().orderBy('pay').keys(),
    () => held.all().groupBy('city').toArray(),
    () => held.all().distinct('pay'),
    () => held.all().select('salary'),
  ])
    expect(problem(read)).toMatch(/^notReplicated: .*"Employee.(salary|born)" is not among/)
  expect(problem(() => held.all().select('name, manager.name'))).toBe('answered')
  expect(problem(() => held.all().json())).toMatch(missing)
  await replica.reshape({ Employee: { with: ['employer'] } })
  expect(held.query("city = 'Paris'").keys()).toEqual([ann.ID])
  expect(held.all().select('pay, employer.name')).toHaveLength(2)
  await replica.close()

  const part = await replicate(db, {
    ...options,
    shapes: { Company: true, Employee: { filter: 'salary > 10' } },
  })
  expect(problem(() => part.store.Company.get(paris.ID)?.staff.count)).toMatch(
    /wider than the shape/,
  )
  expect(problem(() => part.store.Company.all().select('name, staff.name'))).toMatch(
    /behind "Company.staff" are not held/,
  )
  await part.close()
})

test('a shape that cannot be read is refused with its place', async () => {
  const { db } = planted()
  const refusals: string[] = []
  for (const shape of [
    'salary > 10',
    ['salary > 10'],
    null,
    { where: 'salary > 10' },
    { filter: 10 },
    { filter: 'salary > :1', parameters: 10 },
    { attributes: ['name'] },
    { with: 'employer' },
  ])
    await replicate(db, {
      dataClasses: CLASSES,
      shapes: { Employee: shape as never },
    }).catch((error: Error) => refusals.push(error.message))
  expect(refusals).toHaveLength(8)
  for (const message of refusals) expect(message).toMatch(/shape of Employee.* must be /)
  expect(refusals[0]).toContain(`{ filter: 'price > 100' }`)
})

test('a relation whose key is not among the attributes is not followed', async () => {
  const { db } = planted()
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: { Company: true, Employee: { attributes: 'name, salary, manager' } },
    pauses: PAUSES,
  })
  const { Company, Employee } = replica.store
  for (const ask of [
    () => Employee.query('employer.city = Paris'),
    () => Employee.query('employer.city != Paris or employer = null'),
    () => Employee.query('manager.employer.city = Paris'),
    () => Employee.all().orderBy('employer.name'),
    () => Employee.all().distinct('employer.name'),
    () => Company.query('staff.salary > 1'),
    () => Company.query('not (staff.salary > 1)'),
  ])
    expect(ask, String(ask)).toThrow(/"Employee.employer" is not among the attributes/)
  expect(Employee.query('manager.name = Ann').first()?.name).toBe('Bob')
  await replica.close()
})

test('shapes that the server refuses reject, and the replica goes on with others', async () => {
  const { db, store } = planted({ authorize: ({ attribute }) => attribute !== 'revenue' })
  const shapes = { Employee: true } as const
  const replica = await replicate(db, { dataClasses: CLASSES, shapes, pauses: PAUSES })
  const hidden = { Company: { filter: 'revenue > 1' } }
  for (const _ of [1, 2]) {
    await expect(replica.reshape(hidden)).rejects.toThrow(/"revenue" attribute cannot be found/)
    expect(replica.state).toBe('refused')
  }
  replica.reconnect()
  await replica.current()
  await replica.reshape({ Company: { filter: 'city = Paris' } })
  expect(replica.state).toBe('current')
  expect(replica.store.Employee.all().count).toBe(store.Employee.count)
  const closed = replica.reshape(hidden)
  await replica.close()
  await expect(closed).rejects.toThrow(/closed/)
})

test('what is computed from values that the shapes do not hold is refused', async () => {
  const { db } = planted()
  const shapes = {
    Company: { filter: 'city = Paris', attributes: 'name, city' },
    Employee: { filter: 'salary = 10' },
  }
  const replica = await replicate(db, { dataClasses: CLASSES, shapes, pauses: PAUSES })
  const view = replica.store.view({}) as unknown as typeof replica.store
  for (const store of [replica.store, view]) {
    const paris = store.dataClass('Company').query('city = Paris')
    const staff = store.dataClass('Employee').query('salary = 10')
    const refused: readonly (() => unknown)[] = [
      () => paris.sum('revenue'),
      () => paris.max('revenue'),
      () => paris.countOf('revenue'),
      () => paris.compute('revenue', { distinct: true }),
      () => paris.distinct('revenue'),
      () => paris.groupBy('revenue', { count: true }).toArray(),
      () => paris.groupBy('city', { revenue: 'sum' }).toArray(),
      () => paris.orderBy('revenue desc'),
      () => paris.query('order by revenue'),
      () => store.dataClass('Company').query('city = Paris order by revenue'),
      () => staff.orderBy('employer.name'),
      () => staff.distinct('employer.city'),
      () => staff.groupBy('employer.city', { count: true }).toArray(),
      () => staff.groupBy('name', { 'manager.salary': 'sum' }).toArray(),
      () => paris.select('name, staff.name'),
      () => paris.json('staff.*'),
      () => staff.select('employer.stamp'),
      () => staff.json('name, manager.salary'),
    ]
    for (const ask of refused) expect(ask, String(ask)).toThrow(/^The replica does not hold/)
    expect(paris.orderBy('name').distinct('city')).toEqual(['Paris'])
    expect(staff.sum('salary')).toBe(10)
    expect(staff.select('name, notes.text')).toHaveLength(1)
    expect(paris.json('*')).toContain('Paris Ltd')
    expect(staff.groupBy('name', { salary: 'max' }).first()).toMatchObject({ name: 'Ann' })
  }
  await replica.reshape({ Company: true, Employee: true })
  const { Company, Employee } = replica.store
  expect(Company.all().orderBy('revenue, name').sum('revenue')).toBe(200)
  expect(Employee.all().orderBy('employer.name').distinct('employer.city')).toHaveLength(2)
  expect(Company.query('city = Paris').select('staff.name')).toEqual([{ staff: [{ name: 'Ann' }] }])
  await replica.close()
})

test.each([
  ['continue', 10_000],
  ['marks', 1],
])(
  'after a lost connection a replica is answered "%s", with %d commits of history',
  async (mode, commits) => {
    const office = planted({}, commits)
    const { store, db, wire, ann } = office
    const replica = await replicate(db, {
      dataClasses: CLASSES,
      shapes: { Employee: true, Company: true },
      pauses: PAUSES,
    })
    office.cut()
    await until(() => replica.state === 'offline')
    store.Employee.update(ann.ID, { salary: 12 })
    store.Employee.remove(store.Employee.query('name = Bob').first()!.ID)
    wire.lines.length = 0
    office.connect()
    await settled(replica)
    expect(JSON.parse(wire.lines[0]!.split('\n')[0]!).mode).toBe(mode)
    expect(rowsOf(replica.store.Employee.all())).toEqual(rowsOf(store.Employee.all()))
    await replica.close()
  },
)

test('all values arrive: dates, objects, nulls, relations', async () => {
  const { store, db, paris } = planted()
  store.Employee.load(
    Array.from({ length: 5000 }, (_, at) => ({
      name: at % 3 === 0 ? null : `name ${at % 7}`,
      salary: at,
      born: '1990-05-06',
      notes: { text: `n${at}` },
      employer: paris.ID,
    })),
  )
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: { Employee: true, Company: true },
    pauses: PAUSES,
  })
  expect(rowsOf(replica.store.Employee.all())).toEqual(rowsOf(store.Employee.all()))
  expect(replica.store.Employee.query("born = '1990-05-06' and employer.city = Paris").count).toBe(
    5000,
  )
  replica.store.verify()
  await replica.close()
})

/** Waits for the next moments. */
async function settled(replica: { current(): Promise<void> }): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 30))
  await replica.current()
}

test('what a caller may no longer see leaves the replica, and is never sent', async () => {
  let limit = 15
  const office = planted({
    authorize: ({ dataClass, action, attribute }) =>
      dataClass === 'Employee' && action === 'read' && attribute === undefined
        ? `salary < ${limit}`
        : attribute !== 'revenue',
  })
  const { db, store, wire, rest } = office
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: { Company: true, Employee: true },
    pauses: PAUSES,
  })
  const names = () =>
    replica.store.Employee.all()
      .toArray()
      .map(({ name }) => name)
  expect(names()).toEqual(['Ann'])
  expect(() => replica.store.Company.query('revenue > 1')).toThrow(/"Company.revenue"/)
  store.Company.updateAll(
    store.Company.all()
      .toArray()
      .map(({ ID }) => ({ key: ID, patch: { revenue: 7777 } })),
  )
  store.Employee.insert({ name: 'Secret', salary: 99 })
  await settled(replica)
  limit = 5
  rest.permissionsChanged()
  await until(() => names().length === 0)
  limit = 30
  rest.permissionsChanged()
  await until(() => names().length === 2)
  const sent = wire.lines.join('')
  expect(sent).not.toMatch(/Secret|7777/)
  await replica.close()
})

test('relations of a shape lead to visible entities only, and keys of hidden ones are not sent', async () => {
  const office = planted({
    authorize: ({ dataClass, action, attribute }) =>
      attribute !== undefined || action !== 'read'
        ? true
        : dataClass === 'Employee'
          ? 'salary < 15'
          : dataClass === 'Company'
            ? 'city = Paris'
            : true,
  })
  const { db, store, wire, paris, rome, ann, bob } = office
  const eve = store.Employee.insert({ name: 'Eve', salary: 1, employer: rome.ID, manager: bob })
  store.Employee.insert({ name: 'Zoe', salary: 99, employer: paris.ID })
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: {
      Company: { with: ['staff', 'staff.manager'] },
      Employee: { filter: 'salary = 1', with: ['employer'] },
    },
    partial: true,
    pauses: PAUSES,
  })
  const held = () => ({
    companies: replica.store.Company.all().keys(),
    people: replica.store.Employee.all()
      .orderBy('name')
      .toArray()
      .map(({ name }) => name),
  })
  expect(held()).toEqual({ companies: [paris.ID], people: ['Ann', 'Eve'] })
  expect(replica.store.Employee.get(eve.ID)?.employer).toBe(null)
  // A target that becomes visible is sent with those who refer to it.
  store.Company.update(rome.ID, { city: 'Paris' })
  await settled(replica)
  expect(held().companies).toHaveLength(2)
  expect(replica.store.Employee.get(eve.ID)?.employer?.ID).toBe(rome.ID)
  store.Company.update(rome.ID, { city: 'Rome' })
  await settled(replica)
  expect(replica.store.Employee.get(eve.ID)?.employer).toBe(null)
  expect(ann.ID).not.toBe(bob.ID)
  const sent = wire.lines.join('')
  expect(sent).not.toMatch(/Bob|Zoe/)
  expect(sent).not.toContain(bob.ID)
  await replica.close()
})

test('an entity that is saved in the commit that hides what it refers to loses that key, and gets it back', async () => {
  const office = planted({
    authorize: ({ dataClass, action, attribute }) =>
      dataClass === 'Company' && action === 'read' && attribute === undefined
        ? 'city = Paris'
        : true,
  })
  const { db, store, paris, ann } = office
  const replica = await replicate(db, {
    dataClasses: CLASSES,
    shapes: { Company: true, Employee: true },
    partial: true,
    pauses: PAUSES,
  })
  // Keys that lead nowhere show in the columns only.
  const isHeld = (): boolean =>
    handleOf(replica.store).writer.tables.some(
      (table) =>
        table.model.name === 'Employee' && table.readAll(table.findKey(ann.ID)).includes(paris.ID),
    )
  expect(isHeld()).toBe(true)
  const moves = (city: string, salary: number) =>
    store.transact((tx) => {
      tx.Company.update(paris.ID, { city })
      for (const { ID } of store.Employee.all()) tx.Employee.update(ID, { salary })
    })
  moves('Rome', 1)
  await settled(replica)
  expect(isHeld()).toBe(false)
  moves('Paris', 2)
  await settled(replica)
  expect(isHeld()).toBe(true)
  expect(replica.store.Employee.get(ann.ID)?.employer?.city).toBe('Paris')
  await replica.close()
})

test.each([
  [null],
  [[]],
  ['Employee'],
  [{ Employee: [] }],
  [{ Tickets: true }],
  [{ ReplicaBatch: true }],
])('the shapes %j are refused by name', async (shapes) => {
  const { db } = createOffice()
  const options = { dataClasses: CLASSES, pauses: PAUSES } as const
  const problem = /shapes must|shape of Employee must|cannot be found\. Known: Company, Employee\.$/
  await expect(replicate(db, { ...options, shapes: shapes as never })).rejects.toThrow(problem)
  const replica = await replicate(db, { ...options, shapes: { Employee: true } })
  await expect(replica.reshape(shapes as never)).rejects.toThrow(
    /reshape must|shape of Employee must|cannot be found\. Known: Company, Employee\.$/,
  )
  await replica.close()
})
