import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'

/**
 * The sum of a transaction's writes to one record.
 *
 *     before \ write   insert     update            remove
 *     (nothing)        insert     update            remove
 *     insert           -          insert, merged    void (no effect)
 *     update           -          update, merged    remove
 *     remove           insert, as a new record  -
 */
export interface StagedRecord {
  kind: 'insert' | 'update' | 'remove' | 'void'
  readonly table: Table
  readonly slot: number
  /** Place in the list of staged records. */
  readonly place: number
  /** Only of an insertion. */
  readonly key: Key | null
  /** Of an update: the columns it writes. */
  ordinals: readonly number[]
  /** Of an update: by place in `ordinals`; of an insertion: by column. */
  values: StoredValue[]
  /** After the write. */
  stamp: number
  /** Only of an insertion. The table has the births of other records. */
  readonly birth: number
  /** The staged removal whose slot an insertion uses. */
  readonly under: StagedRecord | null
}
