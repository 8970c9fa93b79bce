import { type ClassModel, EntiaError, type StorageAttribute } from '@entia/core'
import type { Scalar } from '@entia/core/internal'
import type { Found, Missing, WorkingRow } from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import type { SqlRows } from '../connect/port.ts'
import { isOneOf } from '../schema/bound-values.ts'
import { keyOf, writtenTypes } from '../schema/row-codec.ts'
import { readRow, rowColumns } from '../schema/row-sql.ts'
import { holdNumber, nextNumber } from '../schema/sequences.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { canHold } from '../translate/clamp-to-column.ts'
import { orderSql } from '../translate/order-sql.ts'
import { columnOf, fromPlace, keyAt, recordAt, rootPlace, storedAt } from '../translate/place.ts'
import { predicateSql } from '../translate/predicate-sql.ts'

/**
 * How rows are held while a decision depends on them: `null` not at all. Otherwise no other
 * transaction changes them before the decision is committed, and none reads those of the
 * dataclasses in `written` to write them. Two decisions that both share a row and write it would
 * wait for each other. With `waits` false, a row that another transaction holds is SQLSTATE 55P03.
 * Sequences are held too.
 */
export type RowLocking = {
  readonly written: ReadonlySet<ClassModel>
  readonly waits: boolean
} | null

/** A question to the database that answers one or several missing facts. */
export interface MissingSql {
  readonly select: Sql
  /** The dataclass and record numbers of the same entities, as a query; null without entities. */
  readonly records: Sql | null
  read(result: SqlRows): readonly Found[]
}

/**
 * The statements that answer missing facts: one for each dataclass and kind of fact. Rows are held
 * in the order of dataclasses and records, so that two transactions seldom wait for each other.
 * `maxRows`: the most entities that one question may load. Reading throws `budgetExceeded`.
 */
export function missingSql(
  model: SqlModel,
  missing: readonly Missing[],
  locking: RowLocking,
  maxRows: number,
): readonly MissingSql[] {
  const builder = new MissingBuilder(model, locking, maxRows)
  const byClass = [
    ...groupsOf(missing, 'entity', ({ dataClass }) => dataClass).map(([dataClass, each]) => ({
      dataClass,
      question: builder.entities(dataClass, each),
    })),
    ...groupsOf(missing, 'holder', ({ attribute }) => attribute).map(([attribute, each]) => ({
      dataClass: attribute.owner,
      question: builder.holders(attribute, each),
    })),
    ...groupsOf(missing, 'referrers', ({ relation }) => relation.foreignKey).map(
      ([foreignKey, each]) => ({
        dataClass: foreignKey.owner,
        question: builder.referrers(foreignKey, each),
      }),
    ),
  ]
  const sequences = [...groupsOf(missing, 'sequence', ({ dataClass }) => dataClass)].sort(
    ([a], [b]) => a.ordinal - b.ordinal,
  )
  return [
    ...byClass
      .sort((a, b) => a.dataClass.ordinal - b.dataClass.ordinal)
      .map(({ question }) => question),
    ...missing.flatMap((each) => (each.kind === 'matches' ? [builder.matches(each)] : [])),
    ...sequences.map(([, each]) => builder.sequence(each)),
  ]
}

/** Throws `budgetExceeded` for more rows than a decision may load. */
export function refuseMoreThan(
  limit: number,
  { name }: ClassModel,
  rows: readonly unknown[],
): void {
  if (rows.length > limit)
    throw new EntiaError('budgetExceeded', {
      what: `entities of ${name} that a decision reads`,
      limit,
      option: 'reading.maxResidualRows',
    })
}

type Of<K extends Missing['kind']> = Extract<Missing, { readonly kind: K }>

/** The missing facts of one kind that one statement answers. */
function groupsOf<K extends Missing['kind'], G>(
  missing: readonly Missing[],
  kind: K,
  groupOf: (missing: Of<K>) => G,
): readonly (readonly [G, readonly Of<K>[]])[] {
  const groups = new Map<G, Of<K>[]>()
  for (const each of missing) {
    if (each.kind !== kind) continue
    const group = groupOf(each as Of<K>)
    const known = groups.get(group)
    if (known === undefined) groups.set(group, [each as Of<K>])
    else known.push(each as Of<K>)
  }
  return [...groups]
}

class MissingBuilder {
  readonly #model: SqlModel
  readonly #locking: RowLocking
  readonly #maxRows: number

  constructor(model: SqlModel, locking: RowLocking, maxRows: number) {
    this.#model = model
    this.#locking = locking
    this.#maxRows = maxRows
  }

