import { randomOf } from '../../../../scripts/long/random.mjs'
import type { Bank, Reply } from './bank.ts'

/** How one process takes part in writes under locks. */
export interface LockPlan {
  readonly seed: number
  /** Accounts that everybody locks and writes. */
  readonly accounts: readonly number[]
  /** Writes to try, with and without the lock. */
  readonly writes: number
  /** Loops at the same time. */
  readonly clients: number
}

export interface LockDone {
  /** Writes by the holder of the lock. */
  readonly held: number
  /** Writes that a lock refused. */
  readonly refused: number
  /** Writes by others while there was no lock. */
  readonly free: number
  readonly violations: readonly string[]
}

/** Writes of one holder before it unlocks. */
const WRITES_UNDER_LOCK = 4

/**
 * Locks accounts and writes them with the stamp of the write before, and writes locked accounts of
 * others. A write that somebody else got through is met as another stamp.
 */
export async function playLocks(
  bank: Bank,
  { seed, accounts, writes, clients }: LockPlan,
): Promise<LockDone> {
  const done = { held: 0, refused: 0, free: 0 }
  const violations: string[] = []
  let left = writes
  const expectStatus = (
    { status, body }: Reply,
    allowed: readonly number[],
    what: string,
  ): void => {
    if (!allowed.includes(status)) violations.push(`${what}: ${status} ${JSON.stringify(body)}`)
  }

  const client = async (at: number): Promise<void> => {
    const random = randomOf(seed * 1000 + at)
    const oneOf = (): number => accounts[Math.floor(random() * accounts.length)]!
    let cookie: string | null = null
    while (left > 0) {
      const account = oneOf()
      const locked = await bank.ask({ path: `Account(${account})?$lock=true`, cookie })
      cookie = locked.cookie ?? cookie
      expectStatus(locked, [200], 'a lock')
      if (locked.body.result === true) await writeUnderLock(account, cookie, random)
      else await writeWithout(account, random)
    }
  }

  const writeUnderLock = async (
    account: number,
    cookie: string | null,
    random: () => number,
  ): Promise<void> => {
    const read = await bank.ask({ path: `Account(${account})`, cookie })
    let stamp: number = read.body.__STAMP
    for (let at = 0; at < WRITES_UNDER_LOCK; at++) {
      left--
      const body = { __KEY: `${account}`, __STAMP: stamp, balance: Math.floor(random() * 1e9) }
      const written = await bank.ask({ method: 'POST', path: 'Account', body, cookie })
      expectStatus(written, [200], `the holder writes account ${account} with stamp ${stamp}`)
      if (written.status !== 200) break
      if (written.body.__STAMP !== stamp + 1)
        violations.push(`account ${account} went from ${stamp} to ${written.body.__STAMP}`)
      stamp = written.body.__STAMP
      done.held++
    }
    const unlocked = await bank.ask({ path: `Account(${account})?$lock=false`, cookie })
    if (unlocked.body.result !== true)
      violations.push(`unlocking ${account}: ${JSON.stringify(unlocked.body)}`)
  }

  /** Alone or as a batch: without a stamp, so that only the lock refuses. */
  const writeWithout = async (account: number, random: () => number): Promise<void> => {
    left--
    const item = { __KEY: `${account}`, balance: Math.floor(random() * 1e9) }
    const reply =
      left % 3 === 0
        ? await bank.ask({ method: 'POST', path: 'Account?$atomic=true', body: [item] })
        : await bank.ask({ method: 'POST', path: 'Account', body: item })
    expectStatus(reply, [200, 423], `a write of account ${account} without its lock`)
    if (reply.status === 200) done.free++
    else done.refused++
  }

  await Promise.all(Array.from({ length: clients }, (_, at) => client(at)))
  return { ...done, violations }
}
