import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, where } from '../../src/index.ts'
import { createStore } from '../../src/kernel.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string(),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true }),
  lastName: attribute.string({ notNull: true, indexed: true }),
  salary: attribute.number({ indexed: true }),
  active: attribute.bool(),
  hired: attribute.date({ dateOnly: true }),
  notes: attribute.object<{ floor?: number | string; tags: string[] }>(),
  employer: attribute.relatedEntity('Company'),
  // Names of operators and of members of conditions.
  eq: attribute.number(),
  in: attribute.string(),
  key: attribute.string(),
  text: attribute.string(),
  params: attribute.bool(),
})
const dataClasses = [Company, Employee] as const
function filled() {
  const store = createDataStore({ name: 'hr', dataClasses })
  store.Company.load([
    { ID: 1, name: 'Engines', city: 'London' },
    { ID: 2, name: 'Café', city: 'Zürich' },
  ])
  store.Employee.load([
    {
      ID: 1,
      lastName: 'Byron',
      salary: 60_000,
      active: true,
      hired: '2021-03-01',
      employer: 1,
      notes: { floor: 2, tags: ['vip'] },
    },
    {
      ID: 2,
      lastName: 'Babbage',
      salary: 48_000,
      active: true,
      hired: '2020-06-15',
      employer: 1,
      eq: 1,
      in: 'x',
    },
    {
      ID: 3,
      lastName: 'Hopper',
      salary: 70_000,
      active: false,
      employer: 2,
      notes: { floor: '2', tags: [] },
      key: 'k',
      text: 't',
    },
    { ID: 4, lastName: "O'Neil", params: true },
  ])
  return store
}
const store = filled()
const e = where(store.Employee)
const rich = e('salary', '>', 50_000)
const inLondon = e('employer.city', '=', 'london')

describe('texts in a condition', () => {
  const names = ['ann@x.y', 'ann.lee@x.y', '@', '*', 'a*', 'Ann', 'ann', '\\']
  const Person = defineDataClass('Person', {
    ID: attribute.long({ key: true }),
    name: attribute.string({ indexed: true }),
    notes: attribute.object<{ readonly name: string }>(),
    friend: attribute.relatedEntity('Person'),
    friends: attribute.relatedEntities('Person', 'friend'),
  })
  const people = createDataStore({ name: 'people', dataClasses: [Person] })
  people.Person.load(names.map((name, at) => ({ ID: at, name, notes: { name }, friend: at })))
  const found = (make: Parameters<typeof people.Person.query>[0]) =>
    people.Person.query(make)
      .toArray()
      .map(({ name }) => name)
  const p = where(people.Person)

  test.each(['name', 'notes.name', 'friend.name', 'friends.name'] as const)(
    'have no wildcards in %s, except behind like',
    (path) => {
      for (const name of names) {
        const same = names.filter((other) => other.toLowerCase() === name.toLowerCase())
        const others = names.filter((other) => !same.includes(other))
        expect(found(p(path, '=', name))).toEqual(same)
        expect(found(p(path, '===', name))).toEqual(same)
        expect(found(p(path, 'in', [name]))).toEqual(same)
        expect(found(p(path, 'in', [name, 'nobody']))).toEqual(same)
        expect(found(p(path, '!=', name))).toEqual(others)
        expect(found(p(path, '=', name).and(p('ID', '>=', 0)))).toEqual(same)
        expect(people.Person.query(String(p(path, '=', name))).count).toBe(same.length)
        expect(people.Person.query(String(p(path, 'in', [name]))).count).toBe(same.length)
      }
      expect(found(p(path, 'like', 'ann@'))).toEqual(['ann@x.y', 'ann.lee@x.y', 'Ann', 'ann'])
      expect(found(p(path, 'like', '@'))).toEqual(names)
      expect(found(p(path, 'like', 'ann@').not())).toEqual(['@', '*', 'a*', '\\'])
    },
  )
  test('that hold a wildcard are written behind an operator without wildcards', () => {
    expect(String(p('name', '=', 'a'))).toBe("name = 'a'")
    expect(String(p('name', '=', 'a@'))).toBe("name === 'a@'")
    expect(String(p('name', '!=', '*'))).toBe("name !== '*'")
    expect(String(p('name', 'in', ['a', 'b']))).toBe("name in ['a', 'b']")
    expect(String(p('name', 'in', ['a', 'b@']))).toBe("name isin ['a', 'b@']")
    expect(String(p('name', 'like', 'b@'))).toBe("name like 'b@'")
  })
})

