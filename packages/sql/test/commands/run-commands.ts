import { randomBytes } from 'node:crypto'
import { type AnyDataStore, isEntiaError } from '@entia/core'
import type { Served } from '@entia/engine'
import { Random } from '../../../core/test/differential/random.ts'
import type { Step } from '../../../testing/src/conformance/case.ts'
import { differenceOf } from '../../../testing/src/conformance/check.ts'
import type { HostReply } from '../../../testing/src/conformance/host.ts'
import { createPorts, type FixedPorts, type Ports } from '../../../testing/src/conformance/ports.ts'
import { createFakeIds } from '../../../testing/src/ports/fake-ids.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'
import { openCopy, openCopyIn } from '../engine/sql-host.ts'
import { ClubHost, comparable, LOG_TEXTS } from './club-host.ts'
import { type Identity, optionsOf, PLAIN } from './club-options.ts'
import { type Command, drawCommand } from './draw-commands.ts'
import { CLUB_KEYS, createClub } from './model.ts'

/** Commands of one list. */
export const LIST_LENGTH = 120

/** Counts of commands by kind. */
export type Tally = Map<string, number>

/** A difference between the engines, after the last of some commands. */
export interface Difference {
  readonly commands: readonly Command[]
  readonly problem: string
}

/** The command at a place of a list. */
export type DrawCommand = (random: Random, at: number) => Command

export const commandsOf = (
  seed: number,
  list: number,
  draw: DrawCommand = drawCommand,
): readonly Command[] => {
  const random = new Random(seed, list)
  return Array.from({ length: LIST_LENGTH }, (_, at) => draw(random, at))
}

/** The engine that is compared with a store in memory. */
export interface TestedEngine {
  /** Opens what serves an empty club: several stores are those of several processes. */
  open(ports: Ports): Promise<{
    readonly stores: readonly (AnyDataStore | Served)[]
    close(): unknown
  }>
}

/** Two processes over one database. */
export const overSql = (pool: SqlPool): TestedEngine => ({
  async open(ports) {
    const schema = `club_${randomBytes(6).toString('hex')}`
    const origin = createClub(ports)
    const one = await openCopy(origin, pool, schema, { onError: () => {} })
    const other = await openCopyIn(origin, pool, schema, { onError: () => {} })
    return {
      stores: [one, other],
      async close() {
        origin.close()
        await pool.query(statementOfText(`DROP SCHEMA "${schema}" CASCADE`, []))
      },
    }
  },
})

/** In memory, with reads whose time slices end after each piece of work. */
export const inSlices: TestedEngine = {
  async open(ports) {
    const store = createClub(ports, { reading: { turnMilliseconds: 0, maxMilliseconds: 60_000 } })
    store.on('error', () => {})
    return { stores: [store], close: () => store.close() }
  },
}

/** Ports whose ids do not depend on the tokens of sessions: each process has some of its own. */
function createClubPorts(): FixedPorts {
  const { ports, advance } = createPorts()
  const { token } = createFakeIds()
  return { ports: { clock: ports.clock, ids: { uuid: ports.ids.uuid, token } }, advance }
}

/** Sends the same requests to a store in memory and to the tested engine. */
export async function runCommands(
  engine: TestedEngine,
  identity: Identity,
  commands: readonly Command[],
  tally: Tally = new Map(),
): Promise<Difference | null> {
  const memory = createClubPorts()
  const database = createClubPorts()
  const store = createClub(memory.ports)
  const { stores, close } = await engine.open(database.ports)
  const failures: unknown[] = []
  const withErrors = (errors: unknown[]) => ({
    ...optionsOf(identity),
    plain: { basePath: PLAIN, ids: createFakeIds() },
    onError: (error: unknown) => {
      if (!isEntiaError(error)) errors.push(error)
    },
  })
  const reference = new ClubHost([store], withErrors([]), memory.advance)
  const tested = new ClubHost(stores, withErrors(failures), database.advance)
  store.on('error', () => {})
  const differs = async (step: Step): Promise<string | null> => {
    const wanted = comparable(await reference.send(step), step)
    const found = comparable(await tested.send(step), step)
    const problem = differenceOf(found, wanted, { mayDiffer: MAY_DIFFER })
    if (problem === null) return null
    const bodies = found.status === wanted.status ? [] : [found, wanted].map(beginningOf)
    return [problem, ...bodies, ...failures.map(String)].join('\n')
  }
  try {
    for (const [at, command] of commands.entries()) {
      tally.set(command.kind, (tally.get(command.kind) ?? 0) + 1)
      failures.length = 0
      const problem = await differs(command.step)
      if (problem !== null) return { commands: commands.slice(0, at + 1), problem }
    }
    for (const [name, key] of Object.entries(CLUB_KEYS)) {
      const send =
        name === 'Log' ? LOG_TEXTS : `GET /rest/${name}?$orderby=${key}&$top=10000&$attributes=*`
      const problem = await differs({ send })
      if (problem !== null) return { commands, problem: `contents of ${name}: ${problem}` }
    }
    return null
  } finally {
    store.close()
    await close()
  }
}

const beginningOf = ({ body }: HostReply): string => String(body).slice(0, 500)

const MAY_DIFFER = { etag: 'lives have other numbers' }

/** The shortest list that was found by leaving commands out and shows a difference still. */
export async function reduced(
  engine: TestedEngine,
  identity: Identity,
  first: Difference,
): Promise<Difference> {
  let found = first
  for (let size = Math.ceil(found.commands.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = found.commands.length - size; at >= 0; at -= size) {
      const fewer = found.commands.filter((_, place) => place < at || place >= at + size)
      const still = await runCommands(engine, identity, fewer)
      if (still !== null) found = still
    }
  return found
}
