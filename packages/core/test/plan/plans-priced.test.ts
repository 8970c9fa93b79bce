import { describe, expect, test } from 'vitest'
import { EVERYTHING, NOTHING } from '../../src/filter/context.ts'
import {
  describePredicate,
  type Predicate,
  type RelatedPredicate,
} from '../../src/filter/predicate.ts'
import { MAX_SHORT_ACCESS_ROWS } from '../../src/plan/fast-paths.ts'
import { inputsOf, type PhysicalPlan } from '../../src/plan/physical-plan.ts'
import { planAlternatives, planQuery } from '../../src/plan/plan-query.ts'
import { company, employee } from '../filter/staff-catalog.ts'
import {
  type Counts,
  chosen,
  found,
  lineOf,
  named,
  predicateOf,
  priced,
  statisticsOf,
} from './counts.ts'

describe('the priced plans', () => {
  test('of several conjuncts are the scan, each access path with the others as a residual, and intersections from the narrowest on', () => {
    const counts = found({ email: 1500, lastName: 1200, firstName: 1000 })
    expect(
      priced("lastName > 'a' and firstName > 'b' and email > 'c'", counts).map(lineOf).sort(),
    ).toEqual(
      [
        "scan Employee.firstName > 'b' and Employee.lastName > 'a' and Employee.email > 'c'",
        "filter Employee.firstName > 'b' and Employee.email > 'c' (indexRange Employee.lastName > 'a')",
        "filter Employee.lastName > 'a' and Employee.email > 'c' (indexRange Employee.firstName > 'b')",
        "filter Employee.firstName > 'b' and Employee.lastName > 'a' (indexRange Employee.email > 'c')",
        "filter Employee.email > 'c' (intersect Employee (indexRange Employee.firstName > 'b'; indexRange Employee.lastName > 'a'))",
        "intersect Employee (indexRange Employee.firstName > 'b'; indexRange Employee.lastName > 'a'; indexRange Employee.email > 'c')",
      ].sort(),
    )
  })

  test.each<[text: string, counts: Counts, kinds: readonly PhysicalPlan['kind'][]]>([
    ['age = 1', {}, ['scan']],
    ['age = 1', found({ age: 1 }), ['index', 'scan']],
    ['age = 1 and salary > 5', found({ age: 1 }), ['filter', 'scan']],
    [
      'age = 1 and salary > 5',
      found({ age: 1, salary: 1 }),
      ['filter', 'filter', 'intersect', 'scan'],
    ],
    ['age > 1 and age < 5', found({ age: 1 }), ['index', 'scan']],
    ['not (age = 1)', found({ age: 1 }), ['complement', 'scan']],
    ['age = 1 or salary = 5', found({ age: 1, salary: 1 }), ['scan', 'union']],
    ['age = 1 or notes.a = 5', found({ age: 1 }), ['scan']],
    ["lastName % 'x'", found({ lastName: 1 }), ['scan']],
    ["age = 1 or lastName % 'x'", found({ age: 1, lastName: 1 }), ['scan']],
    ["not (lastName % 'x')", found({ lastName: 1 }), ['scan']],
    ["employer.name = 'x'", {}, ['scan', 'semiJoin']],
    [
      "employer.name = 'x' and age > 5",
      named(3, 300, { age: 20 }),
      ['filter', 'filter', 'intersect', 'scan'],
    ],
  ])('of %s with the counts %j are %j', (text, counts, kinds) => {
    expect(
      priced(text, counts)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(kinds)
  })

  /**
   * The conditions of the operators of a plan: those that an index answers, and those that are
   * tested.
   */
  function conditionsOf(plan: PhysicalPlan): { answered: string[]; tested: string[] } {
    const own = (predicate: Predicate): readonly Predicate[] =>
      predicate.kind === 'and' ? predicate.parts : [predicate]
    const inner = plan.kind === 'semiJoin' ? [] : inputsOf(plan).map(conditionsOf)
    const answered =
      plan.kind === 'index' || plan.kind === 'semiJoin'
        ? own(plan.predicate).map(describePredicate)
        : []
    const tested =
      plan.kind === 'filter' || plan.kind === 'scan' ? plan.residual.map(describePredicate) : []
    return {
      answered: [...answered, ...inner.flatMap((one) => one.answered)],
      tested: [...tested, ...inner.flatMap((one) => one.tested)],
    }
  }

  test('answer or test each conjunct once, with any indexes', () => {
    const indexes = ['Employee.age', 'Employee.salary', 'Employee.lastName', 'Company.name']
    for (const text of [
      "age > 1 and age < 9 and salary = 2 and lastName begin 'a' and employer.name = 'x' and notes.a = 1",
      "salary > 2 and lastName begin 'a' and (age = 1 or salary = 2) and not (age = 3)",
    ])
      for (let chosenOnes = 0; chosenOnes < 1 << indexes.length; chosenOnes++) {
        const there = indexes.filter((_, i) => chosenOnes & (1 << i))
        const counts: Counts = {
          found: Object.fromEntries(there.map((name, i) => [name, 300 + i])),
          joined: 2000,
        }
        const conjuncts = (predicateOf(text) as { parts: readonly Predicate[] }).parts
          .map(describePredicate)
          .sort()
        for (const plan of [chosen(text, counts), ...priced(text, counts)]) {
          const { answered, tested } = conditionsOf(withoutUnions(plan))
          expect([...answered, ...tested].sort(), `${lineOf(plan)} with ${there}`).toEqual(
            conjuncts,
          )
        }
      }
  })

  /** A union or complement is shown as the conjunct that it answers. */
  function withoutUnions(plan: PhysicalPlan): PhysicalPlan {
    const { dataClass, rows, isExact, cost } = plan
    const as = (text: string): PhysicalPlan => ({
      kind: 'scan',
      residual: [predicateOf(text)],
      dataClass,
      rows,
      isExact,
      cost,
    })
    if (plan.kind === 'union') return as('age = 1 or salary = 2')
    if (plan.kind === 'complement') return as('not (age = 3)')
    if (plan.kind === 'filter') return { ...plan, input: withoutUnions(plan.input) }
    return plan.kind === 'intersect' ? { ...plan, inputs: plan.inputs.map(withoutUnions) } : plan
  }

  test('test the rest of an inexact range', () => {
    const counts = found({ lastName: 300, salary: 400 })
    for (const other of ['salary > 2', "lastName > 'x'"])
      for (const text of [`lastName = 'x@y' and ${other}`, `${other} and lastName = 'x@y'`])
        for (const plan of [chosen(text, counts), ...priced(text, counts)]) {
          const { answered, tested } = conditionsOf(plan)
          expect(tested, lineOf(plan)).toContain("lastName = 'x@y'")
          expect([...new Set([...answered, ...tested])].sort()).toEqual(
            ["lastName = 'x@y'", other].sort(),
          )
        }
  })
})

describe('a join is counted at planning', () => {
  const asked = (predicate: Predicate, counts: Counts, dataClass = employee): readonly string[] => {
    const seen: string[] = []
    planQuery(dataClass, predicate, statisticsOf(counts, seen))
    return seen
  }
  const related = predicateOf("employer.name = 'x'") as RelatedPredicate

  test('if one access answers the inner query with few records', () => {
    expect(asked(related, named(MAX_SHORT_ACCESS_ROWS, 1))).toEqual([
      `employer of index ${MAX_SHORT_ACCESS_ROWS}`,
    ])
    expect(asked(related, named(MAX_SHORT_ACCESS_ROWS + 1, 1))).toEqual([])
    expect(asked({ ...related, part: EVERYTHING }, {})).toEqual(['employer of all 100'])
    expect(asked({ ...related, part: NOTHING, whenMissing: true }, {})).toEqual([
      'employer of none 0',
    ])
  })

  test('not if the inner query must test records, and not for to-many relations', () => {
    expect(asked(related, { rows: { Company: 5 } })).toEqual([])
    expect(asked(predicateOf("employer.name = 'x@y'"), named(3, 1))).toEqual([])
    expect(asked(predicateOf('staff.age = 1', company), found({ age: 2 }), company)).toEqual([])
  })

  test('and its inner query is planned once for all plans', () => {
    const statistics = statisticsOf(named(3, 300, { age: 2000 }))
    const counted: string[] = []
    planAlternatives(employee, predicateOf("employer.name = 'x' and age > 5"), {
      ...statistics,
      access(attribute, ranges) {
        counted.push(attribute.name)
        return statistics.access(attribute, ranges)
      },
    })
    expect(counted.filter((name) => name === 'name')).toHaveLength(1)
  })
})