describe('a condition', () => {
  test('is text with placeholders, their values, and a text with the values in it', () => {
    const condition = rich.and(inLondon)
    expect(condition.text).toBe('salary > :1 and employer.city = :2')
    expect(condition.params).toEqual([50_000, 'london'])
    expect(String(condition)).toBe("salary > 50000 and employer.city = 'london'")
    expect(inspect(condition)).toBe(`Condition on Employee: ${condition}`)
  })

  test.each([
    [rich.and(inLondon).or(e('active')), "salary > 50000 and employer.city = 'london' or active"],
    [rich.or(inLondon).and(e('active')), "(salary > 50000 or employer.city = 'london') and active"],
    [rich.or(inLondon).or(e('active')), "salary > 50000 or employer.city = 'london' or active"],
    [rich.or(inLondon.or(e('active'))), "salary > 50000 or (employer.city = 'london' or active)"],
    [rich.and(inLondon.and(e('active'))), "salary > 50000 and employer.city = 'london' and active"],
    [
      rich.except(e('active')).or(inLondon),
      "salary > 50000 except active or employer.city = 'london'",
    ],
    [
      rich.except(e('active').except(inLondon)),
      "salary > 50000 except (active except employer.city = 'london')",
    ],
    [rich.and(inLondon).not(), "not (salary > 50000 and employer.city = 'london')"],
    [rich.not().not(), 'not not salary > 50000'],
    [e('salary', '=', null), 'salary = null'],
    [e('salary', 'in', [1, 2]), 'salary in [1, 2]'],
    [e('lastName', '=', "O'Ne\\il"), "lastName = 'O\\u0027Ne\\u005cil'"],
    [e('hired', '<', new Date('2021-01-01')), "hired < '2021-01-01T00:00:00.000Z'"],
    [e.and(), ''],
    [e.or(), '__KEY = null'],
    [e.and(rich), 'salary > 50000'],
    [e.and().and(rich), 'salary > 50000'],
    [rich.and(e.and()), 'salary > 50000'],
    [rich.or(e.and()), ''],
    [e.and().or(rich), ''],
    [e.and().except(rich), 'not salary > 50000'],
    [rich.except(e.and()), '__KEY = null'],
    [e.and().not(), '__KEY = null'],
  ])('prints as %s', (condition, expected) => {
    expect(String(condition)).toBe(expected)
    const found = store.Employee.query(condition).keys()
    expect(store.Employee.query(expected).keys()).toEqual(found)
  })

  test('does not change with the values that it was made of', () => {
    const names = ['Byron']
    const day = new Date('2021-03-01')
    const condition = e('lastName', 'in', names).and(e('hired', '=', day))
    names.push('Hopper')
    day.setTime(0)
    expect(store.Employee.query(condition).keys()).toEqual([1])
  })

  test('reaches attributes with the names of operators and of its own members', () => {
    const keys = (condition: typeof rich) => store.Employee.query(condition).keys()
    expect(keys(e('eq', '=', 1).and(e('in', 'in', ['x'])))).toEqual([2])
    expect(keys(e('key', '=', 'k').and(e('text', '=', 't')))).toEqual([3])
    expect(keys(e('params'))).toEqual([4])
  })

  test('tells numbers from texts in objects', () => {
    expect(store.Employee.query(e('notes.floor', '=', 2)).keys()).toEqual([1])
    expect(store.Employee.query(e('notes.floor', '=', '2')).keys()).toEqual([3])
    expect(store.Employee.query(e('notes.tags[]', '=', 'vip')).keys()).toEqual([1])
  })
})

