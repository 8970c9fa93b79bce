import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, isEntiaError, keyOf, openDump } from '../../src/index.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  employees: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass(
  'Employee',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string(),
    salary: attribute.number({ indexed: true }),
    secret: attribute.string({ exposed: false }),
    employer: attribute.relatedEntity('Company'),
  },
  {
    functions: {
      best: { on: 'dataClass', run: ({ dataClass }) => dataClass.all().orderBy('salary desc').first() },
      total: { on: 'selection', run: ({ selection }) => selection.sum('salary') },
      greet: { on: 'entity', run: ({ entity }, word: string) => `${word} ${entity.name}` },
    },
  },
)

/** Time that goes by when told to. */
function fakeClock() {
  let now = 1
  return { now: () => now, monotonic: () => now, advance: (seconds: number) => (now += seconds * 1000) }
}

function createHr(clock = fakeClock()) {
  const store = createDataStore({
    name: 'hr',
    dataClasses: [Company, Employee],
    clock,
    functions: { ping: { run: ({ store }) => `pong from ${store.name}` } },
    singletons: { Factory: { build: { run: (_context, kind: string) => ({ kind }) } } },
  })
  store.Company.insert({ name: 'Acme' })
  for (const [name, salary] of [
    ['Ada', 3],
    ['Bob', 1],
    ['Cyd', 2],
  ] as const)
    store.Employee.insert({ name, salary, employer: 1 })
  return store
}

describe('a dump', () => {
  test('opens as an equal store that goes on where the first one was', () => {
    const store = createHr()
    store.Employee.remove(2)
    const opened = openDump(store.dump(), { dataClasses: [Company, Employee] })
    expect(opened.name).toBe('hr')
    expect(opened.dump()).toEqual(store.dump())
    opened.verify()
    expect(keyOf(opened.Employee.insert({ name: 'Dan' }))).toBe(4)
    expect(opened.Company.get(1)?.employees.keys()).toEqual([1, 3])
    // The freed record number is used again: record order is that of the first store.
    expect(opened.Employee.all().keys()).toEqual([1, 4, 3])
  })
  test('of another model, or damaged, is refused', () => {
    const bytes = createHr().dump()
    expect(() =>
      openDump(bytes, { dataClasses: [defineDataClass('Other', { ID: attribute.long({ key: true }) })] }),
    ).toThrow(expect.objectContaining({ code: 'dumpInvalid' }))
    for (const at of [0, 100, bytes.length - 3]) {
      const damaged = bytes.slice()
      damaged[at] ^= 1
      expect(() => openDump(damaged, { dataClasses: [Company, Employee] })).toThrow(
        expect.objectContaining({ code: 'dumpInvalid' }),
      )
    }
  })
})

describe('entity sets', () => {
  test('live for their lifetime after the last read, to the millisecond', () => {
    const clock = fakeClock()
    const store = createHr(clock)
    const id = store.entitySets.create(store.Employee.all(), { lifetimeSeconds: 10 })
    clock.advance(9.999)
    expect(store.entitySets.get(id)?.count).toBe(3)
    clock.advance(9.999)
    expect(store.entitySets.peek(id)?.count).toBe(3)
    clock.advance(0.001)
    expect(store.entitySets.get(id)).toBeUndefined()
  })
  test('combine living members, keep removed ones counted, and clean', () => {
    const store = createHr()
    const all = store.entitySets.create(store.Employee.all())
    const rich = store.entitySets.create(store.Employee.query('salary > 1'))
    store.Employee.remove(1)
    expect(store.entitySets.get(all)?.count).toBe(3)
    expect(store.entitySets.combine(all, 'AND', rich).keys()).toEqual([3])
    expect(store.entitySets.combine(all, 'INTERSECT', rich)).toBe(true)
    expect(store.entitySets.clean(all).count).toBe(2)
    expect(store.entitySets.release(all)).toBe(true)
    expect(store.entitySets.release(all)).toBe(false)
    expect(() => store.entitySets.clean(all)).toThrow(
      expect.objectContaining({ code: 'entitySetNotFound', errCode: 1802 }),
    )
  })
  test('made since a snapshot are dropped by a restore; older ones stay, released ones stay released', () => {
    const store = createHr()
    const older = store.entitySets.create(store.Employee.all())
    const released = store.entitySets.create(store.Employee.all())
    const snapshot = store.snapshot()
    const since = store.entitySets.create(store.Employee.all())
    store.entitySets.release(released)
    store.Employee.insert({ name: 'Eve' })
    store.restore(snapshot)
    expect(store.entitySets.get(older)?.count).toBe(3)
    expect(store.entitySets.get(released)).toBeUndefined()
    expect(store.entitySets.get(since)).toBeUndefined()
  })
})

