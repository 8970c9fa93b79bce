import fc from 'fast-check'
import { beforeAll, describe, test } from 'vitest'
import { describeDatabases } from '../../sql/test/database.ts'
import { COMMANDS, Worlds } from '../../sql/test/state/commands.ts'
import { createTables } from '../../sql/test/state/world.ts'
import { valkeyState } from '../src/index.ts'
import { describeValkey } from './server.ts'

const runs = 10 * Number(process.env.ENTIA_RUNS ?? 1)

describeDatabases('entity sets and uploads in Valkey', { on: 'one' }, (database) => {
  describeValkey('two processes over it answer as one store in memory', (server) => {
    beforeAll(() => createTables(database.pool, database.schema))
    const pools = [database.open({ max: 2 }), database.open({ max: 2 })]
    let worldCount = 0

    describe('whatever they are asked', () => {
      for (const kind of ['entity sets', 'uploads'] as const)
        test(kind, async () => {
          const clients = [server.client(), server.client()]
          await fc.assert(
            fc.asyncProperty(COMMANDS[kind], async (list) => {
              const prefix = `world ${worldCount++}`
              let process = 0
              const worlds = new Worlds(pools, database.schema, (clock) =>
                valkeyState(
                  { client: clients[process++ % 2]!, prefix, commandMilliseconds: 30_000 },
                  { now: () => clock.now() },
                ),
              )
              await worlds.reset()
              for (const command of list) await command(worlds)
            }),
            { numRuns: runs, endOnFailure: true },
          )
        })
    })
  })
})
