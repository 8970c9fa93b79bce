import { describe, expect, test } from 'vitest'
import type { StorageAttribute } from '../../src/model/catalog.ts'
import type { Explain, ExplainNode } from '../../src/model/explain-types.ts'
import { seesEverything, visiblePlan } from '../../src/plan/condition.ts'
import { explainedAsOf, explainPlan, printable } from '../../src/plan/explain-plan.ts'
import { inputsOf, isSingleAccess, type PhysicalPlan } from '../../src/plan/physical-plan.ts'
import { catalog, company, employee } from '../filter/staff-catalog.ts'
import { type Counts, priced } from './counts.ts'

const found: Counts = {
  found: {
    'Employee.age': 300,
    'Employee.salary': 400,
    'Employee.ID': 1,
    'Company.name': 2,
    'Employee.hired': 5,
  },
  joined: 77,
}
const nothingRun = () => undefined
/** The first priced plan of that kind. */
function planOf(
  text: string,
  kind: PhysicalPlan['kind'],
  counts = found,
  dataClass = employee,
): PhysicalPlan {
  const plan = priced(text, counts, dataClass).findLast((one) => one.kind === kind)
  if (plan === undefined) throw new Error(`no ${kind}`)
  return plan
}
const printed = (root: ExplainNode, filter: string | null = null): string =>
  String(printable({ dataClass: 'Employee', filter, root, condition: null }))

