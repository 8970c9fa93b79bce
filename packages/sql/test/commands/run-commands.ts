import { randomBytes } from 'node:crypto'
import { isEntiaError } from '@entia/core'
import { Random } from '../../../core/test/differential/random.ts'
import type { Step } from '../../../testing/src/conformance/case.ts'
import { differenceOf } from '../../../testing/src/conformance/check.ts'
import type { HostReply } from '../../../testing/src/conformance/host.ts'
import { createPorts } from '../../../testing/src/conformance/ports.ts'
import type { SqlPool } from '../../src/connect/port.ts'
import { statementOfText } from '../../src/text/statement.ts'
import { openCopy } from '../engine/sql-host.ts'
import { ClubHost, comparable, LOG_TEXTS } from './club-host.ts'
import { CLUB_OPTIONS } from './club-options.ts'
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

/** Sends the same requests to a store in memory and to its copy in a database. */
export async function runCommands(
  pool: SqlPool,
  commands: readonly Command[],
  tally: Tally = new Map(),
): Promise<Difference | null> {
  const schema = `club_${randomBytes(6).toString('hex')}`
  const memory = createPorts()
  const database = createPorts()
  const store = createClub(memory.ports)
  const origin = createClub(database.ports)
  const served = await openCopy(origin, pool, schema, { onError: () => {} })
  const failures: unknown[] = []
  const withErrors = (errors: unknown[]) => ({
    ...CLUB_OPTIONS,
    onError: (error: unknown) => {
      if (!isEntiaError(error)) errors.push(error)
    },
  })
  const reference = new ClubHost(store, withErrors([]), memory.advance)
  const tested = new ClubHost(served, withErrors(failures), database.advance)
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
    origin.close()
    await pool.query(statementOfText(`DROP SCHEMA "${schema}" CASCADE`, []))
  }
}

const beginningOf = ({ body }: HostReply): string => String(body).slice(0, 500)

const MAY_DIFFER = { etag: 'lives have other numbers' }

/** The shortest list that was found by leaving commands out and shows a difference still. */
export async function reduced(pool: SqlPool, first: Difference): Promise<Difference> {
  let found = first
  for (let size = Math.ceil(found.commands.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = found.commands.length - size; at >= 0; at -= size) {
      const fewer = found.commands.filter((_, place) => place < at || place >= at + size)
      const still = await runCommands(pool, fewer)
      if (still !== null) found = still
    }
  return found
}