describe('functions', () => {
  test('of dataclass, selection, entity, store and singleton are called by name', () => {
    const store = createHr()
    expect(store.Employee.call('best')?.name).toBe('Ada')
    expect(store.Employee.query('salary < 3').call('total')).toBe(3)
    expect(store.Employee.callOn(store.Employee.get(1)!, 'greet', 'Hello')).toBe('Hello Ada')
    expect(store.call('ping')).toBe('pong from hr')
    expect(store.singleton('Factory').call('build', 'bike')).toEqual({ kind: 'bike' })
    expect(() => store.Employee.call('nosuch' as 'best')).toThrow(expect.objectContaining({ code: 'functionNotFound' }))
  })
})

describe('a store', () => {
  test('takes the limits of its filters as options, named in the refusal', () => {
    const store = createDataStore({ name: 's', dataClasses: [Company, Employee], limits: { maxFilterDepth: 2 } })
    expect(store.Employee.query('((ID = 1))').count).toBe(0)
    expect(() => store.Employee.query('(((ID = 1)))')).toThrow(/maxFilterDepth/)
  })
  test('answers adapters as if hidden attributes were not there', () => {
    const store = createHr()
    expect(store.Employee.query("secret = 'x'").count).toBe(0)
    const refusal = (text: string) => {
      try {
        store.Employee.query(text, [], { exposedOnly: true })
      } catch (error) {
        return isEntiaError(error) ? error.message.replaceAll(/secret|nosuch/g, '?') : String(error)
      }
      return 'none'
    }
    expect(refusal("secret = 'x'")).toBe(refusal("nosuch = 'x'"))
    expect(refusal("secret = 'x'")).toContain('cannot be found')
  })
  test('refuses every call once closed', () => {
    const store = createHr()
    const selection = store.Employee.all()
    store.close()
    for (const call of [
      () => store.Employee.get(1),
      () => store.Employee.all(),
      () => selection.toArray(),
      () => store.dump(),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 'storeClosed' }))
    }
  })
  test('reports what listeners throw, and goes on', () => {
    const store = createHr()
    const errors: unknown[] = []
    const seen: string[] = []
    store.on('error', (error) => errors.push(error))
    store.on('commit', () => {
      throw new Error('listener')
    })
    const stop = store.on('commit', ({ changes }) => seen.push(...changes.map(({ kind, key }) => `${kind} ${key}`)))
    store.Employee.update(1, { salary: 9 })
    stop()
    store.Employee.update(1, { salary: 10 })
    expect(seen).toEqual(['update 1'])
    expect(errors).toHaveLength(2)
    expect(store.Employee.get(1)?.salary).toBe(10)
  })
  test('an insertion answers the entity that was saved, also when a listener removes it at once', () => {
    const store = createHr()
    store.on('commit', ({ changes }) => {
      for (const { kind, key } of changes) if (kind === 'insert') store.Employee.remove(Number(key))
    })
    const entity = store.Employee.insert({ name: 'Eve', salary: 4 })
    expect({ ...entity }).toMatchObject({ ID: 4, name: 'Eve', salary: 4 })
    expect(store.Employee.get(4)).toBeUndefined()
  })
})
