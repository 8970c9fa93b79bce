import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { describeDatabases } from '../database.ts'
import { COMMANDS, Worlds } from './commands.ts'
import { createTables } from './world.ts'

describeDatabases('the server state in a database', {}, (database) => {
  beforeAll(() => createTables(database.pool, database.schema))
  const pools = [0, 1].map(() => database.open({ max: 2 }))
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
