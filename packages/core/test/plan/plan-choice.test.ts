import { describe, expect, test } from 'vitest'
import { EVERYTHING, NOTHING } from '../../src/filter/context.ts'
import { MAX_SHORT_ACCESS_ROWS, MAX_SHORT_JOIN_ROWS } from '../../src/plan/fast-paths.ts'
import { planAlternatives, planQuery } from '../../src/plan/plan-query.ts'
import { company, employee } from '../filter/staff-catalog.ts'
import { type Counts, chosen, found, lineOf, named, priced, statisticsOf } from './counts.ts'

// 10 000 employees and 100 companies; the counts of every index come from a table.

const JOIN = 'semiJoinForward Employee.employer in Company (posting lists of the foreign key)'
const ofCompany = `${JOIN} (indexRange Company.name = 'x')`

const TEXTS = [
  'age > 1 and salary > 5',
  "lastName > 'a' and salary > 2 and notes.a = 1",
  'age = 1 or salary = 2',
  'not (age = 1)',
]
const SIZES = [undefined, 300, 2000, 9500]
/** Every combination of indexes that are missing, or find some, many, or nearly all records. */
const COUNTS: readonly Counts[] = SIZES.flatMap((age) =>
  SIZES.flatMap((salary) =>
    SIZES.map((lastName): Counts => {
      const rows = Object.entries({ age, salary, lastName }).filter(
        ([, count]) => count !== undefined,
      )
      return found(Object.fromEntries(rows) as { [attribute: string]: number })
    }),
  ),
)

