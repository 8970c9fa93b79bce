import { describe, expect, test } from 'vitest'
import { isEntiaError, type ViewOptions } from '../../src/index.ts'
import { serverStateStore } from './server-state-store.ts'

/** A store of two companies and three employees; these rows hide the third employee completely. */
const ROWS: ViewOptions = {
  rows: new Map([
    ['Employee', "name != 'Cyd'"],
    ['Company', 'ID = 1'],
  ]),
}
function office() {
  const { store } = serverStateStore()
  store.Company.insert({ name: 'Byte' })
  store.Employee.insert({ name: 'Dan', employer: 2 })
  store.Employee.insert({ name: 'Eve' })
  return store
}
const reported = (run: () => unknown): readonly unknown[] => {
  try {
    run()
  } catch (error) {
    if (!isEntiaError(error)) throw error
    return [error.code, error.details]
  }
  return []
}

describe('options of a view', () => {
  test.each<[options: object, argument: string, expected: string, found: string]>([
    [{ exposedOnly: 1 }, 'The option exposedOnly', 'true or false', '1'],
    [{ hides: 'all' }, 'The option hides', 'a function', 'string'],
    [
      { rows: { Employee: 7 } },
      'The row filter of "Employee"',
      'a filter, a condition on Employee, false, or an object of filter and parameters',
      'number',
    ],
    [
      { rows: { Employee: null } },
      'The row filter of "Employee"',
      'a filter, a condition on Employee, false, or an object of filter and parameters',
      'object',
    ],
    [
      { rows: { Employee: 'ID > 0 order by name' } },
      'The row filter of "Employee"',
      'a filter without an order',
      'one with an order',
    ],
  ])('%j are refused', (options, argument, expected, found) => {
    expect(reported(() => office().view(options as never))).toEqual([
      'argumentInvalid',
      { argument, expected, found },
    ])
  })

  test('for an unknown dataclass are refused, and those that hide no entity restrict nothing', () => {
    const store = office()
    expect(reported(() => store.view({ rows: { Nobody: false } } as never))).toEqual([
      'dataClassNotFound',
      { dataClass: 'Nobody', known: store.catalog.classes.map(({ name }) => name) },
    ])
    expect(store.view({ rows: { Employee: '' } }).restrictsRows).toBe(false)
    expect(
      store.view({ rows: { Employee: { filter: 'ID > :1', parameters: [0] } } }).restrictsRows,
    ).toBe(true)
    const nobody = store.view({ rows: { Employee: false } })
    expect([nobody.restrictsRows, nobody.dataClass('Employee').count]).toEqual([true, 0])
  })
})

