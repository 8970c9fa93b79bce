import type { ClassModel } from '@entia/core'
import type { SqlConnection, SqlPool } from '../connect/port.ts'
import { RECORD } from '../schema/row-sql.ts'
import type { SqlModel, SqlTable } from '../schema/sql-model.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { BEGIN_SNAPSHOT } from '../sql-builder/transaction.ts'
import { blockSql, type MirrorBlock, readBlock } from './mirror-blocks.ts'
import { type MirrorPlace, placeSql } from './mirror-changes.ts'
import type { MirrorContents } from './mirror-contents.ts'

export interface FillOptions {
  readonly pool: SqlPool
  readonly model: SqlModel
  readonly classes: readonly ClassModel[]
  /** Makes the contents, empty, when the place of the snapshot is known. */
  readonly create: (place: MirrorPlace) => MirrorContents
  /** Called after each piece: it may throw, and it lets others run. */
  readonly proceed: (contents: MirrorContents) => Promise<void>
}

/**
 * A record number is given before its commit. So far below the highest number that a snapshot has,
 * further ones may come later.
 */
const LATE_RECORDS = 10_000

/**
 * Reads some dataclasses as of one moment of the database. Other requests run between the pieces.
 * Cost: one round trip per 2000 entities, and the sorts of the indexes. Memory: that of the
 * contents.
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
    const counts = new SqlName(model.schema, 'entia_class')
    for (const dataClass of classes) {
      const table = model.tables[dataClass.ordinal]!
      const [found] = await connection.send([
        statementOf(
          sql`SELECT (SELECT max(t.${RECORD}) FROM ${table.name} AS t), (SELECT c.members FROM ${counts} AS c WHERE c.class = ${dataClass.name}::text)`,
        ),
      ])
      const [highest, members] = found!.rows[0]!
      contents.begin(
        dataClass,
        Math.max(-1, Number(highest ?? -1) - LATE_RECORDS),
        Number(members ?? 0) + LATE_RECORDS,
      )
      for await (const block of blocksOf(connection, table, contents.guard.refuse)) {
        contents.fill(dataClass, block)
        await proceed(contents)
        for (const _ of contents.tidy(dataClass)) await proceed(contents)
      }
      for (const _ of contents.finish(dataClass)) await proceed(contents)
    }
    return contents
  })
}

/** The entities of a table. The next block is on its way while one is read. */
async function* blocksOf(
  connection: SqlConnection,
  table: SqlTable,
  refuse: () => never,
): AsyncGenerator<MirrorBlock, void> {
  const ask = (after: number) => {
    const asked = connection.send([statementOf(blockSql(table, after))])
    // It may fail while nothing waits for it yet, or any more.
    asked.catch(() => {})
    return asked
  }
  for (let next = ask(-1); ; ) {
    const [page] = await next
    const block = readBlock(table, page!.rows[0]!, refuse)
    if (block === null) return
    next = ask(block.records.at(-1)!)
    yield block
  }
}
