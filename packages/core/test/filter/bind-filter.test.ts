import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import type { FilterParameters } from '../../src/filter/parameters.ts'
import { describePredicate, type Predicate } from '../../src/filter/predicate.ts'
import type { ClassModel } from '../../src/model/catalog.ts'
import { offsetOf, refusalOf } from './refusal.ts'
import { company, employee } from './staff-catalog.ts'

const predicateOf = (
  text: string,
  parameters?: FilterParameters,
  dataClass: ClassModel = employee,
) => prepareFilter(text, dataClass).bind(parameters).predicate
const shown = (text: string, parameters?: FilterParameters) =>
  describePredicate(predicateOf(text, parameters))
const testOf = (text: string, parameters?: FilterParameters) => {
  const predicate = predicateOf(text, parameters)
  return predicate.kind === 'compare' || predicate.kind === 'computed' ? predicate.test : predicate
}

describe('values are compared by type', () => {
  test.each([
    ['age = 7', 7],
    ["age = '7'", 7],
    ['age > 20.5', 20.5],
    ['salary = -1e3', -1000],
    ["active = 'true'", true],
    ['active = false', false],
    ['hired = 1970-01-03', 2],
    ["hired = '!!1970-01-03!!'", 2],
    ['hired = 3!1!1970', 2],
    ['seen = 1970-01-01T00:00:01Z', 1000],
    ['shift = 00:01:00', 60_000],
    ['shift = 90', 90],
    ["lastName = 'Élan'", 'elan'],
    ['lastName = 007', '007'],
    ["lastName = 'true'", 'true'],
    ["email = 'Élan'", 'Élan'],
    ['fullName = ÉLAN', 'elan'],
    ['badge = 0123456789abcdef0123456789ABCDEF', '0123456789ABCDEF0123456789ABCDEF'],
    ["badge = '01234567-89ab-cdef-0123-456789abcdef'", '0123456789ABCDEF0123456789ABCDEF'],
  ])('%s', (text, value) => {
    expect(testOf(text)).toMatchObject({ value })
  })

  test.each<[string, unknown, unknown]>([
    ['age = :1', 7, 7],
    ['age = :1', '7', 7],
    ['age = :1', -0, 0],
    ['active = :1', true, true],
    ['hired = :1', new Date('1970-01-03T12:00:00Z'), 2],
    ['hired = :1', '1970-01-03', 2],
    ['seen = :1', 1000, 1000],
    ['lastName = :1', 'true', 'true'],
    ['lastName = :1', 'É', 'e'],
  ])('%s with %j', (text, given, value) => {
    expect(testOf(text, [given])).toMatchObject({ value })
  })

  test.each([
    ["salary > 'abc'", 9],
    ['salary > 1,5', 9],
    ['age = 1e999', 6],
    ['active = 1', 9],
    ['active = yes', 9],
    ['hired = 2024-02-30', 8],
    ['badge = abc', 8],
    ['lastName = true', 11],
    ["lastName = '\\ud800'", 11],
    ['lastName begin \\udc00', 15],
    ['salary begin 5', 13],
    ['age % 5', 6],
    ["badge % 'a'", 8],
    ['salary in [1, x]', 14],
    ['salary > null', 9],
    ['salary in [1, null]', 14],
    ['photo = 5', 8],
    ["notes = 'x'", 8],
  ])('%s is refused at the value', (text, offset) => {
    const error = refusalOf(() => prepareFilter(text, employee))
    expect([error.code, offsetOf(error)]).toEqual(['filterCannotBeAnalysed', offset])
    expect(error.message).toContain(`\n  ${' '.repeat(offset)}^`)
  })

  test.each<[string, unknown]>([
    ['age = :1', 'x'],
    ['age = :1', true],
    ['age = :1', Number.NaN],
    ['age = :1', [7]],
    ['active = :1', 1],
    ['active = :1', 'yes'],
    ['lastName = :1', 5],
    ['lastName = :1', ['a']],
    ['lastName = :1', { $gt: '' }],
    ['lastName = :1', '\ud800'],
    ['hired = :1', new Date(Number.NaN)],
    ['lastName in :1', 'abc'],
    ['lastName in :1', [['a']]],
    ['age in [:1]', [7]],
    ['notes.a = :1', { a: 1 }],
    ['notes.a = :1', new Date(0)],
  ])('%s with %j is refused at the placeholder', (text, given) => {
    const prepared = prepareFilter(text, employee)
    const error = refusalOf(() => prepared.bind([given]))
    expect([error.code, offsetOf(error)]).toEqual(['filterCannotBeAnalysed', text.indexOf(':1')])
  })
})

