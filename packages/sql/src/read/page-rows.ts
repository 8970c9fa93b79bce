import type { ClassModel } from '@entia/core'
import {
  asSession,
  type Caller,
  CallerStore,
  type Found,
  type PageQuery,
  RecordReader,
  type StoredEntity,
  type WorkingRow,
  type WorkingStore,
} from '@entia/engine'
import type { SqlRows } from '../connect/port.ts'
import { readRow, rowColumns } from '../schema/row-sql.ts'
import type { Sql } from '../sql-builder/sql.ts'
import { rootPlace } from '../translate/place.ts'
import { askedOrder, type EntityQuerySql, pageStatement } from './entity-query-sql.ts'
import type { CountSql } from './known-counts.ts'
import { type ReadContext, stampIn } from './read-context.ts'
import type { FoundPage } from './read-page.ts'

/**
 * A page whose entities show what the database does not know, such as computed attributes. The
 * database finds the page; core reads the records, over a working store that holds its entities.
 */
export class PageRows {
  readonly select: Sql
  /** Rows of entities only. */
  readonly records = null
  readonly #context: ReadContext
  readonly #count: CountSql
  readonly #dataClass: ClassModel
  #found: {
    readonly hasOwner: boolean
    readonly globalStamp: number
    readonly count: number
    readonly rows: readonly (WorkingRow | null)[]
  } | null = null

  #isPinned = false

  private constructor(context: ReadContext, select: Sql, count: CountSql, dataClass: ClassModel) {
    this.select = select
    this.#count = count
    this.#context = context
    this.#dataClass = dataClass
  }

  /** Null if the database cannot find the page: its filter or its order has no SQL. */
  static of(
    context: ReadContext,
    asked: EntityQuerySql,
    query: Pick<PageQuery, 'skip' | 'top'>,
  ): PageRows | null {
    const { model } = context
    const { dataClass, where } = asked
    const order = askedOrder(context, asked)
    if (where === null || order === null) return null
    const columns = rowColumns(rootPlace(model, dataClass))
    const { select, count } = pageStatement(context, { ...asked, where }, order, columns, query)
    return new PageRows(context, select, count, dataClass)
  }

  /** Takes the page of another read: entities that are read later have its places and its count. */
  pin(result: SqlRows): void {
    this.read(result)
    this.#isPinned = true
  }

  /** Takes the rows; the entities become known to the working store. */
  read({ rows }: SqlRows): readonly Found[] {
    const [stamp, owner, count] = rows[0]!
    const page = rows
      .filter((row) => row[3] !== null)
      .map((row) =>
        row[4] === null ? null : readRow(this.#context.model, this.#dataClass, row.slice(4)),
      )
    const globalStamp = stampIn(this.#context, stamp)
    const found = {
      hasOwner: owner !== null,
      globalStamp,
      count: this.#count.read(count, globalStamp),
      rows: page,
    }
    if (!this.#isPinned) this.#found = found
    const dataClass = this.#dataClass
    return page
      .filter((row) => row !== null)
      .map((row) => ({ missing: { kind: 'entity', dataClass, key: keyOf(row) }, rows: [row] }))
  }

  /** The members of the whole selection, and the keys of the page's entities that still exist. */
  members(): { readonly count: number; readonly keys: readonly (string | number)[] } {
    const { count, rows } = this.#found!
    return { count, keys: rows.filter((row) => row !== null).map(keyOf) }
  }

  /** The page, read by core. Null if the entity whose relation is read does not exist. */
  shown({ store }: WorkingStore, caller: Caller, query: PageQuery): FoundPage | null {
    const { hasOwner, globalStamp, count, rows } = this.#found!
    if (!hasOwner) return null
    const { view } = new CallerStore(store, caller, store.view({ exposedOnly: true }))
    const table = store.dataClass(this.#dataClass.name)
    const members = rows.map((row) =>
      row === null ? undefined : (table.get(keyOf(row)) as StoredEntity | undefined),
    )
    const reader = new RecordReader(view, query)
    const records = asSession(store, caller.session, () =>
      reader.readAll(members, query.projection),
    )
    return { globalStamp, count, records, texts: null }
  }
}

const keyOf = ({ dataClass, values }: WorkingRow): string | number =>
  values[dataClass.key.ordinal] as string | number
