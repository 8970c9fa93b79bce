import type { ClassModel, StorageAttribute } from '@entia/core'
import { overBudget, type Scalar } from '@entia/core/internal'
import type { Found, Missing, WorkingRow } from '@entia/engine'
import { DatabaseError } from '../connect/database-error.ts'
import type { SqlRows } from '../connect/port.ts'
import { grouped } from '../grouped.ts'
import { isOneOf } from '../schema/bound-values.ts'
import { keyOf, writtenTypes } from '../schema/row-codec.ts'
import { readRow, rowColumns } from '../schema/row-sql.ts'
import { holdNumber, nextNumber } from '../schema/sequences.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { type Sql, sql } from '../sql-builder/sql.ts'
import { canHold } from '../translate/clamp-to-column.ts'
import { orderSql } from '../translate/order-sql.ts'
import { columnOf, comparedAt, fromPlace, recordAt, rootPlace } from '../translate/place.ts'
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
  const scope = { model, locking, maxRows }
  const asked = [
    ...askedValues(missing, 'entity', ({ dataClass, key }) => [dataClass.key, key]),
    ...askedValues(missing, 'holder', ({ attribute, value }) => [attribute, value as Scalar]),
    ...askedValues(missing, 'referrers', ({ relation, key }) => [relation.foreignKey, key]),
  ].sort((a, b) => a.attribute.owner.ordinal - b.attribute.owner.ordinal)
  // Each time that a sequence is missing, a number of it is needed.
  const sequences = new Map(ofKind(missing, 'sequence').map((each) => [each.dataClass, each]))
  return [
    ...asked.map((each) => byValue(scope, each)),
    ...ofKind(missing, 'matches').map((each) => matching(scope, each)),
    ...[...sequences.values()]
      .sort((a, b) => a.dataClass.ordinal - b.dataClass.ordinal)
      .map((each) => numbering(scope, each)),
  ]
}

/** Throws `budgetExceeded` for more rows than a decision may load. */
export function refuseMoreThan(
  limit: number,
  { name }: ClassModel,
  rows: readonly unknown[],
): void {
  if (rows.length > limit)
    throw overBudget(`entities of ${name} that a decision reads`, limit, 'reading.maxResidualRows')
}

type Of<K extends Missing['kind']> = Extract<Missing, { readonly kind: K }>

const ofKind = <K extends Missing['kind']>(missing: readonly Missing[], kind: K): Of<K>[] =>
  missing.filter((each): each is Of<K> => each.kind === kind)

/** Values of an attribute whose entities are missing: one statement answers them. */
interface AskedValues {
  readonly attribute: StorageAttribute
  readonly missing: readonly Exclude<Missing, { kind: 'matches' | 'sequence' }>[]
  readonly values: readonly Scalar[]
}

function askedValues<K extends AskedValues['missing'][number]['kind']>(
  missing: readonly Missing[],
  kind: K,
  askedOf: (missing: Of<K>) => readonly [StorageAttribute, Scalar],
): readonly AskedValues[] {
  const groups = grouped(ofKind(missing, kind), (each) => askedOf(each)[0])
  return Array.from(groups, ([attribute, each]) => ({
    attribute,
    missing: each as AskedValues['missing'],
    values: each.map((one) => askedOf(one)[1]),
  }))
}

interface Scope {
  readonly model: SqlModel
  readonly locking: RowLocking
  readonly maxRows: number
}

function matching(scope: Scope, missing: Of<'matches'>): MissingSql {
  const { model, maxRows } = scope
  const { dataClass, predicate, window } = missing
  const at = rootPlace(model, dataClass)
  const where = predicateSql(model, predicate, at)
  // Windows have orders of stored attributes, which all have SQL.
  const { joins, by } = orderSql(model, dataClass, window?.orderBy ?? [])!
  const most = Math.min(window?.top ?? Number.POSITIVE_INFINITY, maxRows + 1)
  const from = sql`FROM ${fromPlace(at)} ${joins} WHERE ${where} ORDER BY ${by} LIMIT ${most}::bigint OFFSET ${window?.skip ?? 0}::bigint`
  return {
    select: sql`SELECT ${rowColumns(at)} ${from}`,
    records: sql`(SELECT ${dataClass.name}::text, ${recordAt(at)} ${from})`,
    read: (result) => [{ missing, rows: rowsOf(scope, dataClass, result) }],
  }
}

function numbering({ model, locking }: Scope, missing: Of<'sequence'>): MissingSql {
  const { name } = missing.dataClass
  return {
    records: null,
    select: locking === null ? nextNumber(model.schema, name) : holdNumber(model.schema, name),
    read({ rows: [row] }) {
      // A migration renamed or dropped the dataclass.
      if (row === undefined) throw new DatabaseError('internal', null)
      return [{ missing, next: Number(row[0]) }]
    },
  }
}

/** The entities with one of some values of a column. Several facts share one statement. */
function byValue(scope: Scope, { attribute, missing, values }: AskedValues): MissingSql {
  const { model, locking, maxRows } = scope
  const dataClass = attribute.owner
  const at = rootPlace(model, dataClass)
  const column = columnOf(at, attribute)
  const compared = comparedAt(at, attribute)
  const isMany = missing[0]!.kind === 'referrers'
  const limit = isMany ? sql` LIMIT ${maxRows + 1}::bigint` : sql``
  const keys = values.map((value) => (typeof value === 'string' ? keyOf(column, value) : value))
  const storable = keys.filter((key) => canHold(column.kind, key))
  const where = isOneOf(compared, writtenTypes(column)[0]!, storable)
  return {
    records: sql`(SELECT ${dataClass.name}::text, ${recordAt(at)} FROM ${fromPlace(at)} WHERE ${where})`,
    select: sql`SELECT ${rowColumns(at)} FROM ${fromPlace(at)} WHERE ${where} ORDER BY ${recordAt(at)}${limit}${lockOf(locking, dataClass)}`,
    read(result) {
      const byKey = grouped(rowsOf(scope, dataClass, result), (row): unknown => {
        const value = row.values[attribute.ordinal]
        return typeof value === 'string' ? keyOf(column, value) : value
      })
      return missing.map((each, place) => ({ missing: each, rows: byKey.get(keys[place]) ?? [] }))
    },
  }
}

function lockOf(locking: RowLocking, dataClass: ClassModel): Sql {
  if (locking === null) return sql``
  const lock = locking.written.has(dataClass) ? sql` FOR NO KEY UPDATE` : sql` FOR SHARE`
  return locking.waits ? lock : sql`${lock} NOWAIT`
}

function rowsOf(
  { model, maxRows }: Scope,
  dataClass: ClassModel,
  { rows }: SqlRows,
): readonly WorkingRow[] {
  refuseMoreThan(maxRows, dataClass, rows)
  return rows.map((row) => readRow(model, dataClass, row))
}
