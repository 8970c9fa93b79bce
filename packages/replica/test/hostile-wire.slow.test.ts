import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { Chance } from '../../rest/test/fuzz/chance.ts'
import { hostileHistory } from './hostile-wire.ts'

const SEED = Number(process.env.ENTIA_SEED ?? 20_260)

test(
  'whatever lines and answers are changed on the way, a replica goes on once they are good again',
  patience,
  async () => {
    const count = runs(Number(process.env.ENTIA_HISTORIES ?? 20), 5).numRuns
    const tally = { lines: 0, outcomes: new Map<string, number>() }
    for (let at = 0; at < count; at++) {
      const seed = SEED + at
      await hostileHistory(new Chance(seed), tally).catch((error: unknown) => {
        throw new Error(`ENTIA_SEED=${seed}`, { cause: error })
      })
    }
    if (process.env.ENTIA_HISTORIES) console.log(tally)
    expect(tally.lines).toBeGreaterThan(count)
  },
)
