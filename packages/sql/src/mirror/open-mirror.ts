import { type ClassModel, EntiaError } from '@entia/core'
import { refused } from '@entia/core/internal'
import { SqlName, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { tooMany } from './fill-mirror.ts'
import { Mirror, type MirrorOptions } from './mirror.ts'
import { MirrorAnswers } from './mirror-answers.ts'

/** What is mirrored, as the options of a store say. */
export interface MirrorChoice {
  readonly dataClasses: readonly string[]
  readonly maxEntities: number
}

export interface OpenedMirror {
  readonly figures: Mirror
  readonly answers: MirrorAnswers
}

/**
 * Opens a mirror, which is filled while the database answers. Throws `dataClassNotFound`,
 * `argumentInvalid` for a table of another program, and `budgetExceeded`. Two round trips.
 */
export async function openMirror(
  choice: MirrorChoice | null,
  options: Omit<MirrorOptions, 'classes' | 'maxEntities'>,
): Promise<OpenedMirror | null> {
  if (choice === null) return null
  const { pool, model, dataset } = options
  const { maxEntities } = choice
  const classes = choice.dataClasses.map((name): ClassModel => {
    const dataClass = model.catalog.byName.get(name)
    if (dataClass === undefined) throw new EntiaError('dataClassNotFound', { dataClass: name })
    if (model.tables[dataClass.ordinal]!.isExisting)
      throw refused(
        'The option mirror.dataClasses',
        'dataclasses whose tables no other program writes to',
        `"${name}", whose table is an existing one`,
      )
    return dataClass
  })
  const names = classes.map(({ name }) => name)
  const counts = new SqlName(model.schema, 'entia_class')
  const { rows } = await pool.query(
    statementOf(
      sql`SELECT coalesce(sum(c.members), 0)::bigint FROM ${counts} AS c WHERE c.class = ANY (${names}::text[])`,
    ),
  )
  if (Number(rows[0]![0]) > maxEntities) throw tooMany(maxEntities)
  const figures = new Mirror({ ...options, classes, maxEntities })
  await figures.open()
  return { figures, answers: new MirrorAnswers(figures, dataset) }
}
