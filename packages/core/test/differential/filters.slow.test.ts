import { expect, test } from 'vitest'
import { report, runDifferential } from './run.ts'

/** Set by `npm run test:long -- differential`; otherwise a share that takes a few seconds. */
const pairs = Number(process.env.ENTIA_PAIRS ?? 8000)
const minutes = Number(process.env.ENTIA_MINUTES ?? Number.POSITIVE_INFINITY)
const seed = Number(process.env.ENTIA_SEED ?? 1)
const onlyRound = process.env.ENTIA_ROUND === undefined ? null : Number(process.env.ENTIA_ROUND)
/** The minimum hits of each cell in a run of so many pairs. */
const leastHits = (pairs: number): number => (pairs >= 1_000_000 ? 1000 : Math.floor(pairs / 2000))

test('filters select, count, order and aggregate as SQLite does, in every cell', {
  timeout: 24 * 3_600_000,
}, async () => {
  const start = performance.now()
  const result = await runDifferential({ pairs, minutes, seed, onlyRound, maxDifferences: 3 })
  if (process.env.ENTIA_PAIRS !== undefined)
    console.log(report(result, seed, (performance.now() - start) / 1000))
  expect(result.differences.join('\n\n----\n\n')).toBe('')
  const least = leastHits(result.pairs)
  if (onlyRound === null) expect(result.counts.cells.filter(([, hits]) => hits < least)).toEqual([])
})
