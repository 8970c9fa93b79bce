import type { ClassModel } from '@entia/core'
import type { SqlPool } from '../connect/port.ts'
import { RECORD } from '../schema/row-sql.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN_SNAPSHOT } from '../sql-builder/transaction.ts'
import { type MirrorPlace, placeSql } from './mirror-changes.ts'
import type { MirrorContents } from './mirror-contents.ts'
import { mirrorColumns, readMirrorRow } from './mirror-rows.ts'

export interface FillOptions {
  readonly pool: SqlPool
  readonly model: SqlModel
  readonly classes: readonly ClassModel[]
  /** Makes the contents, empty, when the place of the snapshot is known. */
  readonly create: (place: MirrorPlace) => MirrorContents
  /** Called after each piece: it may throw, and it lets others run. */
  readonly proceed: (contents: MirrorContents) => Promise<void>
}

/** Entities of one statement: a piece of work that other requests wait for. */
const ROWS = 1000
/**
 * A record number is given before its commit. So far below the highest number that a snapshot has,
 * further ones may come later.
 */
const LATE_RECORDS = 10_000

/**
 * Reads some dataclasses as of one moment of the database. Other requests run between the pieces.
 * Cost: one round trip per 1000 entities. Memory: that of the contents.
 */
export function fillMirror({
  pool,
  model,
  classes,
  create,
  proceed,
}: FillOptions): Promise<MirrorContents> {
  return pool.connect(async (connection) => {
    const [, head] = await connection.send([
      BEGIN_SNAPSHOT,
      statementOf(
        sql`SELECT g.stamp, g.commit_id, g.migrations FROM ${placeSql(model, sql`s.stamp`)}`,
      ),
    ])
    const [globalStamp, commitId, migrations] = head!.rows[0]!
    const contents = create({
      globalStamp: Number(globalStamp),
      commitId: commitId as string | null,
      migrations: Number(migrations),
    })
    for (const dataClass of classes) {
      const table = model.tables[dataClass.ordinal]!
      const [highest] = await connection.send([
        statementOf(sql`SELECT max(t.${RECORD}) FROM ${table.name} AS t`),
      ])
      contents.begin(dataClass, Math.max(-1, Number(highest!.rows[0]![0] ?? -1) - LATE_RECORDS))
      for (let last = -1; ; ) {
        const [page] = await connection.send([
          statementOf(
            sql`SELECT ${mirrorColumns(table)} FROM ${table.name} AS t WHERE t.${RECORD} > ${last}::bigint ORDER BY t.${RECORD} LIMIT ${ROWS}::bigint`,
          ),
        ])
        const rows = page!.rows.map((row) => readMirrorRow(table, row, contents.guard.refuse))
        contents.fill(dataClass, rows)
        await proceed(contents)
        if (rows.length < ROWS) break
        last = rows.at(-1)!.record
      }
    }
    return contents
  })
}