describe('an explained operator shows its conditions and its index', () => {
  test.each<
    [
      text: string,
      kind: PhysicalPlan['kind'],
      operator: string,
      detail: string,
      index: string | null,
    ]
  >([
    ['age = 1', 'index', 'indexRange', 'Employee.age = 1', 'Employee.age'],
    ['age > 1 and age <= 5', 'index', 'indexRange', 'age > 1 and age <= 5', 'Employee.age'],
    [
      "employer.name = 'x'",
      'semiJoin',
      'semiJoinForward',
      'posting lists of the foreign key',
      'Employee.employerID',
    ],
    ['age = 1 and salary = 2', 'intersect', 'intersect', 'Employee', null],
    ['age = 1 or salary = 2', 'union', 'union', 'Employee', null],
    ['not (age = 1)', 'complement', 'complement', 'Employee', null],
    ['age = 1 and notes.a = 2', 'filter', 'filter', 'Employee.notes.a = 2', null],
    ["age = 1 and fullName = 'x'", 'filter', 'filter', "Employee.fullName = 'x'", null],
    ["age = 1 and employer.name = 'x'", 'filter', 'filter', "employer.name = 'x'", null],
    ['lastName = null', 'scan', 'scan', 'Employee.lastName is null', null],
    ["lastName = 'x' or age = 1", 'scan', 'scan', "lastName = 'x' or age = 1", null],
    ["not (lastName = 'x')", 'scan', 'scan', "not (lastName = 'x')", null],
    [
      'active = true and age = 1',
      'scan',
      'scan',
      'Employee.age = 1 and Employee.active = true',
      null,
    ],
  ])('%s by %s', (text, kind, operator, detail, index) => {
    const node = explainPlan(planOf(text, kind), nothingRun)
    expect(node).toMatchObject({ operator, index, actualRows: null, milliseconds: null })
    // For a join, the rows that are read; for other operators, all rows.
    if (kind === 'semiJoin') expect(node.detail).toContain(detail)
    else expect(node.detail).toBe(detail)
  })

  test('an index by its access', () => {
    const ways = (['hash', 'posting', 'range'] as const).map(
      (access) => explainPlan(planOf('ID = 1', 'index', { ...found, access }), nothingRun).operator,
    )
    expect(ways).toEqual(['keyLookup', 'postingList', 'indexRange'])
  })

  test('a join by its relation and target, without an index for a to-many relation', () => {
    const forward = explainPlan(planOf("employer.name = 'x'", 'semiJoin'), nothingRun)
    expect(forward.detail).toMatch(/^Employee\.employer in Company \(/)
    const backward = explainPlan(planOf('staff.age = 1', 'semiJoin', found, company), nothingRun)
    expect(backward).toMatchObject({ operator: 'semiJoinBackward', index: null })
    expect(backward.detail).toMatch(/^Company\.staff in Employee \(.*related\)$/)
    expect(backward.inputs).toMatchObject([{ operator: 'indexRange', index: 'Employee.age' }])
  })

  test('all and none by the class', () => {
    for (const kind of ['all', 'none'] as const) {
      const plan: PhysicalPlan = { kind, dataClass: employee, rows: 3, isExact: true, cost: 0 }
      expect(explainPlan(plan, nothingRun)).toMatchObject({
        operator: kind,
        detail: 'Employee',
        index: null,
        inputs: [],
      })
    }
  })

  test('each with estimated rows and, if it ran, actual rows', () => {
    const plan = planOf('age = 1 and salary = 2', 'intersect')
    const [first, second] = inputsOf(plan)
    const ran = new Map([
      [plan, { rows: 0, milliseconds: 2.5 }],
      [first, { rows: 299, milliseconds: 1 }],
    ])
    const node = explainPlan(plan, (one) => ran.get(one))
    expect(node).toMatchObject({
      estimatedRows: plan.rows,
      isExact: false,
      actualRows: 0,
      milliseconds: 2.5,
    })
    expect(node.inputs).toMatchObject([
      { estimatedRows: first.rows, isExact: true, actualRows: 299, milliseconds: 1 },
      { estimatedRows: second.rows, isExact: true, actualRows: null, milliseconds: null },
    ])
  })
})

test('a single access is all, none or an index; the children of an operator are its inputs', () => {
  const single = (text: string, kind: PhysicalPlan['kind']) => isSingleAccess(planOf(text, kind))
  expect(single('age = 1', 'index')).toBe(true)
  for (const kind of ['all', 'none'] as const)
    expect(isSingleAccess({ kind, dataClass: employee, rows: 0, isExact: true, cost: 0 })).toBe(
      true,
    )
  expect([
    single('age = 1', 'scan'),
    single('age = 1 and active = true', 'filter'),
    single('not (age = 1)', 'complement'),
    single('age = 1 or salary = 1', 'union'),
    single('age = 1 and salary = 1', 'intersect'),
    single("employer.name = 'x'", 'semiJoin'),
  ]).toEqual([false, false, false, false, false, false])
  const kinds = (text: string, kind: PhysicalPlan['kind']) =>
    inputsOf(planOf(text, kind)).map((one) => one.kind)
  expect(kinds('age = 1', 'scan')).toEqual([])
  expect(kinds('age = 1', 'index')).toEqual([])
  expect(kinds('age = 1 or salary = 1', 'union')).toEqual(['index', 'index'])
  expect(kinds('age = 1 and salary = 1', 'intersect')).toEqual(['index', 'index'])
  expect(kinds('not (age = 1)', 'complement')).toEqual(['index'])
  expect(kinds('age = 1 and active = true', 'filter')).toEqual(['index'])
  expect(kinds("employer.name = 'x'", 'semiJoin')).toEqual(['index'])
})

describe('a printed plan', () => {
  const node = (
    operator: string,
    inputs: readonly ExplainNode[] = [],
    more: Partial<ExplainNode> = {},
  ): ExplainNode => ({
    operator,
    detail: 'D',
    index: null,
    estimatedRows: 7,
    isExact: true,
    actualRows: null,
    milliseconds: null,
    inputs,
    ...more,
  })

  test('is a tree: each input below its operator, at its own branch', () => {
    const tree = node('a', [node('b', [node('c'), node('d', [node('e')])]), node('f', [node('g')])])
    expect(printed(tree).split('\n')).toEqual([
      'a  D  (7 rows)',
      '├─ b  D  (7 rows)',
      '│  ├─ c  D  (7 rows)',
      '│  └─ d  D  (7 rows)',
      '│     └─ e  D  (7 rows)',
      '└─ f  D  (7 rows)',
      '   └─ g  D  (7 rows)',
    ])
  })

  test('shows estimated and actual rows, the time and the index', () => {
    expect(printed(node('a', [], { isExact: false, estimatedRows: 6.6 }))).toBe(
      'a  D  (about 7 rows)',
    )
    expect(printed(node('a', [], { actualRows: 0 }))).toBe('a  D  (7 rows, found 0)')
    expect(printed(node('a', [], { actualRows: 5, milliseconds: 0.12345 }))).toBe(
      'a  D  (7 rows, found 5, 0.123 ms)',
    )
    expect(printed(node('a', [], { index: 'Employee.age' }))).toBe(
      'a  D [index Employee.age]  (7 rows)',
    )
  })

  test('begins with the dataclass and the filter, if there is one', () => {
    expect(printed(node('a'), 'age = 1')).toBe('Employee: age = 1\na  D  (7 rows)')
    expect(printed(node('a'), '')).toBe('Employee: \na  D  (7 rows)')
    expect(printed(node('a'), null)).toBe('a  D  (7 rows)')
  })

  test('is plain data', () => {
    const explain = printable({
      dataClass: 'Employee',
      filter: 'x',
      root: node('a'),
      condition: null,
    })
    expect(Object.keys(explain).sort()).toEqual(['condition', 'dataClass', 'filter', 'root'])
    expect(JSON.parse(JSON.stringify(explain))).toEqual({ ...explain })
  })

  test('of the past has its global stamp above it', () => {
    const root = node('scan', [], { isExact: false, actualRows: 5, milliseconds: 1 })
    const past: Explain = explainedAsOf(
      printable({ dataClass: 'Employee', filter: 'age = 1', root, condition: null }),
      42,
    )
    expect(past).toMatchObject({ dataClass: 'Employee', filter: 'age = 1', condition: null })
    expect(past.root).toEqual(
      node('asOf', [root], {
        detail: 'Employee at global stamp 42',
        isExact: false,
        actualRows: 5,
      }),
    )
    expect(String(past).split('\n')).toHaveLength(3)
    expect(String(past)).toContain('asOf  Employee at global stamp 42')
  })
})

describe('a plan shown to a reader', () => {
  const attributeOf = (name: string): StorageAttribute =>
    employee.attributes.get(name) as StorageAttribute
  const without =
    (...names: readonly string[]) =>
    ({ name }: { readonly name: string }) =>
      !names.includes(name)
  const shown = (plan: PhysicalPlan, ...hidden: readonly string[]): ExplainNode =>
    visiblePlan(
      catalog,
      without(...hidden),
      explainPlan(plan, () => ({ rows: 4, milliseconds: 1 })),
    )

  test('has the operators, their numbers and the visible indexes, without attributes', () => {
    const plan = planOf('age = 1 and salary = 2', 'intersect')
    const whole = explainPlan(plan, () => ({ rows: 4, milliseconds: 1 }))
    expect(shown(plan)).toEqual({
      ...whole,
      detail: '',
      inputs: whole.inputs.map((input) => ({ ...input, detail: '' })),
    })
    expect(shown(plan, 'salary')).toMatchObject({
      operator: 'intersect',
      actualRows: 4,
      inputs: [
        { index: 'Employee.age' },
        { index: null, operator: 'indexRange', estimatedRows: 400 },
      ],
    })
    expect(JSON.stringify(shown(plan, 'salary', 'age'))).not.toMatch(/salary|age/)
  })

  test('hides the index of a hidden foreign key, also under the name of its relation', () => {
    const plan = planOf("employer.name = 'x'", 'semiJoin')
    expect(shown(plan)).toMatchObject({
      index: 'Employee.employerID',
      inputs: [{ index: 'Company.name' }],
    })
    expect(shown(plan, 'employerID').index).toBe(null)
    expect(shown(plan, 'name')).toMatchObject({
      index: 'Employee.employerID',
      inputs: [{ index: null }],
    })
    // Stored under the name of the relation.
    const boss = planOf('boss.age = 1', 'semiJoin')
    expect(explainPlan(boss, nothingRun).index).toBe(`Employee.${attributeOf('boss').name}`)
    expect(shown(boss).index).toBe('Employee.boss')
    expect(shown(boss, 'boss').index).toBe(null)
  })

  test('shows no index of an unknown dataclass or attribute', () => {
    const node = explainPlan(planOf('age = 1', 'index'), nothingRun)
    for (const index of ['Nobody.age', 'Employee.nothing', 'Employee', ''])
      expect(visiblePlan(catalog, () => true, { ...node, index }).index, index).toBe(null)
    expect(visiblePlan(catalog, () => true, { ...node, index: null }).index).toBe(null)
  })

  test('is complete for a reader who sees every attribute', () => {
    expect(seesEverything(catalog, () => true)).toBe(true)
    for (const name of ['salary', 'city', 'code', 'employer', 'employerName'])
      expect(seesEverything(catalog, without(name)), name).toBe(false)
  })
})
