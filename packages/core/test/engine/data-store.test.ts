import { describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  isEntiaError,
  keyOf,
  openDump,
} from '../../src/index.ts'

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
      best: {
        on: 'dataClass',
        run: ({ dataClass }) => dataClass.all().orderBy('salary desc').first(),
      },
      total: { on: 'selection', run: ({ selection }) => selection.sum('salary') },
      greet: { on: 'entity', run: ({ entity }, word: string) => `${word} ${entity.name}` },
    },
  },
)

/** A clock that only tests advance. */
function fakeClock() {
  let now = 1
  return {
    now: () => now,
    monotonic: () => now,
    advance: (seconds: number) => (now += seconds * 1000),
  }
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
  test('opens as an equal store that can be changed further', () => {
    const store = createHr()
    store.Employee.remove(2)
    const opened = openDump(store.dump(), { dataClasses: [Company, Employee] })
    expect(opened.name).toBe('hr')
    expect(opened.dump()).toEqual(store.dump())
    opened.verify()
    expect(keyOf(opened.Employee.insert({ name: 'Dan' }))).toBe(4)
    expect(opened.Company.get(1)?.employees.keys()).toEqual([1, 3])
    // The freed record number is reused, so the record order equals that of the first store.
    expect(opened.Employee.all().keys()).toEqual([1, 4, 3])
  })
  test('of another model, or damaged, is refused', () => {
    const bytes = createHr().dump()
    expect(() =>
      openDump(bytes, {
        dataClasses: [defineDataClass('Other', { ID: attribute.long({ key: true }) })],
      }),
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
  test('combine live members, count removed ones, and can be cleaned', () => {
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
  test('created since a snapshot are dropped by a restore; older ones stay, released ones stay released', () => {
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
    expect(() => store.Employee.call('nosuch' as 'best')).toThrow(
      expect.objectContaining({ code: 'functionNotFound' }),
    )
  })
})

describe('a store', () => {
  test('takes the limits of its filters as options, and the error names them', () => {
    const store = createDataStore({
      name: 's',
      dataClasses: [Company, Employee],
      limits: { maxFilterDepth: 2 },
    })
    expect(store.Employee.query('((ID = 1))').count).toBe(0)
    expect(() => store.Employee.query('(((ID = 1)))')).toThrow(/maxFilterDepth/)
  })
  test('treats hidden attributes as unknown for adapters', () => {
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
  test('refuses every call after close', () => {
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
  test('reports errors of listeners and continues', () => {
    const store = createHr()
    const errors: unknown[] = []
    const seen: string[] = []
    store.on('error', (error) => errors.push(error))
    store.on('commit', () => {
      throw new Error('listener')
    })
    const stop = store.on('commit', ({ changes }) =>
      seen.push(...changes.map(({ kind, key }) => `${kind} ${key}`)),
    )
    store.Employee.update(1, { salary: 9 })
    stop()
    store.Employee.update(1, { salary: 10 })
    expect(seen).toEqual(['update 1'])
    expect(errors).toHaveLength(2)
    expect(store.Employee.get(1)?.salary).toBe(10)
  })
  test('insert returns the saved entity even if a listener removes it at once', () => {
    const store = createHr()
    store.on('commit', ({ changes }) => {
      for (const { kind, key } of changes) if (kind === 'insert') store.Employee.remove(Number(key))
    })
    const entity = store.Employee.insert({ name: 'Eve', salary: 4 })
    expect({ ...entity }).toMatchObject({ ID: 4, name: 'Eve', salary: 4 })
    expect(store.Employee.get(4)).toBeUndefined()
  })
})

describe('common mistakes', () => {
  test('an entity of another dataclass or store is refused as the value of a relation', () => {
    const store = createHr()
    const stranger = createHr().Company.get(1)!
    for (const employer of [store.Employee.get(1)!, stranger]) {
      expect(() => store.dataClass('Employee').insert({ employer } as never)).toThrow(
        expect.objectContaining({ code: 'valueInvalid' }),
      )
    }
    expect(store.Employee.insert({ employer: store.Company.get(1)! }).employer?.name).toBe('Acme')
  })
  test('a restore without changes makes no commit', () => {
    const store = createHr()
    const snapshot = store.snapshot()
    store.Employee.update(1, { salary: 7 })
    store.restore(snapshot)
    const { globalStamp } = store
    store.restore(snapshot)
    expect(store.globalStamp).toBe(globalStamp)
    expect(store.Employee.get(1)?.salary).toBe(3)
  })
  test('a dump inside a transaction is refused', () => {
    const store = createHr()
    store.transact(() => {
      expect(() => store.dump()).toThrow(expect.objectContaining({ code: 'notInTransaction' }))
    })
  })
  test('options, listeners and stamps of a wrong kind are refused by name', () => {
    const wrong = (options: object) => () =>
      createDataStore({ name: 's', dataClasses: [Company, Employee], ...options })
    expect(wrong({ histry: {} })).toThrow(/"histry"/)
    expect(wrong({ history: { commits: -1 } })).toThrow(/history\.commits/)
    expect(wrong({ limits: { maxDepth: 1 } })).toThrow(/"maxDepth"/)
    const store = createHr()
    expect(() => store.on('commit', 3 as never)).toThrow(/listener/)
    expect(() => store.Employee.update(1, { salary: 1 }, { stamp: '1' as never })).toThrow(
      /"stamp"/,
    )
  })
  test('attributes that filters cannot name are refused', () => {
    for (const name of ['and', 'Or', 'NOT', 'except']) {
      expect(() =>
        createDataStore({
          name: 's',
          dataClasses: [
            defineDataClass('A', { ID: attribute.long({ key: true }), [name]: attribute.bool() }),
          ],
        }),
      ).toThrow(expect.objectContaining({ code: 'modelInvalid' }))
    }
  })
  test('a projection nests properties of objects and keeps the requested order', () => {
    const Thing = defineDataClass('Thing', {
      ID: attribute.long({ key: true }),
      spec: attribute.object(),
      parts: attribute.relatedEntities('Part', 'thing'),
    })
    const Part = defineDataClass('Part', {
      ID: attribute.long({ key: true }),
      thing: attribute.relatedEntity('Thing'),
    })
    const store = createDataStore({ name: 's', dataClasses: [Thing, Part] })
    store.Thing.insert({ ID: 1, spec: { size: { w: 2, h: 3 }, colour: 'red' } })
    store.Part.insert({ ID: 9, thing: 1 })
    const all = store.Thing.all()
    const text = '{"parts":[{"ID":9}],"spec":{"size":{"w":2},"none":null},"ID":1}'
    expect(all.json('parts.ID, spec.size.w, spec.none, ID')).toBe(`[${text}]`)
    expect(JSON.stringify(all.select('parts.ID, spec.size.w, spec.none, ID'))).toBe(`[${text}]`)
  })
})

test('JSON text shows the current words, even if the dictionary reused their codes', () => {
  const Word = defineDataClass('Word', {
    ID: attribute.long({ key: true, autoSequence: true }),
    text: attribute.string(),
  })
  const store = createDataStore({ name: 'words', dataClasses: [Word] })
  store.Word.load(Array.from({ length: 9000 }, (_, i) => ({ text: `word ${i % 4400}` })))
  const shown = () => JSON.parse(store.Word.all().json('text'))
  expect(shown()).toHaveLength(9000)
  store.transact(() => {
    for (let id = 1; id <= 9000; id++) if ((id - 1) % 4400 >= 1000) store.Word.remove(id)
  })
  for (let i = 0; i < 50; i++) store.Word.insert({ text: `new ${i}` })
  expect(shown()).toEqual(store.Word.all().select('text'))
  store.verify()
})