describe('the plan taken', () => {
  test.each<[text: string, counts: Counts, expected: string]>([
    // One comparison: its index, unless it finds so many records that a scan is cheaper.
    ['age = 1', {}, 'scan Employee.age = 1'],
    ['age = 1', found({ age: 10 }), 'indexRange Employee.age = 1'],
    ['age = 1', found({ age: 9000 }), 'indexRange Employee.age = 1'],
    ['age = 1', { ...found({ age: 10 }), access: 'hash' }, 'keyLookup Employee.age = 1'],
    ['age = 1', { ...found({ age: 10 }), access: 'posting' }, 'postingList Employee.age = 1'],
    ["lastName = 'x'", found({ lastName: 9000 }), "indexRange Employee.lastName = 'x'"],
    [
      "lastName = 'x'",
      { ...found({ lastName: 9000 }), words: { 'Employee.lastName': 9 } },
      "indexRange Employee.lastName = 'x'",
    ],
    ["lastName % 'x'", found({ lastName: 10 }), "scan Employee.lastName % 'x'"],
    [
      "lastName = 'x@y'",
      found({ lastName: 10 }),
      "filter Employee.lastName = 'x@y' (indexRange Employee.lastName = 'x@')",
    ],
    ["lastName = 'x@y'", found({ lastName: 9999 }), "scan Employee.lastName = 'x@y'"],
    ['notes.a = 3', found({ notes: 1 }), 'scan Employee.notes.a = 3'],
    // Comparisons of one attribute are one range, also with an equality among them.
    ['age >= 1 and age < 5', found({ age: 10 }), 'indexRange age >= 1 and age < 5'],
    ['age > 1 and age = 5', found({ age: 10 }), 'indexRange age > 1 and age = 5'],
    ['age >= 1 and age != 5', found({ age: 5000 }), 'indexRange age >= 1 and age != 5'],
    // Of several attributes: an equality with few records first, then a range with few records,
    // then the cheapest.
    [
      'salary > 5 and age = 1',
      found({ age: MAX_SHORT_ACCESS_ROWS, salary: 1 }),
      'filter Employee.salary > 5 (indexRange Employee.age = 1)',
    ],
    [
      'age = 1 and salary > 5',
      found({ age: MAX_SHORT_ACCESS_ROWS + 1, salary: 1 }),
      'filter Employee.age = 1 (indexRange Employee.salary > 5)',
    ],
    [
      'age > 1 and salary > 5',
      found({ age: MAX_SHORT_ACCESS_ROWS, salary: 1 }),
      'filter Employee.salary > 5 (indexRange Employee.age > 1)',
    ],
    [
      'age > 1 and salary > 5',
      found({ age: MAX_SHORT_ACCESS_ROWS + 1, salary: 1 }),
      'filter Employee.age > 1 (indexRange Employee.salary > 5)',
    ],
    [
      'age > 1 and salary > 5',
      found({ age: 3000, salary: 400 }),
      'filter Employee.age > 1 (indexRange Employee.salary > 5)',
    ],
    [
      'age > 1 and salary > 5',
      found({ age: 999, salary: 999 }),
      'filter Employee.salary > 5 (indexRange Employee.age > 1)',
    ],
    [
      'age > 1 and salary > 5',
      found({ age: 9000, salary: 8000 }),
      'scan Employee.salary > 5 and Employee.age > 1',
    ],
    [
      'age = 1 and salary = 5',
      found({ salary: 300 }),
      'filter Employee.age = 1 (indexRange Employee.salary = 5)',
    ],
    // Two ranges of texts, which are expensive to test, are intersected if that is cheaper.
    [
      "lastName > 'a' and firstName > 'b'",
      found({ lastName: 1000, firstName: 1200 }),
      "intersect Employee (indexRange Employee.lastName > 'a'; indexRange Employee.firstName > 'b')",
    ],
    [
      "lastName > 'a' and firstName > 'b'",
      found({ lastName: 1200, firstName: 1000 }),
      "intersect Employee (indexRange Employee.firstName > 'b'; indexRange Employee.lastName > 'a')",
    ],
    [
      "lastName > 'a' and firstName > 'b'",
      found({ lastName: 1000, firstName: 9000 }),
      "filter Employee.firstName > 'b' (indexRange Employee.lastName > 'a')",
    ],
    [
      "lastName > 'a' and firstName > 'b' and email > 'c'",
      found({ email: 1500, lastName: 1200, firstName: 1000 }),
      "filter Employee.email > 'c' (intersect Employee (indexRange Employee.firstName > 'b'; indexRange Employee.lastName > 'a'))",
    ],
    // A negation: all records except those found by its index.
    ['not (age = 1)', found({ age: 9 }), 'complement Employee (indexRange Employee.age = 1)'],
    ['not (age = 1)', found({ age: 9990 }), 'scan not (age = 1)'],
    ['not (age = 1)', {}, 'scan not (age = 1)'],
    ['not (notes.a = 1)', {}, 'scan not (notes.a = 1)'],
    ["not (employer.name = 'x')", named(3, 300), `complement Employee (${ofCompany})`],
    // A disjunction: a union if each part has an access path.
    [
      'age = 1 or salary = 2',
      found({ age: 10, salary: 20 }),
      'union Employee (indexRange Employee.age = 1; indexRange Employee.salary = 2)',
    ],
    ['age = 1 or salary = 2', found({ age: 10 }), 'scan age = 1 or salary = 2'],
    ['age = 1 or salary = 2', found({ age: 9000, salary: 9000 }), 'scan age = 1 or salary = 2'],
    [
      'age = 1 or (salary = 2 and active = true)',
      found({ age: 10, salary: 20 }),
      'union Employee (indexRange Employee.age = 1; filter Employee.active = true (indexRange Employee.salary = 2))',
    ],
    [
      'hired = null or (age = 1 and salary > 5)',
      found({ hired: 5, age: MAX_SHORT_ACCESS_ROWS, salary: 1 }),
      'union Employee (indexRange Employee.hired is null; filter Employee.salary > 5 (indexRange Employee.age = 1))',
    ],
    [
      'age = 1 or (salary = 2 and active = true)',
      found({ age: 10 }),
      'scan age = 1 or (salary = 2 and active = true)',
    ],
    // Related entities.
    ["employer.name = 'x'", named(3, 300), ofCompany],
    ["employer.name = 'x'", {}, `${JOIN} (scan Company.name = 'x')`],
    [
      "employer.name = 'x' and age > 5",
      named(3, 300, { age: 20 }),
      "filter employer.name = 'x' (indexRange Employee.age > 5)",
    ],
    [
      "employer.name = 'x' and age > 5",
      named(3, 300, { age: 2000 }),
      `filter Employee.age > 5 (${ofCompany})`,
    ],
    // A join whose employees are few only by estimate is not taken either.
    [
      "employer.name = 'x' and age > 5",
      { ...named(2000, null, { age: 257 }), rows: { Company: 5000 }, fanOut: 0.05 },
      "filter employer.name = 'x' (indexRange Employee.age > 5)",
    ],
    // A counted join with few records is taken at once, though a range with few texts would cost
    // less here. A join with more records, or without a count, is not.
    [
      "employer.name = 'x' and lastName > 'a'",
      named(200, MAX_SHORT_JOIN_ROWS, { lastName: 257 }),
      `filter Employee.lastName > 'a' (${ofCompany})`,
    ],
    [
      "employer.name = 'x' and lastName > 'a'",
      named(200, MAX_SHORT_JOIN_ROWS + 1, { lastName: 257 }),
      "filter employer.name = 'x' (indexRange Employee.lastName > 'a')",
    ],
    [
      "employer.name = 'x' and lastName > 'a'",
      { ...named(200, null, { lastName: 257 }), fanOut: 5 },
      "filter employer.name = 'x' (indexRange Employee.lastName > 'a')",
    ],
  ])('of %s with the counts %j is %s', (text, counts, expected) => {
    expect(lineOf(chosen(text, counts))).toBe(expected)
  })

  test('of a to-many relation reads the foreign keys of related records', () => {
    const plan = chosen('staff.age = 3', found({ age: 20 }), company)
    expect(plan).toMatchObject({
      kind: 'semiJoin',
      direction: 'backward',
      whenMissing: false,
      places: null,
    })
    expect(lineOf(plan)).toBe(
      'semiJoinBackward Company.staff in Employee (foreign keys of the related) (indexRange Employee.age = 3)',
    )
  })

  test('of a constant reads nothing', () => {
    const [all, none] = [EVERYTHING, NOTHING].map((what) =>
      planQuery(employee, what, statisticsOf({})),
    )
    expect(all).toMatchObject({ kind: 'all', rows: 10_000, isExact: true })
    expect(none).toMatchObject({ kind: 'none', rows: 0, isExact: true })
    expect(planAlternatives(employee, NOTHING, statisticsOf({}))).toEqual([none])
  })

  test('is the cheapest one priced, unless a short access was taken', () => {
    for (const text of TEXTS)
      for (const counts of COUNTS) {
        const best = Math.min(...priced(text, counts).map(({ cost }) => cost))
        expect(chosen(text, counts).cost, `${text} ${JSON.stringify(counts)}`).toBe(best)
      }
  })
})
