import { ChangeRecorder } from '../../src/storage/change-list.ts'
import type { Table } from '../../src/storage/table.ts'
import type { StoredValue } from '../../src/value/types.ts'
import { type Dice, upTo } from './dice.ts'
import { admitAll, firmTables, personRow } from './plain-tables.ts'

/**
 * A table of people that is written through a recorder, as in a store. Several tables may share one
 * recorder.
 */
export class Recorded {
  readonly table: Table = firmTables()[1]
  readonly recorder: ChangeRecorder
  clock = 0
  readonly nextBirth = () => ++this.clock

  constructor(recorder = new ChangeRecorder()) {
    this.recorder = recorder
  }

  insert(row: readonly StoredValue[], slot = this.table.lowestFree): number {
    const { table } = this
    const birth = this.nextBirth()
    table.reserve(slot + 1)
    admitAll(table, row)
    this.recorder.setSequence(
      table,
      Math.max(table.sequence, (row[table.model.key.ordinal] as number) + 1),
    )
    this.recorder.insert(table, slot, row, 1, birth * 10, birth)
    return slot
  }
  update(slot: number, ordinals: readonly number[], values: readonly StoredValue[]): void {
    const { table } = this
    for (const [i, ordinal] of ordinals.entries()) table.admit(ordinal, values[i])
    this.recorder.update(
      table,
      slot,
      ordinals,
      [...values],
      table.stamps[slot] + 1,
      ++this.clock * 10,
    )
  }
  /** Performs so many random writes. */
  write(count: number, roll: Dice): void {
    const { table } = this
    for (let i = 0; i < count; i++) {
      const live = table.liveSlots()
      const act = roll(3)
      const row = personRow(table, this.clock + 1, roll)
      const slot = live[roll(live.length)]
      if (live.length === 0 || act === 0) this.insert(row)
      else if (act === 1) this.recorder.remove(table, slot)
      else {
        const ordinals = upTo(table.columns.length).filter(
          (at) => at !== table.model.key.ordinal && roll(3) === 0,
        )
        this.update(
          slot,
          ordinals,
          ordinals.map((at) => row[at]),
        )
      }
    }
  }
}
