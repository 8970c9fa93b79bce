import type { Command } from './command.ts'
import { Divergence } from './divergence.ts'
import { Pair } from './pair.ts'
import { perform } from './perform.ts'
import { Tally } from './tally.ts'

/**
 * Runs commands on a new club, in the store and in the model, and counts them. Throws `Divergence`,
 * or an error of the store.
 */
export function runCommands(commands: readonly Command[], tally: Tally = new Tally()): void {
  const pair = new Pair()
  for (const [at, command] of commands.entries()) {
    try {
      perform(pair, command, tally)
    } catch (error) {
      throw new Divergence(`command ${at}, ${JSON.stringify(command)}:\n${String(error)}`, {
        cause: error,
      })
    }
    tally.commands++
  }
}
