import { setTimeout as wait } from 'node:timers/promises'
import { randomOf } from '../../../../scripts/long/random.mjs'
import { isLostConnection } from '../../src/connect/database-error.ts'
import type { SqlPool, SqlRows } from '../../src/connect/port.ts'
import { statementOfText } from '../../src/sql-builder/statement.ts'
import type { Asked, BankPlace, Reply } from '../races/bank.ts'
import type { Child } from '../races/child.ts'
import { type Final, wrongIn } from '../races/histories.ts'
import { createAccounts } from '../races/races.ts'
import type { Cluster, Failure } from './cluster.ts'
import { digestOf, type FollowedCommit, type LoadDone } from './load.ts'
import type { Order } from './process.ts'

export interface RoundOptions {
  readonly cluster: Cluster
  readonly place: BankPlace
  /** Reads what is stored, at the primary. */
  readonly pool: SqlPool
  readonly servers: readonly Child[]
  readonly round: number
  readonly seed: number
  readonly failure: Failure
}

export interface RoundDone {
  readonly problems: readonly string[]
  /** From the promotion to the first acknowledged change, the later process. */
  readonly firstCommit: number
  readonly counts: { readonly [what: string]: number }
}

const HISTORIES = 6
const ACCOUNTS = 3
const LOAD_MILLISECONDS = 1200
/** Acknowledged changes of each process that end a round. */
const COMMITS_AFTER = 30
const MAX_WAIT_MILLISECONDS = 30_000

/** One failover under load: everything that was acknowledged must be there afterwards. */
export async function failover(options: RoundOptions): Promise<RoundDone> {
  const { cluster, servers, round, seed } = options
  const asker = {
    ask: (asked: readonly Asked[]) => tell<Reply[]>(servers[0]!, { kind: 'ask', asked }),
  }
  const keys = await createAccounts(asker, HISTORIES * ACCOUNTS + servers.length)
  const histories = Array.from({ length: HISTORIES }, (_, at) =>
    keys.slice(at * ACCOUNTS, (at + 1) * ACCOUNTS),
  )
  const locked = keys.slice(HISTORIES * ACCOUNTS)
  const since = await lastStamp(options)
  const values = `r${round}.`
  for (const [process, server] of servers.entries()) {
    const plan = { seed: seed + round, process, histories, locked: locked[process]!, values, since }
    await tell(server, { kind: 'start', plan })
  }
  const random = randomOf(seed + round)
  await wait(LOAD_MILLISECONDS + random() * 400)
  const isCutOff = options.failure === 'cut off'
  // Reads of what changes from now on are the primary's. A paused standby cannot be cut off.
  if (round % 4 === 2 && !isCutOff) await cluster.pauseReplay()
  await wait(random() * 300)
  // Then commits wait for the standby, or, without a synchronous one, get lost.
  if (round % 2 === 1 && !isCutOff) await cluster.cutReplication()
  await wait(random() * 400)
  await cluster.failPrimary(options.failure)
  await wait(random() * 1500)
  cluster.promote()
  const promoted = Number(process.hrtime.bigint())
  const before = await Promise.all(
    servers.map((server) => tell<number>(server, { kind: 'commits' })),
  )
  await until(async () => {
    const now = await Promise.all(
      servers.map((server) => tell<number>(server, { kind: 'commits' })),
    )
    return now.every((count, at) => count >= before[at]! + COMMITS_AFTER)
  })
  const done = await Promise.all(servers.map((server) => tell<LoadDone>(server, { kind: 'stop' })))
  const problems = [
    ...done.flatMap(({ problems }) => problems),
    ...(await wrongHistories(options, done, histories)),
    ...(await wrongInsertions(options, done, values)),
    ...(await wrongStamps(options, done, since)),
    ...(await wrongLocks(options, done, locked)),
  ]
  const firsts = done.map(({ history }) =>
    Math.min(
      ...history
        .filter(
          ({ outcome, appended, ended }) =>
            outcome === 'committed' && appended.length > 0 && ended > promoted,
        )
        .map(({ ended }) => (ended - promoted) / 1e6),
    ),
  )
  const counts: { [what: string]: number } = {}
  for (const each of done)
    for (const [what, count] of Object.entries(each.counts))
      counts[what] = (counts[what] ?? 0) + count
  return { problems, firstCommit: Math.max(...firsts), counts }
}

export const tell = <T>(server: Child, order: Order): Promise<T> => server.tell<T>(order)

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < MAX_WAIT_MILLISECONDS; waited += 100) {
    if (await condition()) return
    await wait(100)
  }
  throw new Error(`The condition was not met within ${MAX_WAIT_MILLISECONDS} ms.`)
}

/** The data that the primary has stored. The connection may still be one to the old primary. */
export async function rows(
  { pool, place }: Pick<RoundOptions, 'pool' | 'place'>,
  text: string,
  ...values: (string | number)[]
): Promise<SqlRows['rows']> {
  const statement = statementOfText(text.replaceAll('$schema', `"${place.schema}"`), values)
  const answer = pool.query(statement).catch((error: unknown) => {
    if (!isLostConnection(error)) throw error
    return pool.query(statement)
  })
  return (await answer).rows
}

