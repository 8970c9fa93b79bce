import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { runWatched, watchedHistories } from './watched-histories.ts'

/** `npm run test:long -- replicas` plays more, see scripts/long.mjs. */
const HISTORIES = Number(process.env.ENTIA_HISTORIES ?? 300)
const SEED = process.env.ENTIA_SEED

test(
  'nothing leaves the server that the caller may not see then, and each moment is one of the store',
  patience,
  async () => {
    const met = { moments: 0, characters: 0 }
    await fc.assert(
      fc.asyncProperty(watchedHistories, (history) => runWatched(history, met)),
      { ...runs(HISTORIES), ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    )
    if (process.env.ENTIA_HISTORIES) console.log(met)
    expect(met.moments).toBeGreaterThan(runs(HISTORIES).numRuns)
  },
)
