import { randomOf } from '../../../../scripts/long/random.mjs'
import type { Append, Bank, Reply } from './bank.ts'

/** Histories that several processes play at the same time, each over accounts of its own. */
export interface HistoryPlan {
  readonly seed: number
  /** Names this process in ids of transactions. */
  readonly process: number
  /** The accounts of each history. */
  readonly histories: readonly (readonly number[])[]
  /** Transactions of this process in each history. */
  readonly steps: number
}

/** One transaction as its client saw it. */
export interface HistoryDone {
  readonly history: number
  readonly id: string
  /** `unknown` if the answer says so. */
  readonly outcome: 'committed' | 'refused' | 'unknown'
  readonly appended: readonly number[]
  readonly read: readonly (readonly [number, readonly string[]])[]
  /** The sum of the balances, if all of them were read at once. */
  readonly sum: number | null
  /** Nanoseconds of the machine's monotonic clock, the same for all processes. */
  readonly began: number
  readonly ended: number
  /** An answer that no client should get. */
  readonly problem: string | null
}

export type Outcome = Pick<HistoryDone, 'outcome' | 'appended' | 'read' | 'sum' | 'problem'>
type Random = () => number

/** Plays the part of this process, two transactions at a time. */
export async function playHistories(
  bank: Bank,
  { seed, process, histories, steps }: HistoryPlan,
): Promise<readonly HistoryDone[]> {
  const done: HistoryDone[] = []
  const client = async (at: number): Promise<void> => {
    const random = randomOf(seed * 100 + process * 10 + at)
    for (const [history, keys] of histories.entries())
      for (let step = 0; step < steps; step++) {
        const id = `${process}.${at}.${step}`
        const began = now()
        const outcome = await transaction(bank, random, id, keys)
        done.push({ history, id, began, ended: now(), ...outcome })
      }
  }
  await Promise.all([client(0), client(1)])
  return done
}

const now = (): number => Number(globalThis.process.hrtime.bigint())

/** Reads a page, appends by a function or by a batch under stamps, or moves money. */
export function transaction(
  bank: Bank,
  random: Random,
  id: string,
  keys: readonly number[],
): Promise<Outcome> {
  const some = (): readonly number[] => {
    const found = keys.filter(() => random() < 0.6)
    return found.length > 0 ? found : keys.slice(0, 1)
  }
  const kind = random()
  if (kind < 0.2) return readPage(bank, keys)
  if (kind < 0.4) {
    const [from, to] = random() < 0.5 ? [keys[0]!, keys[1]!] : [keys[1]!, keys[0]!]
    return transfer(bank, from, to, 1 + Math.floor(random() * 90))
  }
  if (kind < 0.6) return appendByBatch(bank, id, some())
  const asked = { id, read: some(), append: random() < 0.2 ? [] : some() }
  return appendByFunction(bank, {
    ...asked,
    byFilter: random() < 0.3,
    isRefused: random() < 0.1,
  })
}

interface FoundAccount {
  readonly __KEY: string
  readonly __STAMP: number
  readonly balance: number
  readonly log: readonly string[]
}

const pageOf = (bank: Bank, keys: readonly number[]): Promise<Reply> =>
  bank.ask({ path: `Account?$filter="ID in [${keys.join()}]"&$orderby=ID` })
const listsOf = (found: readonly FoundAccount[]): HistoryDone['read'] =>
  found.map(({ __KEY, log }) => [Number(__KEY), log])

async function readPage(bank: Bank, keys: readonly number[]): Promise<Outcome> {
  const reply = await pageOf(bank, keys)
  if (reply.status !== 200) return outcomeOf(reply, [], [])
  const found: readonly FoundAccount[] = reply.body.__ENTITIES
  const sum = found.reduce((total, { balance }) => total + balance, 0)
  return { ...outcomeOf(reply, [], listsOf(found)), sum }
}

async function transfer(bank: Bank, from: number, to: number, amount: number): Promise<Outcome> {
  const path = '$catalog/transfer'
  return outcomeOf(await bank.ask({ method: 'POST', path, body: [from, to, amount] }), [], [])
}

async function appendByBatch(bank: Bank, id: string, keys: readonly number[]): Promise<Outcome> {
  const page = await pageOf(bank, keys)
  if (page.status !== 200) return outcomeOf(page, [], [])
  const found: readonly FoundAccount[] = page.body.__ENTITIES
  const items = found.flatMap(({ __KEY, __STAMP, log }) => [
    { __KEY, __STAMP, log: [...log, `${id} half`] },
    { __KEY, __STAMP: __STAMP + 1, log: [...log, id] },
  ])
  const reply = await bank.ask({ method: 'POST', path: 'Account?$atomic=true', body: items })
  return outcomeOf(reply, keys, listsOf(found))
}

async function appendByFunction(bank: Bank, asked: Append): Promise<Outcome> {
  const reply = await bank.ask({ method: 'POST', path: '$catalog/append', body: [asked] })
  const outcome = outcomeOf(reply, asked.append, reply.status === 200 ? reply.body.result : [])
  // The function throws an error without a code, which is answered with 500.
  if (!asked.isRefused) return outcome
  return reply.status === 200
    ? { ...outcome, problem: 'a refused function answered 200' }
    : {
        ...outcome,
        problem: null,
      }
}

/** A request that conflicts until it is given up (503) is not stored. */
const REFUSED = [400, 409, 422, 423, 503]
/** engineUnavailable: the database may have stored the request before it was lost. */
const UNAVAILABLE = 9123

function outcomeOf(
  { status, body }: Reply,
  appended: readonly number[],
  read: HistoryDone['read'],
): Outcome {
  const isCommitted = status === 200
  const isUnknown = status === 503 && body.__ERROR[0].errCode === UNAVAILABLE
  return {
    outcome: isCommitted ? 'committed' : isUnknown ? 'unknown' : 'refused',
    appended,
    read: isCommitted ? read : [],
    sum: null,
    problem: isCommitted || REFUSED.includes(status) ? null : `${status} ${JSON.stringify(body)}`,
  }
}
