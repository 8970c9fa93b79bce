import { type ClassModel, Table, TableFill } from '@entia/core/internal'
import { lifeOfRecord } from '@entia/engine'
import type { MirrorBlock } from './mirror-blocks.ts'
import type { MirrorGuard } from './mirror-guard.ts'

type IndexFactory = Table['indexFactory']

/**
 * A mirrored dataclass. Slots ascend with the record numbers of the database, also where commits
 * bring lower numbers later. So entities have the order and the lives that they have there.
 */
export class MirrorTable extends Table {
  /** The database numbers new entities. */
  override sequence = Number.MAX_SAFE_INTEGER + 1
  /** By slot. */
  #records = new Float64Array(0)
  /** Records up to this number have slots without gaps, and none of them comes any more. */
  #dense = -1
  /** The slot of the record behind `#dense`. */
  #base = 0
  #filling: TableFill | null = null

  override lifeOf(slot: number): string {
    return lifeOfRecord(this.model, this.#records[slot] ?? -1)
  }
  override recordNumber(slot: number): number {
    return this.#records[slot] ?? -1
  }

  /**
   * Records up to `dense` get slots without gaps. Call it before the first one comes, with the
   * number of those to come, about.
   */
  begin(dense: number, expected: number): void {
    this.#dense = dense
    this.#filling = new TableFill(this, expected)
  }
  get isFilling(): boolean {
    return this.#filling !== null
  }
  /** Adds records, ascending: those of a block before are below them. */
  fill({ records, ...block }: MirrorBlock, nextBirth: () => number): void {
    const slots = Int32Array.from(records, (record) => this.#slotFor(record))
    this.#filling!.add({ slots, ...block }, nextBirth)
  }
  /** After each block. */
  tidy(): Iterable<undefined> {
    return this.#filling!.tidy()
  }
  /** Builds what answers reads. Nothing may be read before the last step. */
  *finish(): Generator<undefined, void> {
    yield* this.#filling!.finish()
    this.#filling = null
  }

  /** The slot for a record of a later commit. Null for a number that comes too late. */
  place(record: number): number | null {
    return record <= this.#dense ? null : this.#slotFor(record)
  }

  #slotFor(record: number): number {
    const isDense = record <= this.#dense
    const slot = isDense ? this.#base++ : this.#base + record - this.#dense - 1
    if (slot >= this.#records.length) {
      const grown = new Float64Array(Math.max(64, slot + 1, Math.ceil(slot * 1.25)))
      grown.set(this.#records)
      this.#records = grown
    }
    this.#records[slot] = record
    return slot
  }
}

/** What reads look at first in a table: its records, by number, key, value or condition. */
const READ_FIRST = ['live', 'length', 'liveCount', 'indexes', 'keys'] as const

/** A dataclass that is not mirrored: looking for its entities is refused. */
export function tableElsewhere(
  model: ClassModel,
  indexFactory: IndexFactory,
  guard: MirrorGuard,
): Table {
  const table = new Table(model, indexFactory)
  for (const name of READ_FIRST) {
    let value: unknown = table[name]
    Object.defineProperty(table, name, {
      get() {
        guard.pass()
        return value
      },
      set(given: unknown) {
        value = given
      },
    })
  }
  return table
}
