import { describe, expect, test } from 'vitest'
import { prepareFilter } from '../../src/filter/bind-filter.ts'
import { both, EVERYTHING, either, NOTHING, negation } from '../../src/filter/context.ts'
import { describePredicate, type Predicate, type Test } from '../../src/filter/predicate.ts'
import type { StorageAttribute } from '../../src/model/catalog.ts'
import { conditionOf, visibleCondition } from '../../src/plan/condition.ts'
import { residualCost, selectedShare } from '../../src/plan/cost.ts'
import { HIGH, LOW, prefixRange, rangesOf } from '../../src/plan/key-range.ts'
import { exactSought } from '../../src/plan/physical-plan.ts'
import { rangeTemplate } from '../../src/plan/range-filter.ts'
import { REWRITE_RULES, rewrite } from '../../src/plan/rewrite.ts'
import { catalog, employee } from '../filter/staff-catalog.ts'

const of = (text: string, parameters?: readonly unknown[]): Predicate =>
  prepareFilter(text, employee).bind(parameters as never).predicate
const attributeOf = (name: string) => employee.attributes.get(name) as StorageAttribute
const compare = (name: string, test: Test): Predicate => ({
  kind: 'compare',
  attribute: attributeOf(name),
  test,
})
const not = (part: Predicate): Predicate => ({ kind: 'not', part })

describe('a rewrite', () => {
  test.each<[text: string, expected: string]>([
    ['age = 1 or age = 2', 'age in [1, 2]'],
    ["age = 1 or lastName = 'a' or age = 2", "age in [1, 2] or lastName = 'a'"],
    ["age = 1 or lastName = 'a'", "age = 1 or lastName = 'a'"],
    ['age = 1 or age > 5', 'age = 1 or age > 5'],
    ['age in [3]', 'age = 3'],
    ['age = 1 and age = 1', 'age = 1'],
    ['age > 1 and age > 1 and age < 3', 'age > 1 and age < 3'],
    ['age = 1 and salary = 1', 'age = 1 and salary = 1'],
    ['(age = 1 and salary = 2) and active = true', 'age = 1 and salary = 2 and active = true'],
    ['not (age = null)', 'age is not null'],
    ['not (age != null)', 'age is null'],
    ['not (age = null or salary = null)', 'age is not null and salary is not null'],
    ['not (not (age = 1))', 'age = 1'],
    ['not (age = 1 and salary = 2)', 'not (age = 1) or not (salary = 2)'],
  ])('of %s is %s', (text, expected) => {
    expect(describePredicate(rewrite(of(text)))).toBe(expected)
  })

  test('evaluates keys, empty lists and constants', () => {
    expect(rewrite(compare('ID', { op: 'isNull' }))).toEqual(NOTHING)
    expect(rewrite(compare('ID', { op: 'isNotNull' }))).toEqual(EVERYTHING)
    const nobody = compare('age', { op: 'in', values: [], wildcards: [], spelling: [] })
    expect(rewrite(nobody)).toEqual(NOTHING)
    expect(rewrite(not(nobody))).toEqual(EVERYTHING)
    expect(rewrite(not(EVERYTHING))).toEqual(NOTHING)
    expect(rewrite({ kind: 'and', parts: [of('age = 1'), EVERYTHING] })).toEqual(of('age = 1'))
    expect(rewrite({ kind: 'and', parts: [of('age = 1'), NOTHING] })).toEqual(NOTHING)
    expect(rewrite({ kind: 'or', parts: [of('age = 1'), EVERYTHING] })).toEqual(EVERYTHING)
    expect(rewrite({ kind: 'and', parts: [EVERYTHING] })).toEqual(EVERYTHING)
    expect(rewrite({ kind: 'or', parts: [] })).toEqual(NOTHING)
  })

  test('of a relation that cannot be satisfied is a constant, and an unchanged relation stays the same object', () => {
    const related = of("employer.name = 'Acme'")
    if (related.kind !== 'related') throw new Error('no relation')
    expect(rewrite(related)).toBe(related)
    expect(rewrite({ ...related, part: NOTHING, whenMissing: false })).toEqual(NOTHING)
    expect(rewrite({ ...related, part: NOTHING, whenMissing: true })).toMatchObject({
      kind: 'related',
      part: NOTHING,
    })
    const doubled: Predicate = { ...related, part: not(not(related.part)) }
    expect(rewrite(doubled)).toEqual(related)
  })

  test('recognises a repeated node of any kind', () => {
    const node = of("notes.a = 'x'")
    expect(rewrite({ kind: 'and', parts: [node, node] })).toBe(node)
    expect(rewrite({ kind: 'or', parts: [node, of("notes.a = 'x'")] })).toMatchObject({
      kind: 'or',
    })
  })

  test('by a rule keeps all other nodes', () => {
    const plain = of('age > 1')
    for (const rule of [...REWRITE_RULES.and, ...REWRITE_RULES.or, ...REWRITE_RULES.not]) {
      expect(rule(plain), rule.name).toBe(plain)
      for (const nodes of [both, either]) {
        const joined = nodes([plain, of("notes.a = 'x'")])
        expect(rule(joined), rule.name).toEqual(joined)
      }
    }
  })
})

