import type { Player } from './player.ts'
import { createAccounts, type RaceOptions, type RaceResult } from './races.ts'

/** Writes of one player per message to it. */
const CHUNK = 100

/** Writes under locks, and to what others have locked: `rounds` writes in all. */
export async function checkLocks({
  players,
  rounds,
  lanes,
  seed,
  isOver,
}: RaceOptions): Promise<
  RaceResult & { readonly held: number; readonly refused: number; readonly free: number }
> {
  const accounts = await createAccounts(players[0]!, lanes)
  const total = { held: 0, refused: 0, free: 0 }
  const violations: string[] = []
  const sum = () => total.held + total.refused + total.free
  const play = async (player: Player, at: number): Promise<void> => {
    for (let part = 0; sum() < rounds && !isOver(); part++) {
      const plan = { seed: seed + at + part * players.length, accounts, writes: CHUNK, clients: 3 }
      const done = await player.locks(plan)
      total.held += done.held
      total.refused += done.refused
      total.free += done.free
      violations.push(...done.violations)
    }
  }
  await Promise.all(players.map(play))
  return { rounds: sum(), ...total, violations }
}
