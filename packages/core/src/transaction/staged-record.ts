import type { Key } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'

/**
 * What a transaction means to do with one record: the sum of its writes to it.
 *
 *     before \ write   insert     update            remove
 *     (nothing)        insert     update            remove
 *     insert           -          insert, merged    void (it never was)
 *     update           -          update, merged    remove
 *     remove           insert, a record of its own  -
 */
export interface StagedRecord {
  kind: 'insert' | 'update' | 'remove' | 'void'
  readonly table: Table
  readonly slot: number
  /** In the list of all that is staged. */
  readonly place: number
  /** Of an insertion. */
  readonly key: Key | null
  /** Of an update: the columns it writes. */
  ordinals: readonly number[]
  /** Of an update: by place in `ordinals`; of an insertion: by column. */
  values: StoredValue[]
  /** After the write. */
  stamp: number
  /** Of an insertion; that of other records stands in the table. */
  readonly birth: number
  /** The staged removal whose slot an insertion got. */
  readonly under: StagedRecord | null
}
