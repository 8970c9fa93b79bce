import type { ClassModel } from '@entia/core'
import { decide, type Fetched, type Missing, type WorkingStore } from '@entia/engine'
import type { SqlPool, SqlRows, Statement } from '../connect/port.ts'
import { Turns } from '../connect/turns.ts'
import type { SharedPool } from '../measure/measured-pool.ts'
import { storeRow } from '../schema/entia-tables.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN_SNAPSHOT, COMMIT } from '../sql-builder/transaction.ts'
import type { Concluded, Decided, DeciderOptions } from './decided.ts'
import { missingSql } from './missing-sql.ts'

/**
 * Decides about facts of one snapshot; what the body writes is dropped. Each round trip asks for
 * everything that is known to be needed, in a snapshot of its own, so that no transaction stays
 * open between them: as many as the body has reads that depend on each other. Throws what fetching
 * and the body throw.
 */
export async function decideRead<R>(
  { pool, model, dataset, maxRows }: DeciderOptions & { readonly pool: SqlPool },
  entities: EntityFacts,
  { name, predicted, first, body, maxRuns }: Omit<Decided<R>, 'session'>,
  working: WorkingStore,
): Promise<Concluded<R>> {
  const needed: Missing[] = []
  let seen: number | null = null
  const fetch = async (missing: readonly Missing[]): Promise<Fetched> => {
    for (const each of missing) needed.push(each)
    const shared = first === undefined ? entities.fetch(needed) : null
    if (shared !== null) {
      const facts = await shared
      seen = facts.globalStamp
      // Facts of an earlier snapshot.
      working.forgetFacts()
      return facts
    }
    const questions = [
      ...(first === undefined ? [] : [first]),
      ...missingSql(model, needed, null, maxRows),
    ]
    const selects = questions.map(({ select }) => statementOf(select))
    const [, stamp, ...results] = await pool.connect((connection) =>
      connection.send([BEGIN_SNAPSHOT, stampStatement(model), ...selects, COMMIT]),
    )
    seen = stampOf(stamp!)
    dataset.note(seen)
    working.forgetFacts()
    return {
      found: questions.flatMap((question, at) => question.read(results[at]!)),
      globalStamp: seen,
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

interface Waiting {
  readonly missing: readonly Missing[]
  readonly resolve: (facts: Fetched) => void
  readonly reject: (error: unknown) => void
}

/**
 * Fetches entities of one dataclass by their keys, for reads that need nothing else yet. Those that
 * come while others are on their way share a statement, which is a snapshot by itself.
 */
export class EntityFacts {
  readonly #options: DeciderOptions & { readonly shared: SharedPool }
  readonly #byClass = new Map<ClassModel, { readonly turns: Turns; waiting: Waiting[] }>()

  constructor(options: DeciderOptions & { readonly shared: SharedPool }) {
    this.#options = options
  }

  /** Null if something else is missing, too. Rejects with what fetching throws. */
  fetch(missing: readonly Missing[]): Promise<Fetched> | null {
    const [first] = missing
    if (first?.kind !== 'entity') return null
    const { dataClass } = first
    if (missing.some((each) => each.kind !== 'entity' || each.dataClass !== dataClass)) return null
    const { after, shared } = this.#options
    const of = this.#byClass.get(dataClass) ?? {
      turns: new Turns(after, MAX_UNDER_WAY),
      waiting: [],
    }
    this.#byClass.set(dataClass, of)
    const begin = () => (of.waiting.length === 0 ? null : this.#send(this.#takeGroup(of.waiting)))
    return shared.joined(
      () =>
        new Promise((resolve, reject) => {
          of.waiting.push({ missing, resolve, reject })
          of.turns.go(begin)
        }),
    )
  }

  /** The first that wait, as many as may share a statement. */
  #takeGroup(waiting: Waiting[]): readonly Waiting[] {
    const most = Math.min(MAX_SHARED, this.#options.maxRows)
    let count = 0
    const end = waiting.findIndex(({ missing }, at) => {
      count += missing.length
      return at > 0 && count > most
    })
    return waiting.splice(0, end < 0 ? waiting.length : end)
  }

  /** Never rejects. */
  async #send(group: readonly Waiting[]): Promise<void> {
    const { shared, model, dataset, maxRows } = this.#options
    try {
      const missing = group.flatMap((each) => each.missing)
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
      for (const each of group) {
        const to = from + each.missing.length
        each.resolve({ found: found.slice(from, to), globalStamp })
        from = to
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
}

/** The global stamp. */
const stampStatement = ({ schema }: SqlModel): Statement =>
  statementOf(sql`SELECT g.stamp FROM ${storeRow(schema)}`)
const stampOf = ({ rows }: SqlRows): number => Number(rows[0]![0])
