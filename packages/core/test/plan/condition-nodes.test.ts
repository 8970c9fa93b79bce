import { describe, expect, test } from 'vitest'
import type { Predicate } from '../../src/filter/predicate.ts'
import type { ConditionNode } from '../../src/model/explain-types.ts'
import { type ConditionSources, conditionOf, visibleCondition } from '../../src/plan/condition.ts'
import { catalog, company, employee } from '../filter/staff-catalog.ts'
import { predicateOf, statisticsOf } from './counts.ts'

const indexed = statisticsOf({
  found: { 'Employee.age': 1, 'Employee.lastName': 2, 'Company.name': 3 },
})
const conditionOfText = (
  text: string,
  dataClass = employee,
  sources?: ConditionSources,
): ConditionNode => {
  const condition = conditionOf(dataClass, predicateOf(text, dataClass), indexed, sources)
  if (condition === null) throw new Error('no condition')
  return condition
}

/** A condition on one line: `age > 5 [Employee.age]`, joins as `employer=Company.ID{1}(…)`. */
function line(node: ConditionNode): string {
  switch (node.kind) {
    case 'comparison': {
      const value = node.value === null ? '' : ` ${JSON.stringify(node.value)}`
      return `${node.dataClass}.${node.attribute} ${node.operator}${value}${node.index === null ? '' : ` [${node.index}]`}`
    }
    case 'join':
      return `${node.source}.${node.leftAttribute}=${node.target}.${node.rightAttribute}{${node.instance}}(${line(node.part)})`
    case 'not':
      return `not(${line(node.part)})`
    default:
      return `${node.kind}(${node.parts.map(line).join(', ')})`
  }
}

