import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { pgPool } from '../../src/pg.ts'
import { describeDatabases } from '../database.ts'
import { isPooled, POOLING } from '../tested.ts'
import { COMMANDS, Worlds } from './commands.ts'
import { createTables } from './world.ts'

describeDatabases('the server state in a database', {}, (database) => {
  beforeAll(() => createTables(database.pool, database.schema))
  const pools = [0, 1].map(() =>
    database.connectionString === null
      ? database.open()
      : // What a crash of the server would lose does not matter here.
        pgPool({
          connectionString: isPooled
            ? database.connectionString
            : withoutSync(database.connectionString),
          max: 2,
          ...POOLING,
        }),
  )
  afterAll(() => Promise.all(pools.map((pool) => pool.close())))

  describe('two processes over it answer as one store in memory', () => {
    for (const [kind, commands] of Object.entries(COMMANDS))
      test(kind, async () => {
        await fc.assert(
          fc.asyncProperty(commands, async (list) => {
            const worlds = new Worlds(pools, database.schema)
            await worlds.reset()
            for (const command of list) await command(worlds)
          }),
          { ...runs(10), endOnFailure: true },
        )
      })
  })
})

function withoutSync(connectionString: string): string {
  const address = new URL(connectionString)
  address.searchParams.set('options', '-c synchronous_commit=off')
  return address.href
}