  entities(dataClass: ClassModel, missing: readonly Of<'entity'>[]): MissingSql {
    return this.#byValue(
      dataClass.key,
      missing,
      missing.map(({ key }) => key),
      false,
    )
  }

  holders(attribute: StorageAttribute, missing: readonly Of<'holder'>[]): MissingSql {
    const values = missing.map(({ value }) => value as string | number | boolean)
    return this.#byValue(attribute, missing, values, false)
  }

  referrers(foreignKey: StorageAttribute, missing: readonly Of<'referrers'>[]): MissingSql {
    return this.#byValue(
      foreignKey,
      missing,
      missing.map(({ key }) => key),
      true,
    )
  }

  matches(missing: Of<'matches'>): MissingSql {
    const { dataClass, predicate, window } = missing
    const at = rootPlace(this.#model, dataClass)
    const where = predicateSql(this.#model, predicate, at)
    // Windows have orders of stored attributes, which all have SQL.
    const { joins, by } = orderSql(this.#model, dataClass, window?.orderBy ?? [])!
    const most = Math.min(window?.top ?? Number.POSITIVE_INFINITY, this.#maxRows + 1)
    const from = sql`FROM ${fromPlace(at)} ${joins} WHERE ${where} ORDER BY ${by} LIMIT ${most}::bigint OFFSET ${window?.skip ?? 0}::bigint`
    return {
      select: sql`SELECT ${rowColumns(at)} ${from}`,
      records: sql`(SELECT ${dataClass.name}::text, ${recordAt(at)} ${from})`,
      read: (result) => [{ missing, rows: this.#rows(dataClass, result) }],
    }
  }

  /** Each time that a sequence is missing, a number of it is needed. */
  sequence(asked: readonly Of<'sequence'>[]): MissingSql {
    const missing = asked[0]!
    const { schema } = this.#model
    const { name } = missing.dataClass
    return {
      records: null,
      select: this.#locking === null ? nextNumber(schema, name) : holdNumber(schema, name),
      read({ rows: [row] }) {
        // A migration renamed or dropped the dataclass.
        if (row === undefined) throw new DatabaseError('internal', null)
        return [{ missing, next: Number(row[0]) }]
      },
    }
  }

  /** The entities with one of some values of a column. Several facts share one statement. */
  #byValue<M extends Of<'entity'> | Of<'holder'> | Of<'referrers'>>(
    attribute: StorageAttribute,
    missing: readonly M[],
    given: readonly (string | number | boolean)[],
    isMany: boolean,
  ): MissingSql {
    const dataClass = attribute.owner
    const at = rootPlace(this.#model, dataClass)
    const column = columnOf(at, attribute)
    const keys = given.map(
      (value): Scalar => (typeof value === 'string' ? keyOf(column, value) : value),
    )
    const compared = column.key === column.name ? storedAt(at, attribute) : keyAt(at, attribute)
    const lock = this.#lockOf(dataClass)
    const limit = isMany ? sql` LIMIT ${this.#maxRows + 1}::bigint` : sql``
    const storable = keys.filter((key) => canHold(column.kind, key))
    const where = isOneOf(compared, writtenTypes(column)[0]!, storable)
    return {
      records: sql`(SELECT ${dataClass.name}::text, ${recordAt(at)} FROM ${fromPlace(at)} WHERE ${where})`,
      select: sql`SELECT ${rowColumns(at)} FROM ${fromPlace(at)} WHERE ${where} ORDER BY ${recordAt(at)}${limit}${lock}`,
      read: (result) => {
        const byKey = new Map<unknown, WorkingRow[]>()
        for (const row of this.#rows(dataClass, result)) {
          const value = row.values[attribute.ordinal]
          const key = typeof value === 'string' ? keyOf(column, value) : value
          const others = byKey.get(key)
          if (others === undefined) byKey.set(key, [row])
          else others.push(row)
        }
        return missing.map((each, place) => ({
          missing: each,
          rows: byKey.get(keys[place]) ?? [],
        }))
      },
    }
  }

  #lockOf(dataClass: ClassModel): Sql {
    if (this.#locking === null) return sql``
    const { written, waits } = this.#locking
    const lock = written.has(dataClass) ? sql` FOR NO KEY UPDATE` : sql` FOR SHARE`
    return waits ? lock : sql`${lock} NOWAIT`
  }

  #rows(dataClass: ClassModel, { rows }: SqlRows): readonly WorkingRow[] {
    refuseMoreThan(this.#maxRows, dataClass, rows)
    return rows.map((row) => readRow(this.#model, dataClass, row))
  }
}
