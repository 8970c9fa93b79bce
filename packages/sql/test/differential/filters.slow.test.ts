import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { openPglite, openServer, type TestDatabase } from './databases.ts'
import { runDifferential } from './run.ts'
import { describeUnusual } from './unusual.ts'

/**
 * Set by `npm run test:long -- differential-sql`; else a share that takes a few seconds, in PGlite.
 */
const pairs = Number(process.env.ENTIA_PAIRS ?? runs(2000, 1400).numRuns)
const seed = Number(process.env.ENTIA_SEED ?? 1)
const onlyRound = process.env.ENTIA_ROUND === undefined ? null : Number(process.env.ENTIA_ROUND)
const server = process.env.ENTIA_POSTGRES

/** A busy machine takes its time to start a database. */
const BOOT = 120_000

let database: TestDatabase
beforeAll(async () => {
  database = server === undefined ? await openPglite() : await openServer(server)
}, BOOT)
afterAll(() => database.close(), BOOT)

describeUnusual(() => database)

test('SQL selects, orders, computes and groups as core does', {
  timeout: 24 * 3_600_000,
}, async () => {
  const start = performance.now()
  const { differences, compared, kinds, counts } = await runDifferential(database, {
    pairs,
    seed,
    schema: `entia_differential_${seed}`,
    onlyRound,
    maxDifferences: 3,
  })
  const [[cell, hits]] = counts.cells as [(typeof counts.cells)[number]]
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  if (process.env.ENTIA_PAIRS !== undefined)
    console.log(
      `seed ${seed}, ${seconds} s: ${JSON.stringify(compared)}; least hits of a cell: ${hits} (${cell})\n${JSON.stringify(Object.fromEntries(kinds))}`,
    )
  expect(differences.join('\n\n----\n\n')).toBe('')
  if (onlyRound !== null) return
  expect(hits).toBeGreaterThanOrEqual(Math.floor(pairs / 2000))
  expect(KINDS.filter((kind) => !kinds.has(kind))).toEqual([])
})

const EQUALITY = ['equal', 'notEqual', 'in']
const ORDER = ['less', 'lessEqual', 'greater', 'greaterEqual']
const TEXT = ['like', 'notLike', 'begin', 'end']
const NULL = ['isNull', 'isNotNull']
const PLAIN = [...EQUALITY, ...ORDER, ...NULL]

/** The parts of predicates. */
const KINDS = [
  'and',
  'or',
  'not',
  'computed',
  'relatedEntity',
  'relatedEntity or missing',
  'relatedEntities',
  'object some',
  'object none',
  ...['long', 'long64', 'number', 'duration', 'date', 'bool'].flatMap((type) =>
    PLAIN.map((op) => `${type} ${op}`),
  ),
  ...[...PLAIN, ...TEXT, 'keyword'].map((op) => `string ${op}`),
  ...[...PLAIN, ...TEXT].map((op) => `uuid ${op}`),
  ...[...PLAIN, ...TEXT, 'keyword'].map((op) => `object value ${op}`),
  ...[...EQUALITY, ...ORDER].map((op) => `object length ${op}`),
  ...NULL.map((op) => `blob ${op}`),
]
