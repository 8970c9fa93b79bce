import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { openPglite, openServer, type TestDatabase } from './databases.ts'
import { runWords } from './words.ts'

/** Set by `npm run test:long -- words-sql`; else a share that takes a few seconds, in PGlite. */
const conditions = Number(process.env.ENTIA_CONDITIONS ?? runs(3000).numRuns)
const seed = Number(process.env.ENTIA_SEED ?? 1)
const server = process.env.ENTIA_POSTGRES

/** A busy machine takes its time to start a database. */
const BOOT = 120_000

let database: TestDatabase
beforeAll(async () => {
  database = server === undefined ? await openPglite() : await openServer(server)
}, BOOT)
afterAll(() => database.close(), BOOT)

test('% selects as in memory, with an index of words and without', {
  timeout: 24 * 3_600_000,
}, async () => {
  const start = performance.now()
  const run = await runWords(database, { conditions, seed, schema: `entia_words_${seed}` })
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  if (process.env.ENTIA_CONDITIONS !== undefined)
    console.log(
      `seed ${seed}, ${seconds} s: ${run.conditions} conditions, half with an index; ${run.parting} filters select some`,
    )
  expect(run.differences.join('\n\n----\n\n')).toBe('')
  expect(run.conditions).toBeGreaterThanOrEqual(conditions)
  expect(run.parting).toBeGreaterThan(conditions / 20)
})
