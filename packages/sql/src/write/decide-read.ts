import type { ClassModel } from '@entia/core'
import { decide, type Fetched, type Missing, type WorkingStore } from '@entia/engine'
import type { SqlRows } from '../connect/port.ts'
import { SharedTrips, type Waiting } from '../connect/turns.ts'
import { beginSnapshot, readStamp, storeRow } from '../schema/entia-tables.ts'
import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { COMMIT } from '../sql-builder/transaction.ts'
import type { Concluded, Decided, DeciderOptions } from './decided.ts'
import { missingSql } from './missing-sql.ts'

/**
 * Decides about facts of one snapshot; what the body writes is dropped. Each round trip asks for
 * everything that is known to be needed, in a snapshot of its own, so that no transaction stays
 * open between them: as many as the body has reads that depend on each other. Throws what fetching
 * and the body throw.
 */
export async function decideRead<R>(
  { pool, model, dataset, maxRows }: DeciderOptions,
  entities: EntityFacts,
  { name, predicted, first, body, maxRuns }: Omit<Decided<R>, 'session'>,
  working: WorkingStore,
): Promise<Concluded<R>> {
  const needed: Missing[] = []
  let seen: number | null = null
  const fetch = async (missing: readonly Missing[]): Promise<Fetched> => {
    for (const each of missing) needed.push(each)
    const shared = first === undefined ? entities.fetch(needed) : null
    const facts = await (shared ?? fetchAll(needed))
    seen = facts.globalStamp
    // Facts of an earlier snapshot.
    working.forgetFacts()
    return facts
  }
  const fetchAll = async (needed: readonly Missing[]): Promise<Fetched> => {
    const questions = [
      ...(first === undefined ? [] : [first]),
      ...missingSql(model, needed, null, maxRows),
    ]
    const selects = questions.map(({ select }) => statementOf(select))
    const [stamp, ...results] = await pool.connect((connection) =>
      beginSnapshot(connection, model.schema, [readStamp(model.schema), ...selects, COMMIT]),
    )
    const globalStamp = stampOf(stamp!)
    dataset.note(globalStamp)
    return {
      found: questions.flatMap((question, at) => question.read(results[at]!)),
      globalStamp,
    }
  }
  const isBlank = predicted.length === 0 && first === undefined
  const given = isBlank ? undefined : await fetch(predicted)
  let decision = await decide(working, body, { name, fetch, given, maxRuns })
  // An answer that needed no facts says nothing of the moment it is as of: it is made again.
  if (decision.kind === 'returned' && seen === null)
    decision = await decide(working, body, { name, fetch, given: await fetch([]), maxRuns })
  if (decision.kind === 'thrown') throw decision.error
  return { value: decision.value, globalStamp: seen! }
}

/** Round trips of one dataclass that are under way at the same time. */
const MAX_UNDER_WAY = 2
/** Entities that one of them fetches for several reads. */
const MAX_SHARED = 64

type Trips = SharedTrips<readonly Missing[], Fetched>
type Caller = Waiting<readonly Missing[], Fetched>

/**
 * Fetches entities of one dataclass by their keys, for reads that need nothing else yet. Those that
 * come while others are on their way share a statement, which is a snapshot by itself.
 */
export class EntityFacts {
  readonly #options: DeciderOptions
  readonly #trips = new Map<ClassModel, Trips>()

  constructor(options: DeciderOptions) {
    this.#options = options
  }

  /** Null if something else is missing, too. Rejects with what fetching throws. */
  fetch(missing: readonly Missing[]): Promise<Fetched> | null {
    const [first] = missing
    if (first?.kind !== 'entity') return null
    const { dataClass } = first
    if (missing.some((each) => each.kind !== 'entity' || each.dataClass !== dataClass)) return null
    const { after, shared } = this.#options
    let trips = this.#trips.get(dataClass)
    if (trips === undefined) {
      const take = (waiting: readonly Caller[]) => this.#takeGroup(waiting)
      const send = (group: readonly Caller[]) => this.#send(group)
      this.#trips.set(
        dataClass,
        (trips = new SharedTrips({ after, most: MAX_UNDER_WAY, take, send })),
      )
    }
    const joined = trips
    return shared.joined(() => joined.join(missing))
  }

  /** The first that wait, as many as may share a statement. */
  #takeGroup(waiting: readonly Caller[]): [Caller[], Caller[]] {
    const most = Math.min(MAX_SHARED, this.#options.maxRows)
    let count = 0
    const found = waiting.findIndex(({ item }, at) => {
      count += item.length
      return at > 0 && count > most
    })
    const end = found < 0 ? waiting.length : found
    return [waiting.slice(0, end), waiting.slice(end)]
  }

  async #send(group: readonly Caller[]): Promise<void> {
    const { shared, model, dataset, maxRows } = this.#options
    const missing = group.flatMap(({ item }) => item)
    const [question] = missingSql(model, missing, null, maxRows)
    const { select, read } = question!
    const statement = sql`SELECT g.stamp, e.* FROM ${storeRow(model.schema)} LEFT JOIN LATERAL (${select}) AS e ON TRUE`
    const result = await shared.pool.query(statementOf(statement))
    const globalStamp = stampOf(result)
    dataset.note(globalStamp)
    // One row without a record if there is none of them.
    const rows = result.rows.flatMap((row) => (row[1] === null ? [] : [row.slice(1)]))
    const found = read({ ...result, rows })
    let from = 0
    for (const { item, resolve } of group) {
      const to = from + item.length
      resolve({ found: found.slice(from, to), globalStamp })
      from = to
    }
  }
}

const stampOf = ({ rows }: SqlRows): number => Number(rows[0]![0])
