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
import { rootPlace } from '../translate/place.ts'
import type { MissingSql } from '../write/missing-sql.ts'
import { askedOrder, type EntityQuerySql, pageStatement } from './entity-query-sql.ts'
import { type ReadContext, stampIn } from './read-context.ts'
import type { FoundPage } from './read-page.ts'

/**
 * A page whose entities show what the database does not know, such as computed attributes. The
 * database finds the page; core reads the records, over a working store that holds its entities.
 */
export interface PageRows extends MissingSql {
  /** Takes the page of another read: entities that are read later have its places and its count. */
  pin(result: SqlRows): void
  /** The members of the whole selection, and the keys of the page's entities that still exist. */
  members(): { readonly count: number; readonly keys: readonly (string | number)[] }
  /** The page, read by core. Null if the entity whose relation is read does not exist. */
  shown(working: WorkingStore, caller: Caller, query: PageQuery): FoundPage | null
}

interface FoundRows {
  readonly hasOwner: boolean
  readonly globalStamp: number
  readonly count: number
  readonly rows: readonly (WorkingRow | null)[]
}

/** Null if the database cannot find the page: its filter or its order has no SQL. */
export function pageRows(
  context: ReadContext,
  asked: EntityQuerySql,
  window: Pick<PageQuery, 'skip' | 'top'>,
): PageRows | null {
  const { model } = context
  const { dataClass, where } = asked
  const order = askedOrder(context, asked)
  if (where === null || order === null) return null
  const columns = rowColumns(rootPlace(model, dataClass))
  const statement = pageStatement(context, { ...asked, where }, order, columns, window)
  let found: FoundRows | null = null
  let isPinned = false
  const read = ({ rows: all }: SqlRows): readonly Found[] => {
    const [stamp, owner, members] = all[0]!
    const rows = all
      .filter((row) => row[3] !== null)
      .map((row) => (row[4] === null ? null : readRow(model, dataClass, row.slice(4))))
    const globalStamp = stampIn(context, stamp)
    const count = statement.count.read(members, globalStamp)
    if (!isPinned) found = { hasOwner: owner !== null, globalStamp, count, rows }
    return rows
      .filter((row) => row !== null)
      .map((row) => ({ missing: { kind: 'entity', dataClass, key: keyOf(row) }, rows: [row] }))
  }
  return {
    select: statement.select,
    records: null,
    read,
    pin(result) {
      read(result)
      isPinned = true
    },
    members() {
      const { count, rows } = found!
      return { count, keys: rows.filter((row) => row !== null).map(keyOf) }
    },
    shown({ store }, caller, query) {
      const { hasOwner, globalStamp, count, rows } = found!
      if (!hasOwner) return null
      const { view } = new CallerStore(store, caller, store.view({ exposedOnly: true }))
      const table = store.dataClass(dataClass.name)
      const members = rows.map((row) =>
        row === null ? undefined : (table.get(keyOf(row)) as StoredEntity | undefined),
      )
      const reader = new RecordReader(view, query)
      const records = asSession(store, caller.session, () =>
        reader.readAll(members, query.projection),
      )
      return { globalStamp, count, records, texts: null }
    },
  }
}

const keyOf = ({ dataClass, values }: WorkingRow): string | number =>
  values[dataClass.key.ordinal] as string | number
