// `npm run test:long -- races`: see scripts/long.mjs.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { pgPool } from '../../src/pg.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'
import { openBank } from './bank.ts'
import { checkHistories } from './histories.ts'
import { checkLocks } from './locks.ts'
import { checkMoments } from './moments.ts'
import { childPlayer } from './player.ts'
import {
  type RaceOptions,
  type RaceResult,
  raceForLock,
  raceForStamp,
  raceForValue,
  raceOfBatches,
  raceOfCascades,
  raceOfLogouts,
} from './races.ts'

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    processes: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '86400' },
    only: { type: 'string' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
})
const rounds = Number(values.rounds)
const seed = Number(values.seed)
const connectionString = values.database
const schema = `races_${randomBytes(6).toString('hex')}`
const place = { connectionString, schema }

const RACES: ReadonlyMap<string, (options: RaceOptions) => Promise<RaceResult>> = new Map([
  ['stamp', raceForStamp],
  ['value', raceForValue],
  ['lock', raceForLock],
  ['cascade', raceOfCascades],
  ['batch', raceOfBatches],
  ['logout', raceOfLogouts],
  ['locks', checkLocks],
  ['moments', checkMoments],
  [
    'histories',
    ({ players, rounds, isOver }) =>
      checkHistories({ players, histories: rounds, steps: 2, seed, isOver }),
  ],
])

const chosen = values.only === undefined ? [...RACES.keys()] : values.only.split(',')
const owner = pgPool({ connectionString, max: 1 })
await owner.query(statementOfText(`CREATE SCHEMA "${place.schema}"`, []))
try {
  await (await openBank(place, true)).close()
  const players = await Promise.all(
    Array.from({ length: Number(values.processes) }, () => childPlayer(place)),
  )
  console.log(`${players.length} processes, schema ${place.schema}, seed ${seed}`)
  for (const name of chosen) {
    const started = performance.now()
    const isOver = () => performance.now() - started > Number(values.seconds) * 1000
    const { violations, ...counts } = await RACES.get(name)!({
      players,
      rounds,
      lanes: 12,
      seed,
      isOver,
    })
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(
      `${name}: ${JSON.stringify(counts)} in ${seconds} s, ${violations.length} violations`,
    )
    for (const text of violations.slice(0, 20)) console.log(`  ${text.slice(0, 600)}`)
    if (violations.length > 0) process.exitCode = 1
  }
  for (const player of players)
    for (const failure of await player.close()) {
      console.log(`  a failure: ${failure.slice(0, 600)}`)
      process.exitCode = 1
    }
} finally {
  await owner.query(statementOfText(`DROP SCHEMA "${place.schema}" CASCADE`, []))
  await owner.close()
}
