import type { CommitNotice, RecordChange } from '@entia/core'
import type { SqlPool } from '../connect/port.ts'
import { readStamp, storeRow } from '../schema/entia-tables.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'

/** A commit as far as live queries need it. */
export interface CommitHead {
  readonly globalStamp: number
  /** Names of the dataclasses that it changed. */
  readonly classes: readonly string[]
}
export interface CommitHeads {
  /** Every commit up to this global stamp is visible. */
  readonly globalStamp: number
  /** Commits up to this global stamp may have been deleted. */
  readonly trimmed: number
  /** The visible commits after the one asked for, in order; the first `MAX_HEADS` of them. */
  readonly heads: readonly CommitHead[]
}
/** Commits that one statement reads. */
export const MAX_HEADS = 1000

/** Some commits with their changes. */
export interface CommitPage {
  readonly globalStamp: number
  /** Changes up to this global stamp may have been deleted. */
  readonly trimmed: number
  /** With those that changed no entity. */
  readonly commits: readonly CommitNotice[]
}

/** The commits of a dataset as the database keeps them. Each call is one round trip. */
export class CommitLog {
  readonly #pool: SqlPool
  readonly #model: SqlModel

  constructor(pool: SqlPool, model: SqlModel) {
    this.#pool = pool
    this.#model = model
  }

  /** The global stamp up to which every commit is visible. */
  async globalStamp(): Promise<number> {
    const { rows } = await this.#pool.query(readStamp(this.#model.schema))
    return Number(rows[0]![0])
  }

  /** What was committed after a global stamp. Cost: O(commits since). */
  async headsSince(since: number): Promise<CommitHeads> {
    const heads = sql`SELECT c.stamp, array_to_json(c.classes) AS classes FROM ${this.#name('entia_commit')} AS c WHERE c.stamp > ${since}::bigint ORDER BY c.stamp LIMIT ${MAX_HEADS}::bigint`
    const { rows } = await this.#pool.query(
      statementOf(
        sql`SELECT g.stamp, h.commits_until, c.stamp, c.classes FROM ${storeRow(this.#model.schema)} CROSS JOIN ${this.#name('entia_history')} AS h LEFT JOIN LATERAL (${heads}) AS c ON TRUE ORDER BY c.stamp`,
      ),
    )
    const [globalStamp, trimmed] = rows[0]!
    return {
      globalStamp: Number(globalStamp),
      trimmed: Number(trimmed),
      heads: rows
        .filter(([, , stamp]) => stamp !== null)
        .map(([, , stamp, classes]) => ({
          globalStamp: Number(stamp),
          classes: JSON.parse(String(classes)) as string[],
        })),
    }
  }

  /** True if no commit after a global stamp, as far as they are visible, changed a dataclass. */
  async isUnchanged(since: number, classes: ReadonlySet<string> | null): Promise<boolean> {
    const isRelevant = classes === null ? sql`TRUE` : sql`c.classes && ${[...classes]}::text[]`
    const { rows } = await this.#pool.query(
      statementOf(
        sql`SELECT h.commits_until, EXISTS (SELECT FROM ${this.#name('entia_commit')} AS c WHERE c.stamp > ${since}::bigint AND ${isRelevant}) FROM ${this.#name('entia_history')} AS h`,
      ),
    )
    const [trimmed, isChanged] = rows[0]!
    return Number(trimmed) <= since && isChanged === false
  }

  /**
   * The global stamp of the last commit that changed an entity; 0 if its changes are no longer
   * kept. Cost: O(commits since).
   */
  async lastChange(dataClass: string, key: string): Promise<number> {
    const own = sql`SELECT FROM ${this.#name('entia_change')} AS e WHERE e.commit_id = c.id AND e.class = ${dataClass}::text AND e.key = ${key}::text`
    const { rows } = await this.#pool.query(
      statementOf(
        sql`SELECT c.stamp FROM ${this.#name('entia_commit')} AS c WHERE c.stamp IS NOT NULL AND ${dataClass}::text = ANY (c.classes) AND EXISTS (${own}) ORDER BY c.stamp DESC LIMIT 1`,
      ),
    )
    return Number(rows[0]?.[0] ?? 0)
  }

  /**
   * The commits after a global stamp that no later one can precede, in order, at most `limit` of
   * them. Cost: O(changes).
   */
  async commitsSince(since: number, limit: number): Promise<CommitPage> {
    const { schema } = this.#model
    const some = sql`SELECT c.id, c.stamp FROM ${this.#name('entia_commit')} AS c WHERE c.stamp > ${since}::bigint AND c.stamp <= g.stamp ORDER BY c.stamp LIMIT ${limit}::bigint`
    const changes = sql`SELECT c.stamp, e.ord, e.class, e.key, e.kind, e.replaced, e.written FROM (${some}) AS c LEFT JOIN ${this.#name('entia_change')} AS e ON e.commit_id = c.id`
    const { rows } = await this.#pool.query(
      statementOf(
        sql`SELECT g.stamp, h.changes_until, c.stamp, c.class, c.key, c.kind, c.replaced, c.written FROM ${storeRow(schema)} CROSS JOIN ${this.#name('entia_history')} AS h LEFT JOIN LATERAL (${changes}) AS c ON TRUE ORDER BY c.stamp, c.ord`,
      ),
    )
    const [globalStamp, trimmed] = rows[0]!
    return {
      globalStamp: Number(globalStamp),
      trimmed: Number(trimmed),
      commits: this.#commitsOf(rows.map((row) => row.slice(2))),
    }
  }

  #commitsOf(rows: readonly (readonly unknown[])[]): readonly CommitNotice[] {
    const commits = new Map<number, RecordChange[]>()
    for (const [stamp, ...change] of rows) {
      if (stamp === null) continue
      const globalStamp = Number(stamp)
      let changes = commits.get(globalStamp)
      if (changes === undefined) commits.set(globalStamp, (changes = []))
      if (change[0] !== null) changes.push(this.#changeOf(globalStamp, change))
    }
    return Array.from(commits, ([globalStamp, changes]) =>
      Object.freeze({ globalStamp, changes: Object.freeze(changes) }),
    )
  }

  /** A dataclass that the model no longer has keeps its key as text. */
  #changeOf(
    globalStamp: number,
    [name, key, kind, replaced, written]: readonly unknown[],
  ): RecordChange {
    const dataClass = String(name)
    const type = this.#model.catalog.byName.get(dataClass)?.key.type
    const isText = type === undefined || type === 'string' || type === 'uuid'
    return Object.freeze({
      globalStamp,
      dataClass,
      key: isText ? String(key) : Number(key),
      kind: kind as RecordChange['kind'],
      before: valuesOf(replaced),
      after: valuesOf(written),
    })
  }

  #name(table: string): SqlName {
    return new SqlName(this.#model.schema, table)
  }
}

const valuesOf = (json: unknown): { readonly [attribute: string]: unknown } | null =>
  json === null ? null : Object.freeze(JSON.parse(String(json)) as { [attribute: string]: unknown })
