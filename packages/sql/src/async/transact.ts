import { type AsyncTransactOptions, isEntiaError, type Untyped } from '@entia/core'
import { checkNames, overBudget, refused } from '@entia/core/internal'
import { refuseNested, withinTransaction } from './open-transaction.ts'
import type { AsyncPort, AsyncRuns, SqlUser } from './sql-user.ts'
import { Transacting } from './transacting.ts'

/** Loads that one transaction may make, one after the other. */
const MAX_LOADS = 1000

/**
 * Commits all writes of `tx` as one commit, or none if the body rejects. Reads of `tx` include its
 * writes; they load at most `maxResidualRows` entities each. Throws what the body throws,
 * `transactionConflict` if another commit changed what it read and no retry is left,
 * `budgetExceeded` for a body that takes longer than `transactions.maxMilliseconds`, and
 * `notInTransaction` inside of another transaction. The transaction keeps one connection.
 */
export async function transact<R>(
  port: AsyncPort,
  user: SqlUser,
  members: (runs: AsyncRuns) => Untyped,
  body: (tx: Untyped) => Promise<R>,
  options: AsyncTransactOptions = {},
): Promise<R> {
  const retries = retriesOf(options)
  refuseNested()
  for (let attempt = 0; ; attempt++) {
    try {
      return await once(port, user, members, body)
    } catch (error) {
      if (!isConflict(error) || attempt >= retries) throw error
    }
  }
}

async function once<R>(
  port: AsyncPort,
  user: SqlUser,
  members: (runs: AsyncRuns) => Untyped,
  body: (tx: Untyped) => Promise<R>,
): Promise<R> {
  const { runs, names, after, requestTime } = port
  const { maxMilliseconds } = port.transactions
  const session = await user.session()
  const transacting = new Transacting<R>(session, (own) =>
    withinTransaction(port, async () => body(members(own))),
  )
  const time = requestTime(maxMilliseconds)
  const ended = new AbortController()
  const expiry = after(maxMilliseconds, ended.signal, () =>
    transacting.fail(
      overBudget('milliseconds of a transaction', maxMilliseconds, 'transactions.maxMilliseconds'),
    ),
  )
  try {
    const caller = { session, access: null, names }
    const wantsToWrite = (): boolean => transacting.wantsToWrite
    const bounds = { maxRuns: MAX_LOADS, maxAttempts: 1, time, wantsToWrite }
    const run = (_: unknown, __: unknown, working: Parameters<typeof transacting.run>[0]) =>
      transacting.run(working)
    return (await runs.write('a transaction', caller, { predicted: [] }, run, bounds)).value
  } catch (error) {
    transacting.fail(error)
    throw error
  } finally {
    time.end()
    ended.abort()
    await expiry
  }
}

function retriesOf(options: AsyncTransactOptions): number {
  checkNames(options, ['retries', 'isolation'])
  const { retries = 0, isolation = 'gate' } = options
  if (!Number.isSafeInteger(retries) || retries < 0)
    throw refused('The option retries', 'a whole number from 0', String(retries))
  if (isolation !== 'gate') throw refused('The option isolation', '"gate"', String(isolation))
  return retries
}

const isConflict = (error: unknown): boolean =>
  isEntiaError(error) && (error.code as string) === 'transactionConflict'
