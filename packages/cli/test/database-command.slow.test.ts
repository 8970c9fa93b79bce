import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dumpToFile, openDumpFile } from '@entia/core/node'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHr, dataClasses } from './fixtures/hr.mjs'
import { runEntia, serveEntia } from './run-entia.ts'

const address = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const isThere = await answers()
if (!isThere)
  console.warn('The database commands are not tested: no PostgreSQL answers. Set DATABASE_URL.')

async function answers(): Promise<boolean> {
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 2000 })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

describe.skipIf(!isThere)('commands with a database', () => {
  const schema = `test_cli_${process.pid}`
  const folder = mkdtempSync(join(tmpdir(), 'entia-'))
  const place = ['--database', address, '--schema', schema]
  const client = new pg.Client({ connectionString: address })
  beforeAll(() => client.connect())
  afterAll(async () => {
    for (const name of [schema, `${schema}_dump`, `${schema}_rising`])
      await client.query(`DROP SCHEMA IF EXISTS "${name}" CASCADE`)
    await client.end()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Serves the database, and inserts an employee over HTTP. */
  const writeServed = async (...options: readonly string[]): Promise<void> => {
    const serving = await serveEntia('hr.mjs', ...options)
    const written = await fetch(`${serving.origin}/rest/Employee?$method=update`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ lastName: 'Lovelace', employerID: 1 }),
    })
    expect(written.status).toBe(200)
    await serving.stop('SIGTERM')
  }

  test('migrate, copy, serve and copy back', async () => {
    const unfit = await runEntia(['serve', 'hr.mjs', ...place])
    expect([unfit.exitCode, unfit.stderr]).toEqual([
      1,
      expect.stringContaining('entia migrate hr.mjs'),
    ])

    const dry = await runEntia(['migrate', 'hr.mjs', ...place, '--dry-run'])
    expect(dry.stdout).toContain('Nothing was changed')
    const { rows } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
    expect(rows).toEqual([])

    expect((await runEntia(['copy', 'hr.mjs', ...place])).stderr).toContain('Copied 3 entities')
    const again = await runEntia(['copy', 'hr.mjs', ...place])
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('entities already')])
    expect((await runEntia(['migrate', 'hr.mjs', ...place])).stdout).toContain('nothing to do')

    await writeServed(...place)

    await client.query(`UPDATE "${schema}"."Employee" SET "lastName$" = 'x' WHERE "ID" = 1`)
    const broken = await runEntia(['verify', 'hr.mjs', ...place])
    expect([broken.exitCode, broken.stdout, broken.stderr]).toEqual([
      1,
      expect.stringMatching(/^Employee 1, lastName: its comparison key .* "entia migrate".*\n$/),
      expect.stringContaining('4 entities verified: 1 problem found.'),
    ])
    // The remedy.
    await client.query(`UPDATE "${schema}".entia_store SET unicode = ''`)
    await runEntia(['migrate', 'hr.mjs', ...place])
    const verified = await runEntia(['verify', 'hr.mjs', ...place])
    expect([verified.exitCode, verified.stdout, verified.stderr]).toEqual([
      0,
      '',
      expect.stringContaining('4 entities verified: no problem found.'),
    ])
    const kept = await serveEntia('hr.mjs', ...place, '--copy')
    expect(kept.printed).toContain('nothing of hr.mjs was copied')
    await kept.stop('SIGTERM')

    const dump = join(folder, 'back.entia')
    const back = await runEntia(['copy', 'hr.mjs', ...place, '-o', dump])
    expect(back.stderr).toContain('Copied 4 entities')
    const restored = await openDumpFile(dump, { dataClasses })
    const names = restored.Employee.all().toArray()
    expect(names.map(({ ID, lastName }) => [ID, lastName])).toEqual([
      [1, 'Byron'],
      [2, 'Babbage'],
      [3, 'Lovelace'],
    ])
    // The migration was a commit, too.
    expect(restored.globalStamp).toBe(5)
    expect(restored.Employee.insert({ lastName: 'New' }).ID).toBe(4)
  })

  test('a dump is copied into a database and back, byte for byte', async () => {
    const dump = join(folder, 'alone.entia')
    await dumpToFile(createHr(), dump)
    const other = ['--database', address, '--schema', `${schema}_dump`]
    const copied = await runEntia(['copy', dump, ...other])
    expect([copied.exitCode, copied.stderr]).toEqual([0, expect.stringContaining('Copied 3')])
    const back = join(folder, 'alone-back.entia')
    expect((await runEntia(['copy', dump, ...other, '-o', back])).exitCode).toBe(0)
    expect(readFileSync(back).equals(readFileSync(dump))).toBe(true)

    // The module adds what the dump does not know.
    const migrated = await runEntia(['migrate', 'hr.mjs', ...other])
    expect(migrated.stdout).toContain('Index Employee.lastName')
    const unnamed = await runEntia(['migrate', 'people.mjs', ...other, '--dry-run'])
    expect(unnamed.stdout).toMatch(
      /Nothing was changed.*\nThe model no longer has these\. .*\n(?:Drop the .*\n)*Drop the dataclass Employee\n$/,
    )
    expect(migrated.stdout).not.toContain('no longer')
    // What cannot be done is said once; the steps are what the user asks for.
    const cannot = await runEntia([
      'migrate',
      'people.mjs',
      ...other,
      '--dry-run',
      '--renamed',
      'Person=X',
    ])
    expect([cannot.exitCode, cannot.stdout]).toEqual([expect.any(Number), ''])
    expect(cannot.stderr).not.toContain('See the steps with')
    const renamed = ['--renamed', 'Employee=Person,Person.lastName=surname', '--dry-run']
    expect((await runEntia(['migrate', 'people.mjs', ...other, ...renamed])).stdout).toMatch(
      /^Rename the dataclass Employee to Person\n(?:.*\n)*Rename the column lastName of Person to surname/,
    )
  })

  test('mistakes of the user are reported with their remedy, without the address', async () => {
    const none = await runEntia(['migrate', 'hr.mjs'])
    expect([none.exitCode, none.stderr]).toEqual([
      2,
      expect.stringContaining('--database postgres://'),
    ])
    const down = 'postgres://ada:secret@127.0.0.1:1/none'
    const unreachable = await runEntia(['copy', 'hr.mjs', '--database', down])
    expect(unreachable.exitCode).toBe(1)
    expect(unreachable.stderr).toMatch(/cannot be reached \(.*ECONNREFUSED/)
    expect(unreachable.stderr).not.toContain('secret')
    const alone = await runEntia(['serve', 'hr.mjs', '--copy'])
    expect([alone.exitCode, alone.stderr]).toEqual([2, expect.stringContaining('about a database')])
  })
})
