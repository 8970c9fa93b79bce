// Claims about the inferred types. The compiler checks them (tsconfig.test.json); vitest also runs
// the definitions.
import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import type { AnyDataStore } from '../../src/model/store-types.ts'
import type { EntityOf } from '../../src/model/table-types.ts'
import type { ValuesOf } from '../../src/model/value-types.ts'
import { type CreateDataStore, createDataStore as makeStore } from '../../src/store/create-store.ts'
import type { Media } from '../../src/value/types.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <_T extends true>(): void => {}

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string({ indexed: true }),
  revenue: attribute.number(),
  employees: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass(
  'Employee',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    firstName: attribute.string(),
    lastName: attribute.string({ indexed: true }),
    email: attribute.string({ unique: true, collation: 'exact' }),
    salary: attribute.number({ indexed: true, min: 0 }),
    birthDate: attribute.date({ dateOnly: true }),
    active: attribute.bool({ notNull: true, default: true }),
    notes: attribute.object<{ tags: string[] }>({ notNull: true, default: { tags: [] } }),
    anything: attribute.object(),
    photo: attribute.image(),
    cv: attribute.blob(),
    badge: attribute.uuid({ readOnly: true }),
    employer: attribute.relatedEntity('Company', { foreignKey: 'employerID', onDelete: 'null' }),
    employerID: attribute.long(),
    manager: attribute.relatedEntity('Employee'),
    reports: attribute.relatedEntities('Employee', 'manager'),
    fullName: attribute.computed('string', {
      get: (e: { firstName: string | null; lastName: string | null }) =>
        `${e.firstName} ${e.lastName}`,
    }),
    shout: attribute.computed('string', { get: (e) => e.lastName.toUpperCase() }),
    monthly: attribute.computed('number', {
      get: (e: { salary: number | null }) => (e.salary === null ? null : e.salary / 12),
      set: (value) => ({ salary: value === null ? null : value * 12 }),
    }),
    employerName: attribute.alias('employer.name'),
    bossOfBoss: attribute.alias('manager.manager.lastName'),
  },
  {
    functions: {
      bestPaid: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }) => dataClass.all().orderBy('salary desc').first(),
      },
      totalSalary: {
        on: 'selection',
        exposed: true,
        run: ({ selection }) => selection.sum('salary'),
      },
      greet: {
        on: 'entity',
        exposed: true,
        onHttpGet: true,
        run: ({ entity }, word: string) =>
          `${word} ${entity.firstName} of ${entity.manager?.manager?.lastName}`,
      },
    },
    hooks: {
      init: (draft) => {
        draft.badge = '0123456789ABCDEF0123456789ABCDEF'
        draft.notes.tags.push('new')
      },
      validateSave: (entity, { before }) =>
        entity.salary! > 1e6 && before?.salary !== entity.salary
          ? { errCode: 10001, message: 'salary looks wrong' }
          : undefined,
    },
    exposed: true,
    collectionName: 'EmployeeSelection',
    extraProperties: { panelColor: '#3366cc' },
  },
)

const Ticket = defineDataClass('Ticket', {
  ID: attribute.uuid({ key: true }),
  issuedBy: attribute.string({ notNull: true, readOnly: true }),
  price: attribute.number({ notNull: true }),
})
const Label = defineDataClass('Label', {
  code: attribute.string({ key: true, readOnly: true }),
  text: attribute.string({ readOnly: true }),
  colour: attribute.string(),
})

declare const createDataStore: CreateDataStore
declare const dynamic: string