describe('a condition', () => {
  test.each<[text: string, expected: string]>([
    // Every operator, with its value as written and the index that can answer it.
    ['age = 1', 'Employee.age === 1 [Employee.age]'],
    ['age != 1', 'Employee.age !== 1 [Employee.age]'],
    ['age < 1', 'Employee.age < 1 [Employee.age]'],
    ['age <= 1', 'Employee.age <= 1 [Employee.age]'],
    ['age > 1', 'Employee.age > 1 [Employee.age]'],
    ['age >= 1', 'Employee.age >= 1 [Employee.age]'],
    ['age in [1, 2]', 'Employee.age in [1,2] [Employee.age]'],
    ['age = null', 'Employee.age is null [Employee.age]'],
    ['age != null', 'Employee.age is not null [Employee.age]'],
    ["lastName = 'Sm@'", 'Employee.lastName = "Sm@" [Employee.lastName]'],
    ["lastName = 'S@m'", 'Employee.lastName = "S@m" [Employee.lastName]'],
    ["lastName = '@m'", 'Employee.lastName = "@m"'],
    ["lastName != 'Sm@'", 'Employee.lastName # "Sm@"'],
    ["lastName begin 'Sm'", 'Employee.lastName begin "Sm" [Employee.lastName]'],
    ["lastName % 'Sm'", 'Employee.lastName % "Sm"'],
    ['salary = 1', 'Employee.salary === 1'],
    ["fullName = 'x'", 'Employee.fullName === "x"'],
    ["not (lastName = 'x')", 'not(Employee.lastName === "x" [Employee.lastName])'],
    // Conjuncts: first those with an index, then joins, then others, otherwise in their order.
    // Disjuncts keep their order.
    [
      "salary = 1 and employer.name = 'x' and active = true and age = 1 and boss.age = 2 and lastName = 'x'",
      'and(Employee.age === 1 [Employee.age], Employee.lastName === "x" [Employee.lastName], ' +
        'Employee.employerID=Company.ID{1}(Company.name === "x" [Company.name]), ' +
        'Employee.boss=Employee.ID{1}(Employee.age === 2 [Employee.age]), ' +
        'Employee.salary === 1, Employee.active === true)',
    ],
    [
      "salary = 1 or employer.name = 'x' or age = 1",
      'or(Employee.salary === 1, Employee.employerID=Company.ID{1}(Company.name === "x" [Company.name]), Employee.age === 1 [Employee.age])',
    ],
    [
      'age = 1 and (salary = 1 or active = true)',
      'and(Employee.age === 1 [Employee.age], or(Employee.salary === 1, Employee.active === true))',
    ],
    [
      'salary = 1 and not (age = 1)',
      'and(Employee.salary === 1, not(Employee.age === 1 [Employee.age]))',
    ],
    // Joins: by the foreign key, or by the relation if the key is stored under its name.
    // Independent ones are numbered.
    [
      "employer.name = 'x'",
      'Employee.employerID=Company.ID{1}(Company.name === "x" [Company.name])',
    ],
    ['boss.age = 2', 'Employee.boss=Employee.ID{1}(Employee.age === 2 [Employee.age])'],
    ['team.age = 2', 'Employee.ID=Employee.boss{1}(Employee.age === 2 [Employee.age])'],
    ["country.name = 'x'", 'Employee.countryCode=Country.code{1}(Country.name === "x")'],
    [
      'team{1}.age = 2 and team{2}.salary = 3',
      'and(Employee.ID=Employee.boss{1}(Employee.age === 2 [Employee.age]), Employee.ID=Employee.boss{2}(Employee.salary === 3))',
    ],
    [
      'employer.staff.age = 2',
      'Employee.employerID=Company.ID{1}(Company.ID=Employee.employerID{1}(Employee.age === 2 [Employee.age]))',
    ],
    // Inside objects: the path, and for collections the condition on an element.
    ['notes.a = 1', 'Employee.notes.a === 1'],
    ['notes.a.b = null', 'Employee.notes.a.b is null'],
    ['notes.tags.length > 2', 'Employee.notes.tags.length > 2'],
    ['notes.tags[] = 1', 'Employee.notes.tags[] === 1'],
    ['notes.tags[].a = 1', 'Employee.notes.tags[].a === 1'],
    ['notes.tags[].a.length = 1', 'Employee.notes.tags[].a.length === 1'],
    ['notes.tags[].list[].b = 1', 'Employee.notes.tags[].list[].b === 1'],
    [
      'notes.tags[a].x = 1 and notes.tags[a].y = 2',
      'and(Employee.notes.tags[].x === 1, Employee.notes.tags[].y === 2)',
    ],
    ['notes.tags[] != 1', 'not(Employee.notes.tags[] === 1)'],
    ['notes.tags[].a != 1', 'not(Employee.notes.tags[].a === 1)'],
  ])('of %s is %s', (text, expected) => {
    expect(line(conditionOfText(text))).toBe(expected)
  })

  test('about a to-many relation begins at the key', () => {
    expect(line(conditionOfText('staff.age = 2', company))).toBe(
      'Company.ID=Employee.employerID{1}(Employee.age === 2 [Employee.age])',
    )
  })

  test('about a relation alone is a join without a further condition', () => {
    const related = predicateOf("employer.name = 'x'")
    const alone: Predicate = { ...related, part: { kind: 'constant', value: true } } as never
    expect(line(conditionOf(employee, alone, indexed) as ConditionNode)).toBe(
      'Employee.employerID=Company.ID{1}(and())',
    )
    const nobody: Predicate = { ...related, part: { kind: 'constant', value: false } } as never
    expect(line(conditionOf(employee, nobody, indexed) as ConditionNode)).toBe(
      'Employee.employerID=Company.ID{1}(or())',
    )
  })
})

describe('each part of a condition stands for a predicate', () => {
  const parts = (node: ConditionNode): readonly ConditionNode[] => {
    const below = 'parts' in node ? node.parts : 'part' in node ? [node.part] : []
    return [node, ...below.flatMap(parts)]
  }

  test.each([
    "salary = 1 and not (employer.name = 'x' or age = 1)",
    'notes.tags[a].x = 1 and notes.tags[a].y = 2 and notes.a = 1',
    'notes.tags[].list[].b != 1 or notes.tags[].a.length = 1',
    'notes.tags[a].list[].b != 1 and notes.tags[a].c = 2',
    'notes.tags[].list[a].b = 1 and notes.tags[].list[a].c = 2',
    'notes.tags[a].list[b].x = 1 and notes.tags[a].list[b].y = 2',
    'notes.tags[a].list[b].x = 1 and notes.tags[a].list[b].y = 2 and notes.tags[a].c = 3',
    'notes.tags[a].list.length = 1 and notes.tags[a].list[].x != 2',
  ])('of which, in %s, the condition is that part', (text) => {
    const sources: ConditionSources = new Map()
    const condition = conditionOfText(text, employee, sources)
    const all = parts(condition)
    for (const part of all) {
      const source = sources.get(part)
      expect(source, line(part)).not.toBe(undefined)
      const dataClass = line(part).startsWith('Company') ? company : employee
      const again = conditionOf(dataClass, source as Predicate, indexed)
      // Each of several conditions on an element is a separate node.
      expect(again === null ? '' : line(again)).toBe(line(part))
    }
  })

  test('alone: a condition on an element becomes one on its collection', () => {
    const sources: ConditionSources = new Map()
    const condition = conditionOfText(
      'notes.tags[a].x = 1 and notes.tags[a].y = 2',
      employee,
      sources,
    )
    const first = parts(condition).find(
      (part) => line(part) === 'Employee.notes.tags[].x === 1',
    ) as ConditionNode
    const [inner] = [{ kind: 'value', path: ['x'], test: { op: 'equal', value: 1, spelling: 1 } }]
    expect(sources.get(first)).toMatchObject({
      kind: 'property',
      attribute: { name: 'notes' },
      match: { kind: 'some', path: ['tags'], all: [inner] },
    })
    const denied: ConditionSources = new Map()
    const none = conditionOfText('notes.tags[].x != 1', employee, denied)
    expect(denied.get(none)).toMatchObject({
      kind: 'property',
      match: { kind: 'none', path: ['tags'] },
    })
  })
})