describe('operators', () => {
  test.each([
    ["lastName = 'S@'", 'like'],
    ["lastName == '*mi*'", 'like'],
    ["lastName != 'S@'", 'notLike'],
    ["lastName # 'S@'", 'notLike'],
    ["lastName === 'S@'", 'equal'],
    ["lastName is 'S@'", 'equal'],
    ["lastName !== 'S@'", 'notEqual'],
    ["lastName = 'S'", 'equal'],
    ["lastName != 'S'", 'notEqual'],
    ["lastName begin 'S@'", 'like'],
    ["lastName begin ''", 'isNotNull'],
    ["lastName % 'smith bo@'", 'keyword'],
    ['lastName = @', 'isNotNull'],
    ['salary = @', 'isNotNull'],
    ["badge = '01@'", 'like'],
    ['lastName = null', 'isNull'],
    ['lastName is null', 'isNull'],
    ['lastName === null', 'isNull'],
    ['lastName # null', 'isNotNull'],
    ['lastName is not null', 'isNotNull'],
    ["lastName = 'null'", 'equal'],
    ['photo != null', 'isNotNull'],
    ['notes = null', 'isNull'],
    ['active', 'equal'],
    ['age <= 5', 'lessEqual'],
    ['age gteq 5', 'greaterEqual'],
    ['fullName < b', 'less'],
  ])('%s becomes %s', (text, op) => {
    expect(testOf(text)).toMatchObject({ op })
  })

  test('!= with a lone wildcard selects nothing', () => {
    for (const text of ['lastName != @', 'salary != *', 'age in []', "lastName % '...'"])
      expect(predicateOf(text)).toEqual({ kind: 'constant', value: false })
    expect(predicateOf('age in :1', [[]])).toEqual({ kind: 'constant', value: false })
  })

  test('lists hold values and wildcards', () => {
    expect(testOf("lastName in [Ä, 'S@', :1]", ['x*'])).toMatchObject({
      op: 'in',
      values: ['a'],
      wildcards: [
        { parts: ['s'], anchoredStart: true, anchoredEnd: false },
        { parts: ['x'], anchoredStart: true, anchoredEnd: false },
      ],
      spelling: ['Ä', 'S@', 'x*'],
    })
    expect(testOf('age in [1, :1]', ['2'])).toMatchObject({ values: [1, 2], spelling: [1, 2] })
    expect(testOf('hired in :1', [['1970-01-03', 0]])).toMatchObject({
      values: [2, 0],
      spelling: ['1970-01-03', '1970-01-01'],
    })
  })

  test('a lone wildcard is any value, for every type and in lists', () => {
    for (const text of [
      'age = @',
      'lastName = *',
      'age in [1, @]',
      "lastName in [a, '@@']",
      'employer = @',
    ])
      expect(testOf(text)).toEqual({ op: 'isNotNull' })
    expect(predicateOf("notes.a in ['*']")).toMatchObject({ match: { test: { op: 'isNotNull' } } })
    expect(predicateOf("notes.a begin ''")).toMatchObject({ match: { test: { written: 'begin' } } })
    expect(() => prepareFilter('age in [@, x]', employee)).toThrow()
  })

  test('words and prefixes differ', () => {
    expect(testOf("lastName % 'Smith bo@'")).toMatchObject({
      words: [
        { key: 'smith', isPrefix: false },
        { key: 'bo', isPrefix: true },
      ],
    })
  })
})

