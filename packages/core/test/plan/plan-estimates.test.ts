import { describe, expect, test } from 'vitest'
import type { RelatedPredicate } from '../../src/filter/predicate.ts'
import { COLLECT_COST, JOIN_COST, RESIDUAL_COST, SCAN_COST } from '../../src/plan/cost.ts'
import type { PhysicalPlan } from '../../src/plan/physical-plan.ts'
import { planAlternatives } from '../../src/plan/plan-query.ts'
import { company, employee } from '../filter/staff-catalog.ts'
import { type Counts, found, predicateOf, priced, statisticsOf } from './counts.ts'

/** The plan of that kind, or the widest filter over an input of that kind. */
function planOf(text: string, kind: string, counts: Counts, dataClass = employee): PhysicalPlan {
  const plans = priced(text, counts, dataClass).filter((plan) =>
    plan.kind === 'filter' ? kind === `filter of ${plan.input.kind}` : plan.kind === kind,
  )
  const plan = plans.at(-1)
  if (plan === undefined) throw new Error(`no ${kind} of ${text}`)
  return plan
}

const of = (
  className: string,
  counts: { readonly [attribute: string]: number },
): { [path: string]: number } =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${className}.${name}`, count]))

describe('the estimated rows', () => {
  const shares = of('Employee', { age: 0.3, salary: 0.5, active: 0.1, lastName: 0.2 })
  const rows = { Employee: 1000 }

  test.each<[text: string, rows: number]>([
    ['age = 1', 300],
    ['not (age = 1)', 700],
    ['age = 1 and salary = 2', 150],
    ['age = 1 and salary = 2 and active = true', 15],
    ['age = 1 or salary = 2', 650],
    ['age = 1 or salary = 2 or active = true', 685],
    ['age = 1 and (salary = 2 or active = true)', 165],
    ['age = 1 or (salary = 2 and active = true)', 335],
    ["not (lastName = 'x') and (age = 1 or active = true)", 296],
    // A quarter if no column has an estimate.
    ['notes.a = 1', 250],
    ["fullName = 'x'", 250],
    ["lastName % 'x'", 250],
    ["employer.name = 'x'", 250],
    ['not (notes.a = 1)', 750],
    ['age = 1 and notes.a = 1', 75],
  ])('of %s are the product of independent shares: %i of 1000', (text, expected) => {
    const estimated = planOf(text, 'scan', { rows, shares }).rows
    expect(estimated).toBeGreaterThanOrEqual(expected)
    // Sums and products in another order may round up to one more.
    expect(estimated).toBeLessThanOrEqual(expected + 1)
  })

  test('are exact with an index, or rounded up by one', () => {
    expect(planOf('age = 1', 'scan', { rows, shares, ...found({ age: 123 }) }).rows).toBe(123)
    expect(
      planOf('age = 1 and salary = 2', 'scan', { rows, shares, ...found({ age: 11 }) }).rows,
    ).toBe(6)
  })

  test('of an empty dataclass are 0', () => {
    for (const counts of [
      { rows: { Employee: 0 } },
      { rows: { Employee: 0 }, ...found({ age: 0, salary: 0 }) },
    ])
      for (const text of [
        'age = 1',
        'age = 1 and salary = 2',
        'age = 1 or salary = 2',
        'not (age = 1)',
      ])
        for (const plan of priced(text, counts))
          expect([plan.rows, Number.isFinite(plan.cost)]).toEqual([0, true])
  })

  test.each<[text: string, kind: string, counts: Counts, rows: number, isExact: boolean]>([
    ['age = 1', 'index', found({ age: 123 }), 123, true],
    ['not (age = 1)', 'complement', found({ age: 123 }), 9877, true],
    ["not (lastName = 'a@b')", 'complement', found({ lastName: 123 }), 9877, false],
    ['age = 1 or salary = 2', 'union', found({ age: 30, salary: 50 }), 80, false],
    ['age = 1 or salary = 2', 'union', found({ age: 9000, salary: 5000 }), 10_000, false],
    ['age = 1 and salary = 2', 'intersect', found({ age: 2000, salary: 500 }), 100, false],
    ['age = 1 and salary = 2', 'intersect', found({ age: 30, salary: 500 }), 2, false],
    // For few records the estimate is all of them.
    ['age = 1 and active = true', 'filter of index', found({ age: 256 }), 256, false],
    ['age = 1 and active = true', 'filter of index', found({ age: 600 }), 300, false],
    [
      'age = 1 and active = true and salary = 2',
      'filter of index',
      found({ age: 600 }),
      150,
      false,
    ],
    ["employer.name = 'x'", 'semiJoin', { found: { 'Company.name': 3 }, joined: 77 }, 77, true],
    [
      "employer.name = 'x'",
      'semiJoin',
      { found: { 'Company.name': 3 }, joined: null, fanOut: 100 },
      300,
      false,
    ],
    [
      "employer.name = 'x'",
      'semiJoin',
      { found: { 'Company.name': 3 }, joined: null, fanOut: 0.5 },
      2,
      false,
    ],
    [
      "employer.name = 'x'",
      'semiJoin',
      { found: { 'Company.name': 99 }, joined: null, fanOut: 500 },
      10_000,
      false,
    ],
  ])(
    'of %s by %s with the counts %j are %i, exact: %s',
    (text, kind, counts, expected, isExact) => {
      const plan = planOf(text, kind, counts)
      expect([plan.rows, plan.isExact]).toEqual([expected, isExact])
    },
  )

  test('of a to-many relation are at most the related records, and at most all', () => {
    expect(planOf('staff.age = 1', 'semiJoin', found({ age: 20 }), company).rows).toBe(20)
    expect(planOf('staff.age = 1', 'semiJoin', found({ age: 5000 }), company)).toMatchObject({
      rows: 100,
      isExact: false,
    })
  })

  test('include the records without a related entity, if these belong to the result', () => {
    const related = predicateOf("employer.name = 'x'") as RelatedPredicate
    const rowsOf = (whenMissing: boolean): number => {
      const counts = statisticsOf({ found: { 'Company.name': 3 }, joined: null })
      const plan = planAlternatives(employee, { ...related, whenMissing }, counts).find(
        (one) => one.kind === 'semiJoin',
      )
      expect(plan).toMatchObject({ whenMissing, direction: 'forward' })
      return plan?.rows ?? 0
    }
    expect(rowsOf(false)).toBe(300)
    expect(rowsOf(true)).toBeGreaterThan(300)
    expect(rowsOf(true)).toBeLessThan(5000)
  })
})

/** The increase in the cost of a plan when counts grow. */
function difference(
  text: string,
  kind: string,
  counts: Counts,
  more: Counts,
  dataClass = employee,
): number {
  const larger: Counts = { ...counts, ...more, found: { ...counts.found, ...more.found } }
  return planOf(text, kind, larger, dataClass).cost - planOf(text, kind, counts, dataClass).cost
}

describe('the price of one more record', () => {
  const both = found({ age: 3000, salary: 4000 })
  const half = 0.5

  test.each<[text: string, kind: string, counts: Counts, more: Counts, cost: number]>([
    ['age = 1', 'index', both, found({ age: 3001 }), COLLECT_COST],
    // Collected and merged.
    ['age = 1 and salary = 2', 'intersect', both, found({ age: 3001 }), 2 * COLLECT_COST],
    ['age = 1 and salary = 2', 'intersect', both, found({ salary: 4001 }), 2 * COLLECT_COST],
    ['age = 1 or salary = 2', 'union', both, found({ age: 3001 }), 2 * COLLECT_COST],
    ['age = 1 or salary = 2', 'union', both, { rows: { Employee: 10_001 } }, 0],
    ['not (age = 1)', 'complement', both, found({ age: 3001 }), 2 * COLLECT_COST],
    // Each further key is followed; each further employee is collected.
    [
      "employer.name = 'x'",
      'semiJoin',
      { found: { 'Company.name': 9 }, joined: 50 },
      { joined: 51 },
      COLLECT_COST,
    ],
    [
      "employer.name = 'x'",
      'semiJoin',
      { found: { 'Company.name': 9 }, joined: 50 },
      { found: { 'Company.name': 10 } },
      COLLECT_COST + JOIN_COST,
    ],
    // One loop over a column; further tests run on the remaining records.
    ['age = 1', 'scan', {}, { rows: { Employee: 10_001 } }, SCAN_COST],
    [
      'age = 1 and salary = 2',
      'scan',
      {},
      { rows: { Employee: 10_001 } },
      SCAN_COST + half * RESIDUAL_COST.number,
    ],
    [
      'age = 1 and salary = 2 and active = true',
      'scan',
      {},
      { rows: { Employee: 10_001 } },
      SCAN_COST + (half + half * half) * RESIDUAL_COST.number,
    ],
    ["lastName = 'x'", 'scan', {}, { rows: { Employee: 10_001 } }, RESIDUAL_COST.text],
    [
      "badge = '00112233445566778899AABBCCDDEEFF'",
      'scan',
      {},
      { rows: { Employee: 10_001 } },
      RESIDUAL_COST.text,
    ],
    [
      "lastName = 'x'",
      'scan',
      { words: { 'Employee.lastName': 7 } },
      { rows: { Employee: 10_001 } },
      SCAN_COST,
    ],
    ['notes.a = 1', 'scan', {}, { rows: { Employee: 10_001 } }, RESIDUAL_COST.property],
    ["fullName = 'x'", 'scan', {}, { rows: { Employee: 10_001 } }, RESIDUAL_COST.computed],
    ["employer.name = 'x'", 'scan', {}, { rows: { Employee: 10_001 } }, RESIDUAL_COST.related],
    // Found by an index, then tested.
    [
      'age = 1 and active = true',
      'filter of index',
      both,
      found({ age: 3001 }),
      COLLECT_COST + RESIDUAL_COST.number,
    ],
    [
      "age = 1 and lastName = 'x' and active = true",
      'filter of index',
      both,
      found({ age: 3001 }),
      COLLECT_COST + RESIDUAL_COST.number + half * RESIDUAL_COST.text,
    ],
    [
      'age = 1 and notes.a = 1',
      'filter of index',
      both,
      found({ age: 3001 }),
      COLLECT_COST + RESIDUAL_COST.property,
    ],
  ])('of %s by %s, with the counts %j and then %j, is %d', (text, kind, counts, more, cost) => {
    expect(difference(text, kind, counts, more)).toBeCloseTo(cost, 6)
  })

  test('of a to-many relation includes finding, following and collecting it', () => {
    const cost = difference(
      'staff.age = 1',
      'semiJoin',
      found({ age: 20 }),
      found({ age: 21 }),
      company,
    )
    expect(cost).toBe(2 * COLLECT_COST + JOIN_COST)
  })

  test('in a bitset is much lower than that of a test of a column', () => {
    for (const [text, kind] of [
      ['age = 1 and salary = 2', 'intersect'],
      ['not (age = 1)', 'complement'],
    ]) {
      const cost = difference(text, kind, both, { rows: { Employee: 20_000 } }) / 10_000
      expect(cost).toBeGreaterThan(0)
      expect(cost).toBeLessThan(SCAN_COST / 4)
    }
  })

  test('among few records is the same for each conjunct, and higher than collecting it', () => {
    const few = found({ age: 20 })
    const costs = [
      'age = 1',
      'age = 1 and active = true',
      'age = 1 and active = true and salary = 2',
    ].map((text) =>
      difference(text, text === 'age = 1' ? 'index' : 'filter of index', few, found({ age: 21 })),
    )
    expect(costs[0]).toBe(COLLECT_COST)
    expect(costs[1]).toBeGreaterThan(2 * COLLECT_COST)
    expect(costs[2] - costs[1]).toBe(costs[1] - costs[0])
  })

  test('of a combination or negation is somewhat higher than that of its parts', () => {
    const perRecord = (text: string): number =>
      difference(text, 'scan', {}, { rows: { Employee: 10_001 } })
    const { text } = RESIDUAL_COST
    for (const [asked, parts] of [
      ["not (lastName = 'x')", text],
      ["lastName = 'x' or firstName = 'y'", 2 * text],
      ["(lastName = 'x' and firstName = 'y') or email = 'z'", 3 * text],
    ] as const) {
      expect(perRecord(asked), asked).toBeGreaterThan(parts)
      expect(perRecord(asked), asked).toBeLessThan(parts + text)
    }
  })
})

describe('the inner query of a residual relation', () => {
  const counts: Counts = { found: { 'Company.name': 300 }, rows: { Company: 1000 } }
  const more: Counts = { found: { 'Company.name': 301 } }

  test.each([
    "employer.name = 'x'",
    "not (employer.name = 'x')",
    "employer.name = 'x' or age = 1",
    "employer.name = 'x' or (employer.name = 'x' and active = true)",
  ])('is priced once, with its rows, in %s', (text) => {
    const times = text.split('employer').length - 1
    expect(difference(text, 'scan', counts, more)).toBe(times * 2 * COLLECT_COST)
  })

  test('is priced in a filter too', () => {
    const indexed: Counts = { ...counts, found: { ...counts.found, 'Employee.age': 300 } }
    expect(difference("age = 1 and employer.name = 'x'", 'filter of index', indexed, more)).toBe(
      2 * COLLECT_COST,
    )
  })
})

describe('the residual', () => {
  const orderOf = (text: string, kind: string, counts: Counts): readonly string[] => {
    const plan = planOf(text, kind, counts)
    if (plan.kind !== 'scan' && plan.kind !== 'filter') throw new Error(plan.kind)
    return plan.residual.map((part) => ('attribute' in part ? part.attribute.name : part.kind))
  }
  const sampled = (shares: { readonly [attribute: string]: number }): Counts => ({
    shares: of('Employee', shares),
  })

  test.each<[text: string, counts: Counts, order: readonly string[]]>([
    ['age = 1 and salary = 2', sampled({ age: 0.9, salary: 0.1 }), ['salary', 'age']],
    ['age = 1 and salary = 2', sampled({ age: 0.1, salary: 0.9 }), ['age', 'salary']],
    [
      'age = 1 and salary = 2 and active = true',
      sampled({ age: 0.5, salary: 0.9, active: 0.1 }),
      ['active', 'age', 'salary'],
    ],
    // Cheap tests first if they exclude equally many records.
    ["lastName = 'x' and age = 1", {}, ['age', 'lastName']],
    ["lastName = 'x' and age = 1", { words: { 'Employee.lastName': 5 } }, ['lastName', 'age']],
    [
      "fullName = 'x' and notes.a = 1 and lastName = 'x' and employer.name = 'x'",
      {},
      ['lastName', 'related', 'notes', 'fullName'],
    ],
    // An expensive test that excludes nearly all records precedes a cheap one that excludes almost
    // none.
    ["age = 1 and lastName = 'x'", sampled({ age: 0.99, lastName: 0.01 }), ['lastName', 'age']],
    ["age = 1 and lastName = 'x'", sampled({ age: 1, lastName: 0.5 }), ['lastName', 'age']],
    // A test that excludes nothing is not put last.
    ['notes.a = 1 and age = 1', sampled({ age: 1 }), ['age', 'notes']],
  ])('of %s with the counts %j has the order %j', (text, counts, order) => {
    expect(orderOf(text, 'scan', counts)).toEqual(order)
    expect(
      orderOf(`hired = '2024-01-01' and ${text}`, 'filter of index', {
        ...counts,
        ...found({ hired: 300 }),
      }),
    ).toEqual(order)
  })

  test('for few records is ordered by the cost of a test, then by the text', () => {
    const few = { ...found({ hired: 256 }), ...sampled({ age: 0.9, salary: 0.1 }) }
    const order = (text: string, counts: Counts = few) =>
      orderOf(`hired = '2024-01-01' and ${text}`, 'filter of index', counts)
    expect(order('age = 1 and salary = 2')).toEqual(['age', 'salary'])
    expect(order("notes.a = 1 and lastName = 'x' and age = 1")).toEqual([
      'age',
      'lastName',
      'notes',
    ])
    expect(order("age = 1 and notes.a = 1 and lastName = 'x'")).toEqual([
      'age',
      'lastName',
      'notes',
    ])
    expect(order('age = 1 and notes.a = 1')).toEqual(['age', 'notes'])
    // Without records nothing is tested.
    expect(order('notes.a = 1 and age = 1', found({ hired: 0 }))).toEqual(['notes', 'age'])
  })
})