describe('a condition shown to a reader', () => {
  const shown = (text: string, hidden: readonly string[], dataClass = employee): string =>
    line(
      visibleCondition(
        catalog,
        ({ name }) => !hidden.includes(name),
        conditionOfText(text, dataClass),
      ),
    )

  test.each<[text: string, hidden: readonly string[], expected: string]>([
    ['age = 1', [], 'Employee.age === 1 [Employee.age]'],
    ['age = 1', ['age'], 'Employee.(hidden) === 1'],
    [
      'age = 1 and lastName = null',
      ['age'],
      'and(Employee.(hidden) === 1, Employee.lastName is null [Employee.lastName])',
    ],
    [
      'age = 1 or salary = 2',
      ['salary'],
      'or(Employee.age === 1 [Employee.age], Employee.(hidden) === 2)',
    ],
    ['not (age = 1)', ['age'], 'not(Employee.(hidden) === 1)'],
    ['notes.a.b = 1', [], 'Employee.notes.a.b === 1'],
    ['notes.a.b = 1', ['notes'], 'Employee.(hidden) === 1'],
    ['notes.tags[].b = 1', [], 'Employee.notes.tags[].b === 1'],
    ['notes.tags[].b = 1', ['notes'], 'Employee.(hidden) === 1'],
    // A hidden foreign key is shown by the name of its relation.
    [
      "employer.name = 'x'",
      [],
      'Employee.employerID=Company.ID{1}(Company.name === "x" [Company.name])',
    ],
    [
      "employer.name = 'x'",
      ['employerID'],
      'Employee.employer=Company.ID{1}(Company.name === "x" [Company.name])',
    ],
    [
      "employer.name = 'x'",
      ['employerID', 'employer'],
      'Employee.(hidden)=Company.ID{1}(Company.name === "x" [Company.name])',
    ],
    [
      "employer.name = 'x'",
      ['name'],
      'Employee.employerID=Company.ID{1}(Company.(hidden) === "x")',
    ],
    [
      "employer.name = 'x'",
      ['ID'],
      'Employee.employerID=Company.(hidden){1}(Company.name === "x" [Company.name])',
    ],
    ['employerID = 1', ['employerID'], 'Employee.employer === 1'],
    [
      "country.name = 'x'",
      ['countryCode'],
      'Employee.country=Country.code{1}(Country.name === "x")',
    ],
    [
      'boss.age = 2',
      ['boss'],
      'Employee.(hidden)=Employee.ID{1}(Employee.age === 2 [Employee.age])',
    ],
    [
      'team.age = 2',
      ['boss'],
      'Employee.ID=Employee.(hidden){1}(Employee.age === 2 [Employee.age])',
    ],
  ])('of %s with %j hidden is %s', (text, hidden, expected) => {
    expect(shown(text, hidden)).toBe(expected)
  })

  test('of a to-many relation shows the foreign key, by the name of its relation if it is hidden', () => {
    expect(shown('staff.age = 2', ['employerID'], company)).toBe(
      'Company.ID=Employee.employer{1}(Employee.age === 2 [Employee.age])',
    )
  })

  test('is the same object if nothing of it is hidden', () => {
    const condition = conditionOfText('age = 1')
    expect(visibleCondition(catalog, () => true, condition)).toBe(condition)
  })
})