/** Never called: only the compiler reads it. */
function reading() {
  const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
  const e = store.Employee.get(7)!
  is<Equal<EntityOf<typeof store.Employee>['birthDate'], string | null>>()
  is<Equal<ValuesOf<typeof Company>['name'], string>>()
  is<Equal<keyof ValuesOf<typeof Company>, 'ID' | 'name' | 'city' | 'revenue'>>()
  is<Equal<typeof e.ID, number>>()
  is<Equal<typeof e.key, number>>()
  is<Equal<typeof e.stamp, number>>()
  is<Equal<typeof e.timestamp, string>>()
  is<Equal<typeof e.salary, number | null>>()
  is<Equal<typeof e.active, boolean>>()
  is<Equal<typeof e.birthDate, string | null>>()
  is<Equal<typeof e.photo, Media | null>>()
  is<Equal<typeof e.notes, { readonly tags: readonly string[] }>>()
  is<Equal<typeof e.fullName, string>>()
  is<Equal<typeof e.shout, string | null>>()
  is<Equal<typeof e.monthly, number | null>>()
  is<Equal<typeof e.employerName, string | null>>()
  is<Equal<typeof e.bossOfBoss, string | null>>()
  is<Equal<NonNullable<typeof e.employer>['name'], string>>()
  // Both ways, as deep as one likes.
  const back = e.employer!.employees.first()!.employer!.employees.toArray()[0]!
  is<Equal<typeof back.lastName, string | null>>()
  // @ts-expect-error what is handed out cannot be changed
  e.salary = 1
  // @ts-expect-error nor inside
  e.notes.tags.push('x')

  const rich = store.Employee.query('salary > :1 and employer.city = :2', [50_000, 'Paris'])
  is<Equal<typeof rich.dataClass.name, 'Employee'>>()
  for (const each of rich) is<Equal<typeof each.lastName, string | null>>()
  rich
    .page(0, 10)
    .orderBy('salary desc, lastName')
    .orderBy('employer.name ASC, notes.a.b')
    .orderBy(dynamic)
  is<Equal<ReturnType<typeof rich.keys>, readonly number[]>>()
  // @ts-expect-error misspelt order
  rich.orderBy('salary desc, lastNam')
  // @ts-expect-error misspelt behind a relation
  rich.orderBy('employer.cityy')
  // @ts-expect-error not a direction
  rich.orderBy('salary down')
  // @ts-expect-error text has no properties
  rich.orderBy('lastName.length')
  // @ts-expect-error a relation has no order
  rich.orderBy('employer')
  // @ts-expect-error nor has one behind another
  rich.orderBy('salary, employer.employees desc')
  // @ts-expect-error an order by many entities
  rich.orderBy('reports.lastName')
  // @ts-expect-error images have no order
  rich.orderBy('photo')
  // @ts-expect-error objects have none
  rich.orderBy('notes')
  // @ts-expect-error a relation makes no groups
  rich.groupBy('employer')
  // @ts-expect-error many entities make none
  rich.groupBy('reports.lastName')
  // @ts-expect-error images make none
  rich.groupBy('lastName, photo')
  // @ts-expect-error a relation has no distinct values
  rich.distinct('employer')
  rich.distinct('reports.lastName')

  const rows = rich.select(
    'lastName, employer.name, employer.city, employer.employees.ID, reports.lastName',
  )
  const row = rows[0]!
  is<Equal<typeof row.lastName, string | null>>()
  is<Equal<NonNullable<typeof row.employer>['name'], string>>()
  is<Equal<NonNullable<typeof row.employer>['city'], string | null>>()
  is<Equal<NonNullable<typeof row.employer>['employees'][number]['ID'], number>>()
  is<Equal<(typeof row.reports)[number]['lastName'], string | null>>()
  // @ts-expect-error not asked for
  row.firstName
  is<Equal<NonNullable<(typeof all)['employer']>['revenue'], number | null>>()
  const all = rich.select('*, employer.*')[0]!
  is<Equal<typeof all.salary, number | null>>()
  const marks = rich.select('key, stamp, employer.key, reports.timestamp')[0]!
  is<Equal<typeof marks.key, number>>()
  is<Equal<typeof marks.stamp, number>>()
  is<Equal<NonNullable<(typeof marks)['employer']>['key'], number>>()
  is<Equal<(typeof marks.reports)[number]['timestamp'], string>>()
  // @ts-expect-error marks are not values of an order
  rich.orderBy('stamp')
  is<Equal<typeof text, string>>()
  const text = rich.json('lastName, employer.name')
  rich.json()
  // @ts-expect-error misspelt projection
  rich.select('lastName, employer.nam')
  // @ts-expect-error misspelt projection to JSON
  rich.json('lastNam')

  is<Equal<typeof most, number | null>>()
  const most = rich.max('salary')
  is<Equal<typeof first, string | null>>()
  const first = rich.min('birthDate')
  rich.sum('salary') + (rich.average('salary') ?? 0)
  is<Equal<typeof cities, readonly string[]>>()
  const cities = rich.distinct('employer.city')
  rich.compute('salary').average
  // @ts-expect-error sum of text
  rich.sum('lastName')
  // @ts-expect-error images have no greatest
  rich.max('photo')
  // @ts-expect-error misspelt
  rich.distinct('employer.cty')
  // @ts-expect-error another dataclass
  rich.and(store.Company.all())
  return rich.or(store.Employee.all()).except(store.Employee.empty()).slice(-3)
}

