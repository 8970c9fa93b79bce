import { expect, test } from 'vitest'
import { INDEX_OPERATORS } from '../../src/execute/index-operators.ts'
import { predicateFilter } from '../../src/execute/predicate-filter.ts'
import { compileJsonMatch } from '../../src/execute/record-test.ts'
import { runPlan } from '../../src/execute/run-plan.ts'
import { compileTest } from '../../src/execute/test-value.ts'
import { restrictRelations } from '../../src/filter/context.ts'
import { describePredicate } from '../../src/filter/predicate.ts'
import { printFilter } from '../../src/filter/print-filter.ts'
import { conditionOf } from '../../src/plan/condition.ts'
import { explainPlan } from '../../src/plan/explain-plan.ts'
import { planQuery } from '../../src/plan/plan-query.ts'
import { rewrite } from '../../src/plan/rewrite.ts'

// The types forbid these variants. If they occur nevertheless, a filter must not silently select
// everything or nothing.
const kind = { kind: 'other', op: 'other', path: [], test: { op: 'other' }, dataClass: {} } as never
const none = {
  model: { ordinal: 0 },
  statistics: {},
  slices: null,
  tableOf: () => ({}),
  operators: INDEX_OPERATORS,
} as never
const property = { kind: 'property', attribute: { name: 'a', owner: {} }, match: kind } as never

test.each<[claim: string, run: () => unknown]>([
  ['rewritten', () => rewrite(kind)],
  ['planned', () => planQuery(none, kind, { rowCount: () => 9 } as never)],
  ['carried out', () => runPlan(kind, none)],
  ['tested record by record', () => predicateFilter(none, none, kind)],
  ['compiled to a test', () => compileTest(kind)],
  ['compiled to a test of a property', () => compileJsonMatch(kind, 'folded', null)],
  ['restricted to what may be seen', () => restrictRelations(kind, () => null)],
  ['described', () => describePredicate(kind)],
  ['described as a property', () => describePredicate(property)],
  ['shown as a condition', () => conditionOf(none, kind, none, new Map())],
  ['shown as a condition of a property', () => conditionOf(none, property, none, new Map())],
  ['explained', () => explainPlan(kind, () => undefined)],
  ['printed', () => printFilter({ condition: kind, orderBy: null })],
])('an unknown variant is not %s', (_, run) => {
  expect(run).toThrow(/Entia invariant broken: unexpected variant/)
})
