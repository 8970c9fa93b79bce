import { attribute, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { DatabaseError } from '../../src/connect/database-error.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases, type TestDatabase } from '../database.ts'
import { PausedReplica } from './paused-replica.ts'

const RUNS = Number(process.env.ENTIA_REPLICA_RUNS ?? 5)

/** Never moves: an answer of the replica is always a recent one. */
const clock = { now: () => Date.now(), monotonic: () => time }
let time = 0

async function openProcess(
  { schema, open }: Pick<TestDatabase, 'schema' | 'open'>,
  migrates = false,
) {
  const Team = defineDataClass('Team', {
    ID: attribute.long({ key: true }),
    name: attribute.string(),
    players: attribute.relatedEntities('Player', 'team'),
  })
  const Player = defineDataClass('Player', {
    ID: attribute.long({ key: true }),
    name: attribute.string({ indexed: true }),
    team: attribute.relatedEntity('Team'),
  })
  const replica = new PausedReplica(open({ max: 3 }))
  const options = {
    name: 'league',
    dataClasses: [Team, Player],
    database: open({ max: 3 }),
    replicas: [replica],
    schema,
    clock,
  }
  if (migrates) await migrateDatabase(options as never)
  const store = await openSqlStore(options as never)
  const rest = createRestHandler(store)
  let cookie: string | null = null
  return {
    replica,
    async ask(path: string, body?: unknown) {
      const answer = await rest.handle({
        method: body === undefined ? 'GET' : 'POST',
        url: `/rest/${path}`,
        headers: { host: 'localhost', ...(cookie === null ? {} : { cookie }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      cookie = answer.headers['set-cookie']?.split(';', 1)[0] ?? cookie
      // biome-ignore lint/suspicious/noExplicitAny: parsed JSON
      const parsed: any = JSON.parse(String(answer.body))
      return { status: answer.status, body: parsed }
    },
    close: () => store.close(),
  }
}

const step = fc.record({
  process: fc.constantFrom(0, 1),
  kind: fc.constantFrom(
    'write Team' as const,
    'write Player' as const,
    'pause' as const,
    'resume' as const,
    'page' as const,
    'related' as const,
    'expanded' as const,
    'entity' as const,
    'sum' as const,
  ),
})

describeDatabases('replicas', { connections: 'several', on: 'one' }, (database) => {
  let processes: Awaited<ReturnType<typeof openProcess>>[] = []
  beforeAll(async () => {
    processes = [await openProcess(database, true), await openProcess(database)]
    const first = processes[0]!
    await first.ask('Team', { ID: 1, name: 'team 0' })
    await first.ask('Player', { ID: 1, name: 'player 0', team: 1 })
    return async () => {
      for (const each of processes) await each.close()
    }
  })

  test('a read in any process sees every earlier commit', async () => {
    const names = { Team: 'team 0', Player: 'player 0' }
    let writes = 0
    const write = async (at: number, dataClass: 'Team' | 'Player') => {
      const name = `${dataClass} ${++writes}`
      const { status } = await processes[at]!.ask(dataClass, { __KEY: '1', name })
      expect(status).toBe(200)
      names[dataClass] = name
    }
    let stamp = 0
    const read = async (at: number, path: string) => {
      const { status, body } = await processes[at]!.ask(path)
      expect(status).toBe(200)
      if (body.__GlobalStamp !== undefined) {
        expect(body.__GlobalStamp).toBeGreaterThanOrEqual(stamp)
        stamp = body.__GlobalStamp
      }
      return body
    }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
        for (const { process, kind } of steps)
          switch (kind) {
            case 'write Team':
              await write(process, 'Team')
              break
            case 'write Player':
              await write(process, 'Player')
              break
            case 'pause':
              await processes[process]!.replica.pause()
              break
            case 'resume':
              await processes[process]!.replica.resume()
              break
            case 'page':
              expect((await read(process, 'Team')).__ENTITIES[0].name).toBe(names.Team)
              break
            case 'related': {
              const { __COUNT } = await read(process, `Player?$filter="team.name='${names.Team}'"`)
              expect(__COUNT).toBe(1)
              break
            }
            case 'expanded': {
              const { team } = (await read(process, 'Player?$expand=team')).__ENTITIES[0]
              expect(team.name).toBe(names.Team)
              break
            }
            case 'entity':
              expect((await read(process, 'Player(1)')).name).toBe(names.Player)
              break
            case 'sum': {
              const { body } = await processes[process]!.ask('Player/name?$distinct=true')
              expect(body).toEqual([names.Player])
            }
          }
      }),
      runs(RUNS),
    )
    for (const { replica } of processes) await replica.resume()
  })

  test('a paused replica answers reads of data that has not changed since', async () => {
    const [first, second] = processes
    const { replica } = second!
    // The first read queries the state of the replica without waiting for it.
    await untilAnswered(() => second!.ask('Team'), replica)
    await replica.pause()
    await first!.ask('Player', { __KEY: '1', name: 'changed' })
    const teams = await second!.ask('Team')
    expect(teams.status).toBe(200)
    await untilAnswered(() => second!.ask('Team'), replica)
    // As of the commit that it does not have: it did not change what was read.
    const { body } = await second!.ask('Player')
    expect(body.__ENTITIES[0].name).toBe('changed')
    expect((await second!.ask('Team')).body.__GlobalStamp).toBe(body.__GlobalStamp)
    await replica.resume()
  })

  test('a replica that does not answer is skipped, and used again later', async () => {
    const { ask, replica } = processes[0]!
    await untilAnswered(() => ask('Team'), replica)
    replica.failure = new DatabaseError('unavailable', null)
    for (let at = 0; at < 5; at++) expect((await ask('Team')).status).toBe(200)
    replica.failure = null
    const before = replica.count
    expect((await ask('Team')).status).toBe(200)
    expect(replica.count).toBe(before)
    time += 10_000
    await untilAnswered(() => ask('Team'), replica)
  })

  test('entity sets are read and written on the primary', async () => {
    const { ask } = processes[0]!
    for (let at = 0; at < 3; at++) {
      const { body } = await ask('Team?$method=entityset')
      const id = String(body.__ENTITYSET).split('/').at(-1)
      expect((await ask(`Team/$entityset/${id}`)).body.__COUNT).toBe(1)
    }
  })
})

/** Reads until the replica answers: the first read queries its state without waiting for it. */
async function untilAnswered(read: () => Promise<unknown>, replica: PausedReplica): Promise<void> {
  for (let at = 0; at < 1000; at++) {
    const before = replica.count
    await read()
    if (replica.count >= before + 2) return
  }
  throw new Error('The replica answered none of 1000 reads.')
}