describe('combined parts', () => {
  const [age, salary] = [of('age = 1'), of('salary = 2')]
  test('are flat and without constants', () => {
    expect(both([])).toEqual(EVERYTHING)
    expect(either([])).toEqual(NOTHING)
    expect(both([EVERYTHING, EVERYTHING])).toEqual(EVERYTHING)
    expect(both([age, EVERYTHING])).toBe(age)
    expect(both([age, NOTHING])).toEqual(NOTHING)
    expect(either([age, EVERYTHING])).toEqual(EVERYTHING)
    expect(either([NOTHING, either([age, salary])])).toEqual({ kind: 'or', parts: [age, salary] })
    expect(both([age, both([salary, age])])).toEqual({ kind: 'and', parts: [age, salary, age] })
  })
  test('negated twice are the original', () => {
    expect(negation(negation(age))).toBe(age)
    expect([negation(EVERYTHING), negation(NOTHING)]).toEqual([NOTHING, EVERYTHING])
  })
})

describe('the range of an index', () => {
  const word = (test: Test) => rangesOf(attributeOf('lastName'), test)
  test('of a prefix ends behind the last text with that prefix', () => {
    expect(prefixRange('ab')).toEqual({ low: 'ab', high: 'ac' })
    expect(prefixRange('a\uffff')).toEqual({ low: 'a\uffff', high: 'b' })
    expect(prefixRange('\uffff')).toEqual({ low: '\uffff', high: null })
    expect(prefixRange('')).toEqual({ low: '', high: null })
  })
  test('of several exact comparisons is their intersection', () => {
    const age = attributeOf('age')
    expect(exactSought(age, of('age >= 2 and age <= 5'))).toMatchObject({
      ranges: [{ low: 2, high: 5 }],
    })
    expect(exactSought(age, of('age >= 5 and age <= 2'))).toMatchObject({ ranges: [] })
    expect(exactSought(age, of('age < 5'))).toMatchObject({
      ranges: [{ low: LOW, high: expect.any(Number) }],
    })
    expect(exactSought(age, of('age != null'))).toMatchObject({
      ranges: [{ low: LOW, high: HIGH }],
      nulls: false,
    })
    expect(exactSought(age, of('age = 1 or age = 2'))).toBe(null)
    const name = attributeOf('lastName')
    expect(exactSought(name, of("lastName = 'a@b'"))).toBe(null)
    expect(exactSought(name, of("lastName begin 'a' and lastName = 'a@b'"))).toBe(null)
    expect(exactSought(name, of("lastName = '@b'"))).toBe(null)
  })
  test('does not exist for words, patterns without a prefix, lists of these, objects and media', () => {
    const texts = [
      "lastName % 'x'",
      "lastName = '@x'",
      "lastName in ['@x', 'b']",
      "lastName in ['a@', '@b']",
    ]
    for (const text of texts) expect(word((of(text) as { test: Test }).test), text).toBe(null)
    expect(rangesOf(attributeOf('age'), { op: 'keyword', words: [] } as never)).toBe(null)
    for (const name of ['notes', 'photo'])
      expect(rangesOf(attributeOf(name), { op: 'isNull' })).toBe(null)
  })
})

