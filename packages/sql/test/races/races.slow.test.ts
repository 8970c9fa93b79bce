import { beforeAll, expect, test } from 'vitest'
import { describeDatabases } from '../database.ts'
import { type BankPlace, openBank } from './bank.ts'
import { checkHistories } from './histories.ts'
import { checkLocks } from './locks.ts'
import { checkMoments } from './moments.ts'
import { localPlayer, type Player } from './player.ts'
import {
  type RaceOptions,
  type RaceResult,
  raceForLock,
  raceForStamp,
  raceForValue,
  raceOfBatches,
  raceOfCascades,
  raceOfLogouts,
} from './races.ts'

// `npm run test:long -- races` has the same races between processes, with thousands of rounds.
describeDatabases('races', { connections: 'several', on: 'one' }, (database) =>
  testRaces({ connectionString: database.connectionString!, schema: database.schema }),
)

function testRaces(place: BankPlace): void {
  let players: readonly Player[] = []
  beforeAll(async () => {
    await (await openBank(place, true)).close()
    players = await Promise.all([localPlayer(place), localPlayer(place)])
    return async () => {
      const failures = await Promise.all(players.map((player) => player.close()))
      expect(failures.flat()).toEqual([])
    }
  })
  const options = (rounds: number): RaceOptions => ({
    players,
    rounds,
    lanes: 4,
    seed: 1,
    isOver: () => false,
  })

  const races: readonly (readonly [string, (options: RaceOptions) => Promise<RaceResult>])[] = [
    ['of several saves with one stamp exactly one succeeds', raceForStamp],
    ['a unique value has exactly one holder, and no number of a sequence is lost', raceForValue],
    ['of several sessions exactly one gets a lock', raceForLock],
    ['a cascade leaves nothing behind that others create meanwhile', raceOfCascades],
    ['readers see an atomic batch as a whole or not at all', raceOfBatches],
    ['a session writes nothing after its logout', raceOfLogouts],
  ]
  test.each(races)('%s', async (_, race) => {
    expect((await race(options(12))).violations).toEqual([])
  })

  test('only the holder of a lock writes the locked entity', async () => {
    const { violations, held } = await checkLocks(options(30))
    expect(violations).toEqual([])
    expect(held).toBeGreaterThan(0)
  })

  test('a function, a hook and a transaction that reads see one moment each', async () => {
    const { violations } = await checkMoments({ ...options(12), lanes: 2 })
    expect(violations).toEqual([])
  })

  test('appends, reads and transfers are serializable', async () => {
    const plan = { players, histories: 4, steps: 2, seed: 1, isOver: () => false }
    const { violations, transactions } = await checkHistories(plan)
    expect(violations).toEqual([])
    expect(transactions).toBe(32)
  })
}
