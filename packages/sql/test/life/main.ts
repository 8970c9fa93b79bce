// `npm run test:long -- life`: see scripts/long.mjs.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { pgPool } from '../../src/pg.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'
import { liveOneDay } from './day.ts'

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'postgres://postgres@127.0.0.1:5432/postgres' },
    processes: { type: 'string', default: '4' },
    hours: { type: 'string', default: '24' },
    step: { type: 'string', default: '5' },
    visitors: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
})
const hours = Number(values.hours)
const connectionString = values.database
const schema = `life_${randomBytes(6).toString('hex')}`
const pool = pgPool({ connectionString, max: 1, statementMilliseconds: 0 })
const query = (text: string) => pool.query(statementOfText(text, []))

const MEGABYTE = 2 ** 20
/** Bytes after each hour: of this process, which has all stores, and of the tables. */
const heaps: number[] = []
const tables: number[] = []

/** Dead rows stay until they are vacuumed, as autovacuum does in a real hour. */
async function tableBytes(): Promise<number> {
  const { rows } = await query(
    `SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind = 'r'
      AND c.relnamespace = '${schema}'::regnamespace`,
  )
  for (const [name] of rows) await query(`VACUUM ${name}`)
  const sizes = await query(
    `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relkind = 'r'
      AND c.relnamespace = '${schema}'::regnamespace`,
  )
  return Number(sizes.rows[0]![0])
}

/** True if the last third is at most a tenth and 2 MiB above the third before it. */
function isFlat(bytes: readonly number[]): boolean {
  const third = Math.floor(bytes.length / 3)
  const most = (from: number, to?: number): number => Math.max(...bytes.slice(from, to))
  return third === 0 || most(-third) <= 1.1 * most(-2 * third, -third) + 2 * MEGABYTE
}

await query(`CREATE SCHEMA "${schema}"`)
try {
  console.log(`${values.processes} processes, schema ${schema}, seed ${values.seed}`)
  console.log('hour sessions locks sets members uploads changes commits   heap  tables')
  const violations = [
    ...(await liveOneDay({
      connectionString,
      schema,
      hours,
      processes: Number(values.processes),
      stepMinutes: Number(values.step),
      visitors: Number(values.visitors),
      seed: Number(values.seed),
      onHour: async (hour, found) => {
        globalThis.gc?.()
        heaps.push(process.memoryUsage().heapUsed)
        tables.push(await tableBytes())
        const { sessions, locks, sets, members, uploads, changes, commits } = found
        const cells = [hour, sessions, locks, sets, members, uploads, changes, commits]
        const sizes = [heaps.at(-1)!, tables.at(-1)!].map((bytes) => (bytes / MEGABYTE).toFixed(1))
        const widths = [4, 8, 5, 4, 7, 7, 7, 7, 6, 7]
        console.log(
          [...cells, ...sizes].map((cell, at) => `${cell}`.padStart(widths[at]!)).join(' '),
        )
      },
    })),
  ]
  if (!isFlat(heaps)) violations.push('the heap grows')
  if (!isFlat(tables)) violations.push('the tables grow')
  console.log(`${violations.length} violations`)
  for (const text of violations.slice(0, 20)) console.log(`  ${text.slice(0, 600)}`)
  if (violations.length > 0) process.exitCode = 1
} finally {
  await query(`DROP SCHEMA "${schema}" CASCADE`)
  await pool.close()
}