function writing() {
  const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
  // @ts-expect-error keys never change
  store.Employee.update(1, { ID: 3 })
  // @ts-expect-error nor in a draft
  store.Employee.update(1, (draft) => void (draft.ID = 3))
  const missing: { readonly salary?: number } = {}
  store.Employee.update(1, { salary: missing.salary })
  store.Employee.insert({ firstName: 'Ada', lastName: 'Byron', salary: missing.salary })
  const e = store.Employee.insert({ firstName: 'Ada', lastName: 'Byron', employer: 1 })
  store.Employee.insert({
    birthDate: new Date(),
    photo: new Uint8Array(3),
    cv: { mediaType: 'a/b', bytes: new Uint8Array() },
  })
  store.Employee.update(
    e.key,
    { salary: 70_000, employer: e.employer, notes: e.notes },
    { stamp: e.stamp },
  )
  store.Employee.update(e.key, { birthDate: '1980-01-15', manager: e, monthly: 3 })
  store.Employee.update(e.key, (draft) => {
    draft.notes.tags.push('x')
    draft.employer = null
    draft.salary = (draft.salary ?? 0) + 1
    is<Equal<typeof draft.fullName, string>>()
    // @ts-expect-error read-only kinds cannot be assigned
    draft.fullName = 'x'
    // @ts-expect-error misspelt in a draft
    draft.salry = 1
  })
  store.Employee.updateAll([
    { key: e.key, patch: { salary: 70_000 }, stamp: e.stamp },
    { key: 2, patch: { employer: e.employer } },
    // @ts-expect-error misspelt in a batch
    { key: 3, patch: { salry: 1 } },
    // @ts-expect-error the key is a number
    { key: '4', patch: { salary: 1 } },
  ])
  store.Employee.remove(e.key, { stamp: e.stamp })
  store.Company.load([{ name: 'Acme' }], { relations: 'null', hooks: false })
  const n = store.transact((tx) => {
    tx.Company.update(1, { city: 'Rome' })
    return tx.Employee.all().count
  })
  is<Equal<typeof n, number>>()
  // @ts-expect-error misspelt in update
  store.Employee.update(1, { salry: 1 })
  // @ts-expect-error wrong type in update
  store.Employee.update(1, { salary: 'much' })
  // @ts-expect-error computed without a setter cannot be written
  store.Employee.update(1, { fullName: 'x' })
  // @ts-expect-error aliases cannot be written
  store.Employee.update(1, { employerName: 'x' })
  // @ts-expect-error read-only
  store.Employee.update(1, { badge: 'x' })
  // @ts-expect-error not null
  store.Employee.update(1, { notes: null })
  // @ts-expect-error Company.name is not null
  store.Company.insert({ city: 'x' })
  // @ts-expect-error the key is a number
  store.Company.get('1')
  // @ts-expect-error a promise is refused
  store.transact(async () => {})
  store.Employee.insert({ badge: '0123456789ABCDEF0123456789ABCDEF' })
  // @ts-expect-error the wrong type of a read-only attribute
  store.Employee.insert({ badge: 7 })
  return store.Employee.query('salary > 1').first()?.lastName
}

