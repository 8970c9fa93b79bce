import { isDeepStrictEqual } from 'node:util'
import type { AnyDataStore } from '@entia/core'
import { Random } from '../../../core/test/differential/random.ts'
import { runs } from '../../../core/test/runs.ts'
import type { HostReply } from '../../../testing/src/conformance/host.ts'
import { ClubHost } from './club-host.ts'
import { handlerOptions, type Identity } from './club-options.ts'
import { createClubPorts } from './club-ports.ts'
import { CONTENTS, Comparison } from './compare.ts'
import { type Command, drawCommand } from './draw-commands.ts'
import { drawSetCommand } from './draw-set-commands.ts'
import { differenceInEachOrder } from './in-some-order.ts'
import { formSchema } from './schema-classes.ts'
import type { Target } from './targets.ts'

/** Commands of one list, of which the gate sends two thirds. */
const LIST_LENGTH = Math.min(120, runs(120, 80).numRuns)

/** Counts of commands by kind, and of those that were refused. */
export type Tally = Map<string, number>

/** A difference between the engines, after the last of some commands. */
export interface Difference {
  readonly commands: readonly Command[]
  readonly problem: string
}

/** The list of a seed: what its commands are about, and how callers are known, follow from it. */
export interface CommandList {
  readonly seed: number
  readonly commands: readonly Command[]
}

const identityOf = (seed: number): Identity => (seed % 3 === 2 ? 'proxy' : 'logins')

/** Every fourth list is about entity sets. */
export function listOf(seed: number, { restarts = false }: Target): CommandList {
  const random = new Random(seed, 0)
  const isAboutSets = seed % 4 === 3 && !restarts
  const draw = isAboutSets ? drawSetCommand : drawCommand
  const commands = Array.from({ length: LIST_LENGTH }, (_, at) =>
    draw(random, at, restarts ? 0.02 : 0),
  )
  // Behind a proxy guests have no session, as a program in the process has when it locks.
  const mayDiffer = identityOf(seed) === 'proxy' ? /^CLIENT (un)?lock$/ : /^$/
  return { seed, commands: commands.filter(({ step }) => !mayDiffer.test(step.send)) }
}

/** Sends the same requests to a store in memory and to the target. */
export async function runCommands(
  target: Target,
  { seed, commands }: CommandList,
  tally: Tally = new Map(),
): Promise<Difference | null> {
  const memory = createClubPorts()
  const database = createClubPorts()
  const failures: unknown[] = []
  const identity = identityOf(seed)
  const onFailure = (error: unknown): void => {
    failures.push(error)
  }
  const reference = new ClubHost(
    await target.reference(memory.ports),
    handlerOptions(identity, memory.ids, () => {}),
    memory.advance,
  )
  const tested = new ClubHost(
    await target.open(database, (seed >> 1) % 2, { identity, onFailure }),
    handlerOptions(identity, database.ids, onFailure),
    database.advance,
  )
  const comparison = new Comparison(tested.opened.program !== undefined)
  const store = (): AnyDataStore => reference.opened.stores[0] as AnyDataStore
  const differs = async (command: Command): Promise<string | null> => {
    const { kind, others } = command
    const { after } = command.step
    // The session of a program in the process does not end as those of guests do.
    const step =
      comparison.isInProcess && after !== undefined
        ? { ...command.step, after: Math.min(after, 61) }
        : command.step
    // A snapshot of the reference holds no locks.
    if (others !== undefined && store().locks.size === 0) {
      const steps = [step, ...others.map((other) => other.step)]
      const problem = await differenceInEachOrder(steps, reference, tested, comparison)
      memory.ids.continueAfter(database.ids)
      return problem
    }
    const wanted = await reference.send(step)
    if (wanted.status >= 400) count(tally, `${kind} refused`)
    const found = await tested.send(step)
    // A client keeps sets on its server where a program in the process needs none.
    if (comparison.isInProcess) memory.ids.continueAfter(database.ids)
    return comparison.differenceOf(found, wanted, step)
  }
  const problemOf = async (command: Command): Promise<string | null> => {
    failures.length = 0
    const problem = await differs(command)
    return problem === null ? null : [problem, ...failures.map(String)].join('\n')
  }
  try {
    for (const [at, command] of commands.entries()) {
      for (const { kind } of [command, ...(command.others ?? [])]) count(tally, kind)
      if (command.others !== undefined) count(tally, 'at the same time')
      const problem = await problemOf(command)
      if (problem !== null) return { commands: commands.slice(0, at + 1), problem }
    }
    for (const step of CONTENTS) {
      const problem = await problemOf({ kind: 'contents', step })
      if (problem !== null) return { commands, problem: `${step.send}: ${problem}` }
    }
    if (target.restarts === true) return null
    const problem = changedForm(await tested.send({ send: 'GET /rest/Form?$top=10000' }))
    return problem === null ? null : { commands, problem }
  } finally {
    await reference.opened.close()
    await tested.opened.close()
  }
}

/** A form that its schema refuses or would change, which no write may leave behind. */
function changedForm({ body }: HostReply): string | null {
  const forms: readonly object[] = JSON.parse(String(body)).__ENTITIES
  for (const form of forms) {
    const values = Object.fromEntries(
      Object.entries(form).filter(([name]) => name in formSchema.shape && name !== 'player'),
    )
    const { data } = formSchema.safeParse(values)
    if (!isDeepStrictEqual(data, values)) return `a form has not passed: ${JSON.stringify(values)}`
  }
  return null
}

const count = (tally: Tally, name: string): void => {
  tally.set(name, (tally.get(name) ?? 0) + 1)
}

/** The shortest list that was found by leaving commands out and shows a difference still. */
export async function reduced(
  target: Target,
  seed: number,
  first: Difference,
): Promise<Difference> {
  let found = first
  for (let size = Math.ceil(found.commands.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = found.commands.length - size; at >= 0; at -= size) {
      const commands = found.commands.filter((_, place) => place < at || place >= at + size)
      const still = await runCommands(target, { seed, commands })
      if (still !== null) found = still
    }
  return found
}