describe('logic', () => {
  test.each([
    ['active and age > 5', 'active = true and age > 5'],
    ['not active', 'not (active = true)'],
    ['not not active', 'active = true'],
    ['age > 5 except active', 'age > 5 and not (active = true)'],
    ['age > 5 and (age < 9 and active)', 'age > 5 and age < 9 and active = true'],
    ['age > 5 or (age < 2 or active)', 'age > 5 or age < 2 or active = true'],
    ['age > 5 or active and age < 2', 'age > 5 or (active = true and age < 2)'],
    ['age in [] and active', 'nothing'],
    ['age in [] or active', 'active = true'],
    ['not age in []', 'everything'],
    ['', 'everything'],
  ])('%s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })
})

describe('relations', () => {
  test.each([
    ['employer.city = Paris', "employer.city = 'Paris'"],
    ['employer.ID = 7', 'employerID = 7'],
    ['employer.ID > 0', 'employerID > 0'],
    ['employer.ID = null', 'employerID is null'],
    ['employer = 7', 'employerID = 7'],
    ['employer != 7', 'employerID != 7'],
    ['employer in [7, 8]', 'employerID in [7, 8]'],
    ['employer = null', 'employerID is null'],
    ['employer != null', 'employerID is not null'],
    ['boss = 3', 'boss = 3'],
    ['boss.employer.ID = 7', 'boss.employerID = 7'],
    ['team = null', 'not (team exists)'],
    ['team != null', 'team exists'],
    ['team = 7', 'team.ID = 7'],
    ['team.lastName != x', "team.lastName != 'x'"],
    ['employer.staff = null', '(not (employer.staff exists)) or employer is null'],
    ['employerName = Acme', "employer.name = 'Acme'"],
    ['boss.employerName = Acme', "boss.employer.name = 'Acme'"],
    [
      'employerName = Acme and employer.city = Paris',
      "employer.name = 'Acme' and employer.city = 'Paris'",
    ],
    ['boss.active', 'boss.active = true'],
  ])('%s', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  test('a foreign key compares like the key', () => {
    for (const text of ["country.code = 'Fr'", "country = 'Fr'"])
      expect(predicateOf(text)).toMatchObject({
        attribute: { name: 'countryCode' },
        test: { op: 'equal', value: 'Fr' },
      })
  })

  const related = (predicate: Predicate) => {
    const parts = predicate.kind === 'and' ? predicate.parts : [predicate]
    return parts.flatMap((part) =>
      part.kind === 'related'
        ? [[part.relation.name, part.instance, describePredicate(part.part), part.whenMissing]]
        : [],
    )
  }

  test('comparisons of one conjunction are about one related entity', () => {
    expect(related(predicateOf('team.age > 5 and active and team.active'))).toEqual([
      ['team', 1, 'age > 5 and active = true', false],
    ])
    expect(related(predicateOf('team.age > 5 and (active and team.active)'))).toHaveLength(1)
    expect(
      related(predicateOf('team.employer.city = a and team.employer.name = b and team.age = 1')),
    ).toEqual([['team', 1, "(employer.city = 'a' and employer.name = 'b') and age = 1", false]])
  })

  test('other instances and other conjunctions are about other entities', () => {
    expect(related(predicateOf('team.age > 5 and team{2}.active'))).toEqual([
      ['team', 1, 'age > 5', false],
      ['team', 2, 'active = true', false],
    ])
    expect(related(predicateOf('team.employer.name = a and team.employer{2}.name = b'))).toEqual([
      ['team', 1, "employer.name = 'a'", false],
      ['team', 2, "employer{2}.name = 'b'", false],
    ])
    expect(related(predicateOf('team.age > 5 and not team.active'))).toHaveLength(1)
    expect(related(predicateOf('team.age > 5 except team.active'))).toHaveLength(1)
    expect(predicateOf('team.age > 5 or team.active')).toMatchObject({
      kind: 'or',
      parts: [{ kind: 'related' }, { kind: 'related' }],
    })
  })

  test('given values are merged like written ones', () => {
    expect(predicateOf('team.age > :1 and team.lastName in :2', [5, ['a']])).toEqual(
      predicateOf('team.age > 5 and team.lastName in [a]'),
    )
  })

  test('a missing related entity satisfies only tests for null', () => {
    expect(related(predicateOf('employer.city = null'))).toEqual([
      ['employer', 1, 'city is null', true],
    ])
    expect(related(predicateOf('employer.city = null and employer.name = null'))).toMatchObject([
      { 3: true },
    ])
    expect(related(predicateOf('employer.city = null and employer.name = a'))).toMatchObject([
      { 3: false },
    ])
    expect(related(predicateOf('employer.city != null'))).toMatchObject([{ 3: false }])
    expect(related(predicateOf('team.age = null'))).toMatchObject([{ 3: false }])
    expect(related(predicateOf('boss.employer.city = null'))).toEqual([
      ['boss', 1, 'employer.city is null', true],
    ])
  })

  test.each([
    ['employer > 7', 0],
    ['employer begin 7', 0],
    ['employer', 0],
    ['employer.city', 0],
    ['team', 0],
    ['employer > null', 11],
    ['team > null', 7],
    ['lastName{2} = 5', 0],
    ['team[].age = 5', 0],
    ['lastName[] = x', 0],
    ['employerName{2} = x', 0],
    ['notes{2}.a = 5', 0],
    ['notes.a{2} = 5', 6],
  ])('%s is refused', (text, offset) => {
    const error = refusalOf(() => prepareFilter(text, employee))
    expect([error.code, offsetOf(error)]).toEqual(['filterCannotBeAnalysed', offset])
  })
})

describe('names', () => {
  test.each([
    ['nosuch = 1', 0, 'Employee', 'nosuch'],
    ['active and lastname = 1', 11, 'Employee', 'lastname'],
    ['employer.nosuch = 1', 9, 'Company', 'nosuch'],
    ['employer.staff.employer.x = 1', 24, 'Company', 'x'],
    ['lastName.length > 0', 9, 'Employee', 'lastName.length'],
    ["__proto__ = 'x'", 0, 'Employee', '__proto__'],
    ["constructor = 'x'", 0, 'Employee', 'constructor'],
    ['toString', 0, 'Employee', 'toString'],
    ['employer.constructor.constructor = 1', 9, 'Company', 'constructor'],
    ['age = 1 order by nosuch', 17, 'Employee', 'nosuch'],
  ])('%s is unknown, refused at its place', (text, offset, dataClass, attribute) => {
    const error = refusalOf(() => prepareFilter(text, employee))
    expect(error).toMatchObject({
      code: 'filterCannotBeAnalysed',
      errCode: 1201,
      details: { offset },
      cause: { code: 'attributeNotFound', errCode: 1500, details: { dataClass, attribute } },
    })
  })

  test('a hidden attribute gives the same error as an unknown one', () => {
    const isVisible = ({ name }: { readonly name: string }) => name !== 'salary'
    const message = (text: string) =>
      refusalOf(() => prepareFilter(text, employee, { isVisible })).message
    expect(message('salary = 1').replaceAll('salary', 'xxxxxx')).toBe(message('xxxxxx = 1'))
    expect(message('boss.salary = 1').replaceAll('salary', 'xxxxxx')).toBe(
      message('boss.xxxxxx = 1'),
    )
    prepareFilter('age = 1', employee, { isVisible })
  })
})

describe('object attributes', () => {
  const matchOf = (text: string, parameters?: FilterParameters) => {
    const predicate = predicateOf(text, parameters)
    return predicate.kind === 'property' ? predicate.match : predicate
  }

  test.each<[string, unknown]>([
    ['notes.a.b = 9181', { kind: 'value', path: ['a', 'b'], test: { op: 'equal', value: 9181 } }],
    ["notes.a = '9181'", { kind: 'value', path: ['a'], test: { op: 'equal', value: '9181' } }],
    ['notes.a = Émile', { kind: 'value', path: ['a'], test: { op: 'equal', value: 'emile' } }],
    ['notes.a = true', { kind: 'value', path: ['a'], test: { op: 'equal', value: true } }],
    ['notes.a', { kind: 'value', path: ['a'], test: { op: 'equal', value: true } }],
    ['notes.a = x*', { kind: 'value', path: ['a'], test: { op: 'like' } }],
    ['notes.a = null', { kind: 'value', path: ['a'], test: { op: 'isNull' } }],
    [
      'notes.a in [1, x, true]',
      { kind: 'value', path: ['a'], test: { op: 'in', values: [1, 'x', true] } },
    ],
    [
      'notes.list.length >= 2',
      { kind: 'length', path: ['list'], test: { op: 'greaterEqual', value: 2 } },
    ],
    [
      'notes.tags[] = x',
      { kind: 'some', path: ['tags'], all: [{ kind: 'value', path: [], test: { value: 'x' } }] },
    ],
    ['notes[].a = 1', { kind: 'some', path: [], all: [{ kind: 'value', path: ['a'] }] }],
    [
      'notes.coll[].val = 0',
      { kind: 'some', path: ['coll'], all: [{ path: ['val'], test: { op: 'equal', value: 0 } }] },
    ],
    [
      'notes.coll[].val != 0',
      { kind: 'none', path: ['coll'], all: [{ path: ['val'], test: { op: 'equal', value: 0 } }] },
    ],
    ["notes.coll[].val !== 'a@'", { kind: 'none', all: [{ test: { op: 'equal', value: 'a@' } }] }],
    ["notes.coll[].val != 'a@'", { kind: 'none', all: [{ test: { op: 'like' } }] }],
    [
      'notes.coll[a].val != 0',
      {
        kind: 'some',
        path: ['coll'],
        all: [{ path: ['val'], test: { op: 'notEqual', value: 0 } }],
      },
    ],
    [
      'notes.coll[].sub[].z > 1',
      { kind: 'some', path: ['coll'], all: [{ kind: 'some', path: ['sub'] }] },
    ],
    ['notes.coll[].sub.length = 1', { kind: 'some', all: [{ kind: 'length', path: ['sub'] }] }],
  ])('%s', (text, match) => {
    expect(matchOf(text)).toMatchObject(match as object)
  })

  test('criteria with one letter are about one element', () => {
    expect(matchOf('notes.l[a].kind = home and notes.l[A].city = :1', ['paris'])).toMatchObject({
      kind: 'some',
      path: ['l'],
      all: [
        { path: ['kind'], test: { value: 'home' } },
        { path: ['city'], test: { value: 'paris' } },
      ],
    })
    expect(matchOf('notes.l[a].m[b].x = 1 and notes.l[a].m[b].y = 2')).toMatchObject({
      kind: 'some',
      all: [{ kind: 'some', path: ['m'], all: [{ path: ['x'] }, { path: ['y'] }] }],
    })
    for (const text of [
      'notes.l[a].x = 1 and notes.l[b].y = 2',
      'notes.l[].x = 1 and notes.l[].y = 2',
      'notes.l[a].x = 1 and notes.m[a].y = 2',
      'notes.l[a].x = 1 and boss.notes.l[a].y = 2',
    ])
      expect(predicateOf(text)).toMatchObject({ kind: 'and', parts: { length: 2 } })
  })

  test('dangerous names are ordinary properties, which no stored object has', () => {
    const match = { kind: 'value', path: ['__proto__', 'polluted'] }
    expect(predicateOf('notes.__proto__.polluted = 1')).toMatchObject({ kind: 'property', match })
    expect(predicateOf('notes.constructor = null')).toMatchObject({
      match: { path: ['constructor'], test: { op: 'isNull' } },
    })
  })
})

describe('a prepared filter', () => {
  test('without placeholders always gives the same frozen filter', () => {
    const prepared = prepareFilter("employer.city = 'Paris' and age > 5 order by age", employee)
    expect(prepared.placeholders).toEqual([])
    expect(prepared.bind()).toBe(prepared.bind([]))
    expect(Object.isFrozen(prepared.bind())).toBe(true)
  })

  test('names its placeholders, each once, in the order of the text', () => {
    const { placeholders } = prepareFilter(
      'age = :b or lastName in [:1, :a.x, :b] except :2 = 5',
      employee,
    )
    expect(placeholders).toEqual(['b', '1', 'a.x', '2'])
  })

  test('keeps the parts that do not depend on values', () => {
    const prepared = prepareFilter("lastName = :1 and employer.city = 'Paris'", employee)
    const parts = [1, 2].map((n) => prepared.bind([`n${n}`]).predicate)
    expect(parts[0]).not.toEqual(parts[1])
    expect(parts[0].kind === 'and' && parts[0].parts[1]).toBe(
      parts[1].kind === 'and' && parts[1].parts[1],
    )
  })

  test('has its dataclass and its order', () => {
    const bound = prepareFilter('age > :1 order by employer.name desc, notes.rank', employee).bind([
      1,
    ])
    expect(bound.dataClass).toBe(employee)
    expect(bound.orderBy).toMatchObject([
      {
        steps: [{ name: 'employer' }],
        attribute: { name: 'name' },
        properties: [],
        descending: true,
      },
      { steps: [], attribute: { name: 'notes' }, properties: ['rank'], descending: false },
    ])
    expect(prepareFilter('', company).bind()).toMatchObject({
      predicate: { kind: 'constant', value: true },
      orderBy: null,
    })
  })
})
