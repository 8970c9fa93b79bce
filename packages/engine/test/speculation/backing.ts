import { sortSlots } from '../../../core/src/execute/ordering.ts'
import type { ClassModel } from '../../../core/src/model/catalog.ts'
import type { AttributeIndex } from '../../../core/src/storage/attribute-index.ts'
import { slotsOf } from '../../../core/src/storage/record-set.ts'
import type { Table } from '../../../core/src/storage/table.ts'
import { handleOf } from '../../../core/src/store/kernel/capability.ts'
import type { Fetched, Found, Missing, WorkingCommit, WorkingRow } from '../../src/index.ts'

/**
 * A complete store in place of a database: it answers requests for missing entities and takes
 * commits.
 */
export class Backing {
  readonly #handle: ReturnType<typeof handleOf>
  globalStamp = 0
  fetches = 0

  constructor(store: object) {
    this.#handle = handleOf(store)
  }

  fetch = async (missing: readonly Missing[]): Promise<Fetched> => {
    this.fetches++
    return { found: missing.map((each) => this.#answer(each)), globalStamp: this.globalStamp }
  }

  apply({ globalStamp, changes, sequences }: WorkingCommit): void {
    if (globalStamp !== this.globalStamp + 1) throw new Error(`commit ${globalStamp} out of order`)
    this.globalStamp = globalStamp
    for (const change of changes) {
      const table = this.#tableOf(change.dataClass)
      const slot = table.findKey(change.key)
      if (change.kind === 'insert') {
        const at = table.lowestFree
        table.reserve(at + 1)
        const after = change.after ?? []
        for (const [i, value] of after.entries()) table.admit(i, value)
        const birth = this.#handle.writer.context.nextBirth()
        table.insertAt(at, after, change.stamp, change.timestamp, birth)
        continue
      }
      // An earlier commit of the same decision may have inserted it.
      if (change.record !== null && slot !== change.record) throw new Error('another record')
      if (JSON.stringify(change.before) !== JSON.stringify(table.readAll(slot)))
        throw new Error('other values before')
      if (change.kind === 'remove') {
        table.removeAt(slot, table.readAll(slot))
        continue
      }
      const values = change.changed.map((ordinal) => change.after?.[ordinal] ?? null)
      for (const [i, ordinal] of change.changed.entries()) table.admit(ordinal, values[i])
      table.updateAt(slot, change.changed, values, change.stamp, change.timestamp)
    }
    for (const { dataClass, next } of sequences) this.#tableOf(dataClass).sequence = next
  }

  #tableOf({ ordinal }: ClassModel): Table {
    return this.#handle.writer.tables[ordinal]
  }

  #answer(missing: Missing): Found {
    switch (missing.kind) {
      case 'sequence':
        return { missing, next: this.#tableOf(missing.dataClass).sequence }
      case 'entity': {
        const table = this.#tableOf(missing.dataClass)
        return { missing, rows: rowsAt(table, [table.findKey(missing.key)]) }
      }
      case 'holder': {
        const table = this.#tableOf(missing.attribute.owner)
        const index = table.indexes[missing.attribute.ordinal] as AttributeIndex
        return { missing, rows: rowsAt(table, [index.holderOf(missing.value)]) }
      }
      case 'referrers': {
        const { owner, foreignKey } = missing.relation
        const index = this.#tableOf(owner).indexes[foreignKey.ordinal] as AttributeIndex
        return { missing, rows: rowsAt(this.#tableOf(owner), index.recordsOf(missing.key)) }
      }
      case 'matches': {
        const { dataClass, predicate, window } = missing
        const { database } = this.#handle.reader
        const table = this.#tableOf(dataClass)
        const slots = [...slotsOf(database.select(dataClass, predicate))]
        // Reversed, since the order must not matter without a window.
        if (window === undefined) return { missing, rows: rowsAt(table, slots.reverse()) }
        const { orderBy, skip, top } = window
        const sorted = sortSlots(database, table, Int32Array.from(slots), orderBy ?? [])
        return { missing, rows: rowsAt(table, [...sorted.slice(skip, skip + top)]) }
      }
    }
  }
}

const rowsAt = (table: Table, slots: readonly number[]): WorkingRow[] =>
  slots
    .filter((slot) => slot >= 0)
    .map((slot) => ({
      dataClass: table.model,
      record: slot,
      stamp: table.stamps[slot],
      timestamp: table.timestamps[slot],
      values: table.readAll(slot),
      lockedBy: null,
    }))
