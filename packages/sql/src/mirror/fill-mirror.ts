import type { ClassModel, EntiaError } from '@entia/core'
import { overBudget } from '@entia/core/internal'
import type { SqlConnection, SqlPool } from '../connect/port.ts'
import type { Dataset } from '../schema/dataset.ts'
import { beginSnapshot } from '../schema/entia-tables.ts'
import { RECORD, type SqlModel, type SqlTable } from '../schema/sql-model.ts'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { blockSql, type MirrorBlock, readBlock } from './mirror-blocks.ts'
import { COMMITS_OF_PAGE, changesAfter, type MirrorPage, placeSql } from './mirror-changes.ts'
import { type Break, MirrorContents, type MirrorContentsOptions } from './mirror-contents.ts'

/** Of what the contents of a mirror are made. */
export interface FillingOptions extends Omit<MirrorContentsOptions, 'catalog' | 'id'> {
  readonly pool: SqlPool
  readonly model: SqlModel
  readonly dataset: Dataset
  readonly maxEntities: number
}

interface Filling {
  /** Called between the pieces: throws if the contents are of no use any more. */
  readonly check: () => void
  /** Called when the database has answered what was committed since. */
  readonly heard: () => void
}

/**
 * Contents that have what was committed until now; null if they cannot go on from their snapshot.
 * Throws budgetExceeded for too many entities, and what `check` throws.
 */
export async function currentContents(
  options: FillingOptions,
  { check, heard }: Filling,
): Promise<MirrorContents | null> {
  const { pool, model, classes, nextSlice } = options
  const contents = await fillMirror(options, check)
  let isCurrent = false
  try {
    while (!isCurrent) {
      const page = await changesAfter(pool, model, classes, contents.place)
      heard()
      const broken = await takePage(options, contents, page)
      if (broken !== null && broken !== 'sparse') return null
      isCurrent = page.commits.length < COMMITS_OF_PAGE
      if (!isCurrent) await nextSlice()
    }
    return contents
  } finally {
    if (!isCurrent) contents.close()
  }
}

/** What keeps contents from being shown after a page. Throws for too many entities. */
export async function takePage(
  {
    dataset,
    maxEntities,
    nextSlice,
  }: Pick<FillingOptions, 'dataset' | 'maxEntities' | 'nextSlice'>,
  contents: MirrorContents,
  page: MirrorPage,
): Promise<Break | null> {
  dataset.note(page.globalStamp)
  if (contents.store.id !== dataset.id) return 'epoch'
  const broken = await contents.take(page, nextSlice)
  if (contents.entities > maxEntities) throw tooMany(maxEntities)
  return broken
}

export const tooMany = (limit: number): EntiaError =>
  overBudget('entities to be mirrored', limit, 'mirror.maxEntities')

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
function fillMirror(options: FillingOptions, check: Filling['check']): Promise<MirrorContents> {
  const { pool, model, dataset, classes, maxEntities, nextSlice } = options
  return pool.connect(async (connection) => {
    const [head] = await beginSnapshot(connection, model.schema, [
      statementOf(
        sql`SELECT g.stamp, g.commit_id, g.migrations FROM ${placeSql(model, sql`s.stamp`)}`,
      ),
    ])
    const [globalStamp, commitId, migrations] = head!.rows[0]!
    const place = {
      globalStamp: Number(globalStamp),
      commitId: commitId as string | null,
      migrations: Number(migrations),
    }
    dataset.note(place.globalStamp)
    const { catalog } = model
    const contents = new MirrorContents({ ...options, catalog, id: dataset.id }, place)
    const proceed = async (): Promise<void> => {
      if (contents.entities > maxEntities) throw tooMany(maxEntities)
      check()
      await nextSlice()
    }
    try {
      for (const dataClass of classes)
        await fillClass(connection, model, contents, dataClass, proceed)
    } catch (error) {
      contents.close()
      throw error
    }
    return contents
  })
}

/** Calls `proceed` after each piece: it may throw, and it lets others run. */
async function fillClass(
  connection: SqlConnection,
  model: SqlModel,
  contents: MirrorContents,
  dataClass: ClassModel,
  proceed: () => Promise<void>,
): Promise<void> {
  const counts = new SqlName(model.schema, 'entia_class')
  const table = model.tables[dataClass.ordinal]!
  const filled = contents.tableOf(dataClass)
  const [found] = await connection.send([
    statementOf(
      sql`SELECT (SELECT max(t.${RECORD}) FROM ${table.name} AS t), (SELECT c.members FROM ${counts} AS c WHERE c.class = ${dataClass.name}::text)`,
    ),
  ])
  const [highest, members] = found!.rows[0]!
  filled.begin(
    Math.max(-1, Number(highest ?? -1) - LATE_RECORDS),
    Number(members ?? 0) + LATE_RECORDS,
  )
  for await (const block of blocksOf(connection, table, contents.guard.refuse)) {
    contents.fill(filled, block)
    await proceed()
    for (const _ of filled.tidy()) await proceed()
  }
  for (const _ of filled.finish()) await proceed()
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
