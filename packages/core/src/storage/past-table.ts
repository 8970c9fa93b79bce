import { AttributeIndex } from './attribute-index.ts'
import { clearBit, countBits, setBit } from './bitset.ts'
import { WordColumn } from './column.ts'
import type { History, PastRecord } from './history.ts'
import { RowCache } from './row-cache.ts'
import { hashKey, type Table } from './table.ts'
import { recount } from './table-load.ts'

/**
 * Fills an empty table with the past state of another one: copies its columns and puts the records
 * that changed since back (`History.pastOf`). The copy has its keys and the posting lists of
 * foreign keys, but no other indexes, so that its filters scan and its orders sort. It shares
 * nothing mutable. Cost O(records); only reads `live`.
 */
export function fillAsOf(copy: Table, live: Table, past: ReadonlyMap<number, PastRecord>): void {
  copyRecords(copy, live)
  let length = copy.length
  for (const [slot, record] of past) {
    putBack(copy, slot, record)
    if (record.existed && slot >= length) length = slot + 1
  }
  while (length > 0 && !copy.isLive(length - 1)) length--
  copy.length = length
  copy.liveCount = countBits(copy.live)
  derive(copy)
}

/** The capacity suffices for all past records: tables do not shrink. */
function copyRecords(copy: Table, live: Table): void {
  copy.capacity = live.capacity
  copy.length = live.length
  copy.live = live.live.slice()
  copy.stamps = live.stamps.slice()
  copy.timestamps = live.timestamps.slice()
  copy.timestampHalves = new Int32Array(copy.timestamps.buffer)
  copy.births = live.births.slice()
  if (live.rowCache !== null) copy.rowCache = new RowCache(live.rowCache.maxCharacters)
  for (let ordinal = 0; ordinal < copy.columns.length; ordinal++)
    copy.columns[ordinal] = live.columns[ordinal].copy()
}

function putBack(
  copy: Table,
  slot: number,
  { existed, birth, stamp, timestamp, values }: PastRecord,
): void {
  if (!existed) {
    clearBit(copy.live, slot)
    copy.stamps[slot] = 0
    for (const column of copy.columns) column.write(slot, null)
    return
  }
  setBit(copy.live, slot)
  copy.births[slot] = birth
  copy.stamps[slot] = stamp
  copy.timestamps[slot] = timestamp
  for (const [ordinal, value] of values) {
    copy.columns[ordinal].admit(value)
    copy.columns[ordinal].write(slot, value)
  }
}

/** Derives the rest from the columns. */
function derive(copy: Table): void {
  const slots = copy.liveSlots()
  const key = copy.columns[copy.model.key.ordinal]
  copy.keys.clear()
  if (key.layout === 'text') copy.keys.reserveTexts(slots.length)
  for (let i = 0; i < slots.length; i++)
    copy.keys.set(hashKey(key.read(slots[i]) as string | number), slots[i])
  for (let ordinal = 0; ordinal < copy.columns.length; ordinal++) {
    const column = copy.columns[ordinal]
    if (column instanceof WordColumn) recount(copy, column)
    copy.indexes[ordinal] = null
    if (column.attribute.relation === null) continue
    const index = new AttributeIndex(
      column,
      { ordered: false, postings: true, unique: false },
      null,
    )
    index.build(slots)
    copy.indexes[ordinal] = index
  }
}

/** Keeps history from a global stamp on. */
export interface Pin {
  /**
   * Moves the pin to another stamp. The previous one stays pinned until the returned function is
   * called. Does nothing after `release`.
   */
  move(globalStamp: number): () => void
  /** Ends the pin. Further calls do nothing. */
  release(): void
}

/**
 * Pins of one store's history. A pin ends when it is released or its holder is garbage-collected.
 */
export class Pins {
  readonly #history: History
  readonly #forgotten: FinalizationRegistry<Pin> | null

  constructor(history: History) {
    this.#history = history
    this.#forgotten =
      typeof FinalizationRegistry === 'undefined'
        ? null
        : new FinalizationRegistry((pin) => pin.release())
  }

  /** Pins history from a global stamp on, for as long as `holder` lives. */
  set(globalStamp: number, holder: object): Pin {
    const history = this.#history
    history.pin(globalStamp)
    let held: number | null = globalStamp
    const pin: Pin = {
      move(next) {
        if (held === null) return () => {}
        const before = held
        held = next
        history.pin(next)
        return () => history.unpin(before)
      },
      release() {
        const before = held
        held = null
        if (before !== null) history.unpin(before)
      },
    }
    this.#forgotten?.register(holder, pin)
    return pin
  }
}