describe('a condition filters', () => {
  test('a dataclass, a selection, a transaction, a view and a past', () => {
    const found = store.Employee.query(rich)
    expect(found.keys()).toEqual([1, 3])
    expect(found.query((e) => e('active')).keys()).toEqual([1])
    expect(found.query(inLondon).keys()).toEqual([1])
    expect(store.transact((tx) => tx.Employee.query(rich.and(inLondon)).keys())).toEqual([1])
    expect(
      store
        .at(store.globalStamp)
        .Employee.query((e) => e('active'))
        .keys(),
    ).toEqual([1, 2])
    const view = store.view({ rows: { Employee: { filter: inLondon, collation: 'folded' } } })
    expect(view.dataClass('Employee').all().keys()).toEqual([1, 2])
    expect(view.dataClass('Employee').query(rich).keys()).toEqual([1])
    expect(
      store
        .dataClass('Employee')
        .query((e) => e('lastName', 'begin', 'h'))
        .keys(),
    ).toEqual([3])
  })

  test('two views by the same rule, and by another value of it, differently', () => {
    const at = (city: string) => {
      const rows = { Employee: e('employer.city', '=', city) }
      return store.view({ rows }).dataClass('Employee').all()
    }
    expect(at('London').keys()).toEqual([1, 2])
    expect(at('Zürich').keys()).toEqual([3])
  })

  test('a live query', () => {
    const own = filled()
    const entered: number[] = []
    const live = own.Employee.query((e) => e('salary', '>', 65_000)).live((delta) => {
      entered.push(...delta.entered.map(({ ID }) => ID))
    })
    own.Employee.update(2, { salary: 90_000 })
    live.stop()
    expect(entered).toEqual([2])
  })

  test('with the plan and the cache of its text', () => {
    const condition = rich.and(inLondon)
    const { text, params } = condition
    expect(String(store.Employee.explain(condition))).toBe(
      String(store.Employee.explain(text, params)),
    )
    expect(store.Employee.explain(condition).filter).toBe(text)
    expect(store.Employee.trace(condition).filter).toBe(text)
    expect(store.Employee.plans(condition)).toHaveLength(store.Employee.plans(text, params).length)
    expect(store.Employee.query(condition, undefined, { plan: 1 }).keys()).toEqual([1])
    const before = store.figures.filtersCompiled
    for (let least = 0; least < 100; least++)
      store.Employee.query((e) => e('salary', '>', least).and(inLondon))
    expect(store.figures.filtersCompiled).toBe(before)
  })

  test('a store of few capabilities, of which one is for functions', () => {
    const kernel = createStore({ name: 'hr', dataClasses })
    kernel.Employee.insert({ ID: 1, lastName: 'Byron', salary: 60_000 })
    const over = where(kernel.Employee)('salary', '>', 50_000)
    expect(kernel.Employee.query(over).query(over).keys()).toEqual([1])
    // @ts-expect-error: a capability adds functions as filters
    expect(() => kernel.Employee.query((e: typeof over) => e)).toThrow(
      'A filter of Employee must be text, or a condition on Employee without parameters, not a function, which query takes in stores with the capability "typedQueries".',
    )
  })
})

/** Called as JavaScript does, without checks by the compiler. */
type Loose = (...given: readonly unknown[]) => unknown