function calling() {
  const store = createDataStore({
    name: 'hr',
    dataClasses: [Company, Employee],
    functions: {
      ping: {
        exposed: true,
        onHttpGet: true,
        run: ({ store, session }) => `${session?.id} ${store.Company.count}`,
      },
      // @ts-expect-error misspelt inside a function of the store
      wrong: { run: ({ store }) => store.Company.all().orderBy('nam') },
    },
    singletons: {
      Factory: {
        build: { exposed: true, run: ({ store }, kind: string) => ({ kind, in: store.name }) },
      },
    },
    clock: { now: () => 1, monotonic: () => 1 },
    ids: { uuid: () => '', token: () => '' },
    history: { commits: 1000 },
  })
  is<Equal<typeof pong, string>>()
  const pong = store.call('ping')
  is<Equal<typeof bike, { kind: string; in: string }>>()
  const bike = store.singleton('Factory').call('build', 'bike')
  is<Equal<typeof total, number>>()
  const total = store.Employee.all().call('totalSalary')
  is<Equal<typeof name, string | null | undefined>>()
  const name = store.Employee.call('bestPaid')?.lastName
  is<Equal<typeof greeting, string>>()
  const greeting = store.Employee.callOn(store.Employee.get(1)!, 'greet', 'Hello')
  // @ts-expect-error works on a selection
  store.Employee.call('totalSalary')
  // @ts-expect-error no such function
  store.call('pong')
  // @ts-expect-error wrong argument
  store.singleton('Factory').call('build', 1)
}

/** Values that the store or a hook provides are optional; a text key is required. */
function creating(store: ReturnType<typeof storeOfTickets>) {
  const ticket = store.Ticket.insert({ price: 3, issuedBy: 'Ada' })
  is<Equal<typeof ticket.ID, string>>()
  store.Ticket.load([
    { price: 3, issuedBy: 'Bob' },
    { ID: '0123456789ABCDEF0123456789ABCDEF', issuedBy: 'C', price: 1 },
  ])
  store.Label.insert({ code: 'a', text: 'b' })
  return () => {
    store.Ticket.insert({ price: 3 })
    // @ts-expect-error nothing gives the price
    store.Ticket.insert({ issuedBy: 'Ada' })
    // @ts-expect-error never null
    store.Ticket.insert({ price: 3, issuedBy: null })
    // @ts-expect-error nothing gives a key of text
    store.Label.insert({ text: 'b' })
    // @ts-expect-error read-only once it is there
    store.Label.update('a', { text: 'b' })
  }
}
const storeOfTickets = () => makeStore({ name: 'tickets', dataClasses: [Ticket, Label] })

function byName(): AnyDataStore {
  const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
  const table = store.dataClass(dynamic)
  table.update(1, { whatever: 1 }).whatever
  table.query('a = 1').orderBy('x').select('a, b')[0]?.a
  is<Equal<typeof company.name, string | undefined>>()
  const company = { name: store.dataClass('Company').get(1)?.name }
  store.entitySets.create(store.Employee.all(), { lifetimeSeconds: 5 })
  table.call('anything', 1, 2)
  return store
}

test('definitions that compile are valid when they run', () => {
  const catalog = buildCatalog({ name: 'hr', dataClasses: [Company, Employee] })
  expect(catalog.classes.map((dataClass) => dataClass.name)).toEqual(['Company', 'Employee'])
  expect([reading, writing, calling, byName]).toHaveLength(4)
})

test('the store generates missing UUID keys, and read-only attributes can be set at creation only', () => {
  const store = storeOfTickets()
  creating(store)
  expect(
    store.Ticket.all()
      .toArray()
      .map((ticket) => ticket.ID),
  ).toEqual([
    expect.stringMatching(/^[0-9A-F]{32}$/),
    expect.stringMatching(/^[0-9A-F]{32}$/),
    '0123456789ABCDEF0123456789ABCDEF',
  ])
  expect(store.Ticket.all().distinct('issuedBy')).toEqual(['Ada', 'Bob', 'C'])
  expect(store.Label.get('a')?.text).toBe('b')
  expect(() => store.dataClass('Label').update('a', { text: 'c' } as never)).toThrow(
    /"text" attribute .* is read-only/,
  )
})