const lastStamp = async (options: RoundOptions): Promise<number> =>
  Number(
    (
      await rows(
        options,
        'SELECT greatest(s.stamp, (SELECT max(c.stamp) FROM $schema.entia_commit c)) FROM $schema.entia_store s',
      )
    )[0]![0],
  )

/** As elle checks list appends; no part of a transaction may be stored. */
async function wrongHistories(
  options: RoundOptions,
  done: readonly LoadDone[],
  histories: readonly (readonly number[])[],
): Promise<readonly string[]> {
  const [first, last] = [histories[0]![0]!, histories.at(-1)!.at(-1)!]
  const stored = await rows(
    options,
    'SELECT "ID", balance, "log"::text FROM $schema."Account" WHERE "ID" BETWEEN $1 AND $2',
    first,
    last,
  )
  const final = new Map(
    stored.map(([key, balance, log]): [number, Final] => [
      Number(key),
      { balance: Number(balance), log: JSON.parse(String(log)) as string[] },
    ]),
  )
  const half = [...final.values()].flatMap(({ log }) => log.filter((id) => id.endsWith(' half')))
  const all = done.flatMap(({ history }) => history)
  return [
    ...half.map((id) => `stored in part: ${id}`),
    ...histories.flatMap((keys, at) => {
      const own = all.filter(({ history }) => history === at)
      return wrongIn(own, new Map(keys.map((key) => [key, final.get(key)!])))
    }),
  ]
}

/** Each value has at most one holder, and an acknowledged one is stored with its key. */
async function wrongInsertions(
  options: RoundOptions,
  done: readonly LoadDone[],
  values: string,
): Promise<readonly string[]> {
  const stored = await rows(
    options,
    'SELECT "email", "ID" FROM $schema."Account" WHERE starts_with("email", $1)',
    values,
  )
  const keyOf = new Map(stored.map(([email, key]) => [String(email), Number(key)]))
  const problems = keyOf.size === stored.length ? [] : ['a unique value is stored twice']
  for (const { email, status, key } of done.flatMap(({ insertions }) => insertions)) {
    if (key !== null && keyOf.get(email) !== key)
      problems.push(`${email} was acknowledged as ${key} and is ${keyOf.get(email)}`)
    if (status === 409 && !keyOf.has(email)) problems.push(`${email} was refused and has no holder`)
  }
  return problems
}

/** No stamp is used twice, and readers of changes got each commit once and unchanged. */
async function wrongStamps(
  options: RoundOptions,
  done: readonly LoadDone[],
  since: number,
): Promise<readonly string[]> {
  const commits = await rows(
    options,
    `SELECT c.stamp, array_to_json(array_agg(e.class || ' ' || e.key || ' ' || e.kind))::text
      FROM $schema.entia_commit c JOIN $schema.entia_change e ON e.commit_id = c.id
      WHERE c.stamp > $1 GROUP BY c.stamp ORDER BY c.stamp`,
    since,
  )
  const stored = commits.map(
    ([stamp, changes]) => `${stamp} ${digestOf(JSON.parse(String(changes)))}`,
  )
  const last = Number(commits.at(-1)?.[0] ?? since)
  const problems: string[] = []
  for (const [at, server] of options.servers.entries()) {
    const followed = () => tell<readonly FollowedCommit[]>(server, { kind: 'followed' })
    // If it does not get that far, its current state is compared.
    await until(async () => ((await followed()).at(-1)?.globalStamp ?? since) >= last).catch(
      () => {},
    )
    const found = (await followed()).map(({ globalStamp, digest }) => `${globalStamp} ${digest}`)
    const wrong = stored.findIndex((line, place) => line !== found[place])
    if (wrong !== -1 || found.length !== stored.length)
      problems.push(`process ${at} followed ${found.length} of ${stored.length} commits, or others`)
  }
  const acknowledged = done.flatMap(({ stamps }) => stamps)
  const known = new Set(commits.map(([stamp]) => Number(stamp)))
  if (new Set(acknowledged).size < acknowledged.length) problems.push('a stamp was given twice')
  for (const stamp of acknowledged)
    if (!known.has(stamp)) problems.push(`stamp ${stamp} was acknowledged and has no commit`)
  return problems
}

/** Sessions still hold their locks: others are refused, the holder unlocks. */
async function wrongLocks(
  { servers }: RoundOptions,
  done: readonly LoadDone[],
  locked: readonly number[],
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const [at, { cookie }] of done.entries()) {
    const other = servers[(at + 1) % servers.length]!
    const path = `Account(${locked[at]})`
    const asked: readonly Asked[] = [
      { method: 'POST', path: 'Account', body: { __KEY: `${locked[at]}`, balance: 1 } },
    ]
    const [refused] = await tell<Reply[]>(other, { kind: 'ask', asked })
    if (refused!.status !== 423) problems.push(`a write without the lock: ${refused!.status}`)
    const unlocking = [{ path: `${path}?$lock=false`, cookie }]
    const [unlocked] = await tell<Reply[]>(servers[at]!, { kind: 'ask', asked: unlocking })
    if (unlocked!.body.result !== true)
      problems.push(`unlocking: ${unlocked!.status} ${JSON.stringify(unlocked!.body)}`)
  }
  return problems
}