describe('what is not a condition is refused', () => {
  const loose = e as Loose
  const query: Loose = (given, ...rest) => store.Employee.query(given as string, ...(rest as []))

  test.each<[unknown[], string]>([
    [
      ['salary > 1 or salary', '>', 3],
      'A path of Employee must be names with dots, as in "employer.city", not the text "salary > 1 or salary".',
    ],
    [
      ['', '=', 3],
      'A path of Employee must be names with dots, as in "employer.city", not the text "".',
    ],
    [
      ['employer.', '=', 3],
      'A path of Employee must be names with dots, as in "employer.city", not the text "employer.".',
    ],
    [
      [':1', '=', 3],
      'A path of Employee must be names with dots, as in "employer.city", not the text ":1".',
    ],
    [
      [undefined, '=', 3],
      'A path of Employee must be names with dots, as in "employer.city", not undefined.',
    ],
    [
      ['salary', '=>', 3],
      'The operator after "salary" must be =, ===, !=, !==, >, >=, <, <=, like, begin, end, % or in, not the text "=>".',
    ],
    [
      ['salary', 'or 1 =', 3],
      'The operator after "salary" must be =, ===, !=, !==, >, >=, <, <=, like, begin, end, % or in, not the text "or 1 =".',
    ],
    [
      ['salary', '>', undefined],
      'The value of "salary > …" must be a text, a number, a boolean or a date; null goes with =, ===, != and !==, not undefined.',
    ],
    [
      ['salary', '>'],
      'The value of "salary > …" must be a text, a number, a boolean or a date; null goes with =, ===, != and !==, not undefined.',
    ],
    [
      ['salary', '>', null],
      'The value of "salary > …" must be a text, a number, a boolean or a date; null goes with =, ===, != and !==, not null.',
    ],
    [
      ['salary', '>', Number.NaN],
      'The value of "salary > …" must be a text, a number, a boolean or a date; null goes with =, ===, != and !==, not a number that is NaN.',
    ],
    [
      ['hired', '>', new Date('x')],
      'The value of "hired > …" must be a text, a number, a boolean or a date; null goes with =, ===, != and !==, not an invalid Date.',
    ],
    [
      ['salary', 'in', [1, null]],
      'Each value of "salary in […]" must be a text, a number, a boolean or a date; null goes with =, ===, != and !==, not null.',
    ],
  ])('e(...%j)', (given, message) => {
    expect(() => loose(...given)).toThrow(
      expect.objectContaining({ code: 'argumentInvalid', message }),
    )
  })

  test('an unknown attribute and a value of another type, with their place in the text', () => {
    expect(() => query(loose('salry', '>', 3))).toThrow(
      'The filter cannot be analysed at character 1: The "salry" attribute cannot be found in the "Employee" dataclass. Known:',
    )
    expect(() => query(loose('salary', '>', 'much'))).toThrow(
      '"salary" is compared with a number, not with the text "much"',
    )
    expect(() => query(loose('salary', '=', [1]))).toThrow('an array')
    expect(() => query(loose('salary', 'in', 1))).toThrow('"in" needs an array')
  })

  test.each<[string, unknown, string]>([
    ['undefined', () => undefined, 'undefined'],
    ['a boolean', () => true, 'the boolean true'],
    ['text', () => 'salary > 3', 'the text "salary > 3"'],
    ['a promise', async (e: Loose) => e('active'), 'a promise'],
    ['the builder', (e: unknown) => e, 'a function'],
    [
      'a condition of another dataclass',
      () => where(store.Company)('city', '=', 'x'),
      'a condition on Company',
    ],
    ['a copy of a condition', () => ({ ...rich, text: '', dataClass: 'Employee' }), 'an object'],
  ])('a function that returns %s', (_name, build, found) => {
    expect(() => query(build)).toThrow(
      `What the filter function of Employee returns must be a condition on Employee, not ${found}.`,
    )
  })

  test('a condition of another dataclass, parameters beside a condition, and other values', () => {
    const city = where(store.Company)('city', '=', 'x')
    expect(() => query(city)).toThrow('not a condition on Company.')
    expect(() => (rich.and as Loose)(city)).toThrow(
      'What "and" joins must be a condition on Employee, not a condition on Company.',
    )
    expect(() => (rich.and as Loose).call(rich, undefined)).toThrow('not undefined.')
    expect(() => query(rich, [3])).toThrow('a condition on Employee without parameters')
    for (const given of [undefined, null, 5, {}, []])
      expect(() => query(given)).toThrow(
        'A filter of Employee must be text, or a condition on Employee',
      )
    expect(() => store.view({ rows: { Employee: city } })).toThrow(
      'The row filter of "Employee" must be',
    )
    expect(() => (where as Loose)(undefined)).toThrow(
      'The argument of where must be a dataclass, as in where(store.Employee), not undefined.',
    )
  })
})