test('a constant selects all or nothing, and costs nothing to test', () => {
  const nobodyAsked = {} as never
  expect([selectedShare(EVERYTHING, nobodyAsked), selectedShare(NOTHING, nobodyAsked)]).toEqual([
    1, 0,
  ])
  expect(selectedShare(not(NOTHING), nobodyAsked)).toBe(1)
  expect([
    residualCost(EVERYTHING, nobodyAsked),
    residualCost(not(EVERYTHING), nobodyAsked),
  ]).toEqual([0, 5])
  expect(residualCost(of("notes.a = 'x'"), nobodyAsked)).toBe(250)
})

describe('a range filter', () => {
  const templateOf = (text: string) => rangeTemplate(prepareFilter(text, employee))
  test.each<[text: string, values: readonly unknown[]]>([
    ['age = :1', [7]],
    ['age >= :1 and age < :2', [2, 5]],
    ['age > :1 and age <= 9', [2]],
    ['age >= :1 and age <= :2', [5, 2]],
    ['active = :1', [true]],
    ['lastName = :1', ['Smith']],
    ['lastName begin :1', ['Sm']],
  ])('of %s with %j has the ranges of its predicate', (text, values) => {
    const bound = templateOf(text)?.bind(values as never)
    if (bound == null) throw new Error('no range filter')
    const attribute = bound.template.attribute
    expect(bound.ranges).toEqual(exactSought(attribute, rewrite(of(text, values))))
    expect(bound.predicate).toEqual(rewrite(of(text, values)))
    expect([bound.text, bound.dataClass, bound.orderBy]).toEqual([text, employee, null])
  })
  test('does not exist without placeholders, with other values, or beside other conditions', () => {
    for (const text of [
      'age = 7',
      'age >= 2 and age < 5',
      'age = :1 or age = 2',
      'age = :1 and salary = :2',
      'notes.a = :1',
      'age = :name',
    ]) {
      expect(templateOf(text), text).toBe(null)
    }
    const template = templateOf('age = :1')
    for (const values of [{ values: [7] }, undefined, ['7'], [null], []])
      expect(template?.bind(values as never)).toBe(null)
  })
})

describe('a condition', () => {
  const nobodyAsked = { access: () => null } as never
  const conditionFor = (predicate: Predicate) => conditionOf(employee, predicate, nobodyAsked)
  test('of constants is all or nothing, also when nested', () => {
    expect([conditionFor(EVERYTHING), conditionFor(NOTHING)]).toEqual([
      null,
      { kind: 'or', parts: [] },
    ])
    expect(conditionFor(not(EVERYTHING))).toEqual({ kind: 'or', parts: [] })
    expect(conditionFor({ kind: 'and', parts: [EVERYTHING, of('age > 1')] })).toMatchObject({
      kind: 'and',
      parts: [{ attribute: 'age' }],
    })
  })
  test('names no hidden attribute, negated or not', () => {
    const condition = conditionFor(not(of('age > 1')))
    if (condition === null) throw new Error('no condition')
    const shown = (isSeen: boolean) =>
      JSON.stringify(visibleCondition(catalog, () => isSeen, condition))
    expect(shown(true)).toBe(JSON.stringify(condition))
    expect([shown(false).includes('age'), shown(false).includes('(hidden)')]).toEqual([false, true])
    const elsewhere = {
      ...(condition as object),
      kind: 'comparison',
      dataClass: 'Nobody',
      attribute: 'x',
    } as never
    expect(visibleCondition(catalog, () => true, elsewhere)).toMatchObject({
      attribute: '(hidden)',
    })
  })
  test('about a relation alone is a test for existence', () => {
    const related = of("employer.name = 'Acme'")
    if (related.kind !== 'related') throw new Error('no relation')
    expect(describePredicate({ ...related, part: EVERYTHING })).toBe('employer exists')
    expect(describePredicate({ ...related, part: NOTHING })).toBe('employer is nothing')
  })
})
