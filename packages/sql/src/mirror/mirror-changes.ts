import type { ClassModel, StorageAttribute } from '@entia/core'
import { coerceInput, createMediaElsewhere, Refusal, type StoredValue } from '@entia/core/internal'
import { ReplicaState } from '@entia/engine'
import type { SqlPool } from '../connect/port.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'

/** A change of a mirrored entity, as the change table has it. */
export interface MirrorChange {
  readonly dataClass: ClassModel
  readonly key: string | number
  readonly kind: 'insert' | 'update' | 'remove'
  /** Null if the database has lost the row since. */
  readonly record: number | null
  readonly stamp: number
  readonly timestamp: number
  /** The attributes that were written, all of a new entity; null for a removed one. */
  readonly written: { readonly [attribute: string]: unknown } | null
}

/** One commit, with its changes of mirrored dataclasses. */
export interface MirrorCommit {
  readonly globalStamp: number
  readonly id: string
  readonly changes: readonly MirrorChange[]
  /** The ids of the replicas whose batches it decides. */
  readonly replicas: readonly string[]
}

/** Where a mirror is: the last commit that it has. */
export interface MirrorPlace {
  readonly globalStamp: number
  /** Null if the commit is no longer kept. It tells a database that has lost commits. */
  readonly commitId: string | null
  /** `entia_store.migrations`. */
  readonly migrations: number
}

/** What the database has behind a place. */
export interface MirrorPage {
  /** The last commit of the database. */
  readonly globalStamp: number
  readonly migrations: number
  /** Changes up to this global stamp may have been deleted. */
  readonly trimmed: number
  /** The id of the commit at the place that was given. */
  readonly commitId: string | null
  /** In order, at most `COMMITS_OF_PAGE`. */
  readonly commits: readonly MirrorCommit[]
}

export const COMMITS_OF_PAGE = 500

/** The row of the store with the id of the commit at a global stamp: a part of `MirrorPlace`. */
export const placeSql = ({ schema }: SqlModel, globalStamp: Sql): Sql => {
  const commits = new SqlName(schema, 'entia_commit')
  return sql`(SELECT s.stamp, s.migrations, (SELECT c.id FROM ${commits} AS c WHERE c.stamp = ${globalStamp}) AS commit_id FROM ${new SqlName(schema, 'entia_store')} AS s) AS g`
}

/** The commits behind a place. One round trip. Cost: O(changes). */
export async function changesAfter(
  pool: SqlPool,
  model: SqlModel,
  classes: readonly ClassModel[],
  { globalStamp: since }: MirrorPlace,
): Promise<MirrorPage> {
  const name = (table: string): SqlName => new SqlName(model.schema, table)
  const names = [...classes.map(({ name }) => name), ReplicaState.name]
  const some = sql`SELECT c.id, c.stamp FROM ${name('entia_commit')} AS c WHERE c.stamp > ${since}::bigint AND c.stamp <= g.stamp ORDER BY c.stamp LIMIT ${COMMITS_OF_PAGE}::bigint`
  const changes = sql`SELECT c.stamp AS at, c.id, e.ord, e.class, e.key, e.kind, e.record, e.stamp, e.timestamp, e.written FROM (${some}) AS c LEFT JOIN ${name('entia_change')} AS e ON e.commit_id = c.id AND e.class = ANY (${names}::text[])`
  const { rows } = await pool.query(
    statementOf(
      sql`SELECT g.stamp, g.migrations, g.commit_id, h.changes_until, c.at, c.id, c.class, c.key, c.kind, c.record, c.stamp, c.timestamp, c.written FROM ${placeSql(model, sql`${since}::bigint`)} CROSS JOIN ${name('entia_history')} AS h LEFT JOIN LATERAL (${changes}) AS c ON TRUE ORDER BY c.at, c.ord`,
    ),
  )
  const [globalStamp, migrations, commitId, trimmed] = rows[0]!
  return {
    globalStamp: Number(globalStamp),
    migrations: Number(migrations),
    trimmed: Number(trimmed),
    commitId: commitId as string | null,
    commits: commitsOf(
      new Map(classes.map((each) => [each.name, each])),
      rows.map((row) => row.slice(4)),
    ),
  }
}

function commitsOf(
  classes: ReadonlyMap<string, ClassModel>,
  rows: readonly (readonly unknown[])[],
): readonly MirrorCommit[] {
  const commits: (MirrorCommit & {
    readonly changes: MirrorChange[]
    readonly replicas: string[]
  })[] = []
  for (const [at, id, name, key, kind, record, stamp, timestamp, written] of rows) {
    if (at === null) continue
    const globalStamp = Number(at)
    let commit = commits.at(-1)
    if (commit?.globalStamp !== globalStamp)
      commits.push((commit = { globalStamp, id: String(id), changes: [], replicas: [] }))
    if (name === null) continue
    if (name === ReplicaState.name) commit.replicas.push(String(key))
    const dataClass = classes.get(String(name))
    if (dataClass === undefined) continue
    const { type } = dataClass.key
    commit.changes.push({
      dataClass,
      key: type === 'string' || type === 'uuid' ? String(key) : Number(key),
      kind: kind as MirrorChange['kind'],
      record: record === null ? null : Number(record),
      stamp: Number(stamp),
      timestamp: Number(timestamp),
      written: written === null ? null : JSON.parse(String(written)),
    })
  }
  return commits
}

/**
 * The stored value of an attribute of the change table; undefined for one that does not fit the
 * model. `refuse` is called for the content of images and BLOBs.
 */
export function writtenValue(
  { type, dateOnly }: StorageAttribute,
  given: unknown,
  refuse: () => never,
): StoredValue | undefined {
  if (given == null) return null
  if (type === 'image' || type === 'blob') {
    const { mediaType, size } = given as { readonly mediaType: string; readonly size: number }
    return createMediaElsewhere(mediaType, size, refuse)
  }
  const value = coerceInput(type, dateOnly, given)
  return value instanceof Refusal ? undefined : (value as StoredValue)
}