describe('a view that hides entities', () => {
  test('has the visible ones, whether few or many', () => {
    const store = office()
    const employees = store.view(ROWS).dataClass('Employee')
    // More entities than are tested one by one.
    for (let times = 0; times < 12; times++) {
      expect([1, 2, 3, 4, 5, 6].map((key) => employees.has(key as never))).toEqual([
        true,
        true,
        false,
        true,
        true,
        false,
      ])
    }
    expect([employees.count, employees.has(null as never), employees.has('x' as never)]).toEqual([
      4,
      false,
      false,
    ])
    expect([employees.get(1)?.name, employees.get(3), employees.get('x' as never)]).toEqual([
      'Ada',
      undefined,
      undefined,
    ])
    store.Employee.update(3, { name: 'Not Cyd' })
    store.Employee.update(1, { name: 'Cyd' })
    const later = store.view(ROWS).dataClass('Employee')
    expect([later.has(1), later.has(3), later.get(1)]).toEqual([false, true, undefined])
    expect(store.view(ROWS).dataClass('Employee')).not.toBe(later)
    const view = store.view(ROWS)
    expect(view.dataClass('Employee')).toBe(view.dataClass('Employee'))
  })

  test('has empty relations to hidden entities, and leads to the others', () => {
    const store = office()
    const view = store.view(ROWS)
    const of = (key: number) => store.Employee.get(key) as object
    expect([1, 4, 5].map((key) => view.relatedKey(of(key), 'employer'))).toEqual([1, null, null])
    expect(
      [1, 4, 5].map(
        (key) => (view.related(of(key), 'employer') as { key: number } | null)?.key ?? null,
      ),
    ).toEqual([1, null, null])
    const staff = view.related(store.Company.get(1) as object, 'staff') as unknown as {
      keys(): unknown
    }
    expect(staff.keys()).toEqual([1, 2])
    const whole = store.view({})
    expect([4, 5].map((key) => whole.relatedKey(of(key), 'employer'))).toEqual([2, null])
    expect(view.valueOf(of(4), 'name')).toBe('Dan')
    expect(view.valueOf(of(5), 'salary')).toBe(null)
  })

  test('refuses what is not a value, not a relation, unknown, or of another store', () => {
    const store = office()
    const view = store.view({ ...ROWS, hides: ({ name }) => name === 'salary' })
    const [employee, company] = [store.Employee.get(1) as object, store.Company.get(1) as object]
    const applicable = (dataClass: string, attribute: string, use: string, remedy: string) => [
      'attributeNotApplicable',
      { dataClass, attribute, use, remedy },
    ]
    expect(reported(() => view.valueOf(employee, 'employer'))).toEqual(
      applicable('Employee', 'employer', 'a value', 'Use related.'),
    )
    expect(reported(() => view.valueOf(company, 'staff'))).toEqual(
      applicable('Company', 'staff', 'a value', 'Use related.'),
    )
    for (const name of ['relatedKey', 'related'] as const) {
      expect(reported(() => view[name](employee, 'name'))).toEqual(
        applicable('Employee', 'name', 'a relation to one entity', 'Name a to-one relation.'),
      )
    }
    for (const hidden of ['salary', 'nobody']) {
      expect(reported(() => view.valueOf(employee, hidden))).toEqual([
        'attributeNotFound',
        { dataClass: 'Employee', attribute: hidden, known: ['ID', 'name', 'employer'] },
      ])
    }
    const foreign = office()
    expect(reported(() => view.valueOf(foreign.Employee.get(1) as object, 'name'))).toEqual([
      'argumentInvalid',
      {
        argument: 'The entity',
        expected: 'an entity of this store',
        found: 'one of another store',
      },
    ])
    const selection = { argument: 'The selection', expected: 'a selection of this store' }
    expect(reported(() => view.apply(foreign.Employee.all() as never))).toEqual([
      'argumentInvalid',
      { ...selection, found: 'one of another store, or of the past' },
    ])
    expect(reported(() => view.apply('all' as never))).toEqual([
      'argumentInvalid',
      { ...selection, found: 'string' },
    ])
  })

  test('shows plans without hidden names', () => {
    const store = office()
    const plan = (options: ViewOptions) => {
      const found = store
        .view(options)
        .dataClass('Employee')
        .query("salary = null and name begin 'A'" as never)
      return found.explain()
    }
    const whole = plan({})
    expect(JSON.stringify(whole.condition)).toContain('"attribute":"salary"')
    // The chosen index depends on the number of records, so none is shown.
    const parts = (explain: ReturnType<typeof plan>) =>
      JSON.stringify(explain.condition).replaceAll(/"index":("[\w.]+"|null)/g, '"index":…')
    const sorted = (text: string) => [...text].sort().join('')
    expect(sorted(parts(plan(ROWS)))).toBe(sorted(parts(whole)))
    expect(JSON.stringify(plan(ROWS).condition)).not.toContain('"index":"')
    const names = store.view({ hides: ({ name }) => name === 'salary' }).dataClass('Employee')
    const explained = names.query("name begin 'A'" as never).explain()
    expect(JSON.stringify(explained.condition)).toContain('"attribute":"name"')
    expect([
      explained.root.detail,
      explained.root.index,
      explained.root.inputs.map(({ detail }) => detail).join(''),
    ]).toEqual(['', 'Employee.name', ''])
    expect(names.all().explain().condition).toBe(null)
    expect(reported(() => names.query('salary = 1' as never))[0]).toBe('filterCannotBeAnalysed')
  })

  test('keeps its own entities and adopts those of others', () => {
    const store = office()
    const view = store.view(ROWS)
    const own = view.dataClass('Employee').get(4) as unknown as { employer: unknown }
    expect(own.employer).toBe(null)
    expect((store.Employee.get(4) as { employer: { key: number } | null }).employer?.key).toBe(2)
    expect(view.apply(store.Employee.all()).keys()).toEqual([1, 2, 4, 5])
  })

  test('is printed with its count', () => {
    const table = office().view(ROWS).dataClass('Employee') as unknown as {
      readonly [key: symbol]: () => string
    }
    expect(table[Symbol.for('nodejs.util.inspect.custom')]()).toBe('View of Employee (4)')
  })
})
