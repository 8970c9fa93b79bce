import { afterEach, expect, test, vi } from 'vitest'
import { runs } from '../../packages/core/test/runs.ts'
import { sourcesOf } from './source-files.ts'

/** Whole samples, the helper itself, and what asks for a number of its own. */
const OTHERS = new Set([
  'core/test/commands/long-run.ts',
  'core/test/engine/equivalence-large.slow.test.ts',
  'core/test/engine/range-filter.test.ts',
  'core/test/oracle/ordered-pages.test.ts',
  'core/test/plan/rewrite-oracle.test.ts',
  'core/test/runs.ts',
  'sql/test/failure/cut-messages.slow.test.ts',
])

afterEach(() => vi.unstubAllEnvs())

test('every property takes the number of its runs from the one helper', () => {
  const others = [...sourcesOf('packages')].filter(
    ([file, text]) => file.includes('/test/') && /(?<!\.)\bnumRuns\s*[:,}]/.test(text),
  )
  expect(others.map(([file]) => file).filter((file) => !OTHERS.has(file))).toEqual([])
})

test.each([
  { quick: '', factor: '1', usual: 300, wanted: 300 },
  { quick: '1', factor: '1', usual: 300, wanted: 60 },
  { quick: '1', factor: '1', usual: 60, wanted: 20 },
  { quick: '1', factor: '1', usual: 12, wanted: 12 },
  { quick: '1', factor: '10', usual: 300, wanted: 600 },
  { quick: '', factor: '20', usual: 300, wanted: 6000 },
  { quick: '', factor: '0.001', usual: 300, wanted: 1 },
])(
  'ENTIA_QUICK "$quick" and ENTIA_RUNS $factor make $wanted of $usual runs',
  ({ quick, factor, usual, wanted }) => {
    vi.stubEnv('ENTIA_QUICK', quick)
    vi.stubEnv('ENTIA_RUNS', factor)
    expect(runs(usual).numRuns).toBe(wanted)
  },
)
