import {
  type AttributeIndex,
  type ClassModel,
  type Key,
  numberedAttributes,
  type StoredValue,
  Table,
} from '@entia/core/internal'
import type { Knowledge } from './knowledge.ts'
import { NotLoaded, type WorkingRow } from './missing.ts'

/** Related entities that are asked for together with the first unknown one. */
const MAX_ASKED_TOGETHER = 256

/** Of how many more entities facts are fetched when those of so many were not enough. */
export const guessedAfter = (known: number): number => 3 * known

/** A record that the run has written, as the database had it and as it last was. */
export interface WrittenRecord {
  /** Null for a record that the run inserted. */
  readonly row: WorkingRow | null
  readonly key: Key
}

/** A moment within a run: the end of the slots in use, and the number of removals. */
export interface RunMoment {
  readonly end: number
  readonly removed: number
}

/** The life of a record in a database: its number, which its table gives to no other record. */
export const lifeOfRecord = ({ name }: ClassModel, record: number): string => `${name} ${record}`

/**
 * The fetched records of one dataclass, in the order of their record numbers, and those that a run
 * inserts behind them. Slots are not used again, so that a new record comes last, as in a database.
 * Strict look-ups throw `NotLoaded` for what is unknown. Look-ups for checks go on as if there was
 * nothing, because the run is discarded anyway: so one run finds all that its checks lack.
 */
export class WorkingTable extends Table {
  readonly #knowledge: Knowledge
  readonly #isNumbered: boolean
  /** By slot, for the fetched records. */
  readonly #rows: WorkingRow[] = []
  /** By record number. */
  readonly #slots = new Map<number, number>()
  /** By slot: the records that the run has written, those that it removed too. */
  readonly written = new Map<number, WrittenRecord>()
  /** Numbers of the sequence that entities were given by the run itself. */
  readonly #given = new Set<number>()
  /** How many of the numbers that were drawn for this decision are given, from the first one on. */
  #drawn = 0
  /** Slots of the records that the run has removed, in this order. */
  #removed: number[] = []
  #nextSlot = 0
  #isFilling = false

  constructor(model: ClassModel, knowledge: Knowledge) {
    super(model, null)
    this.#knowledge = knowledge
    this.#isNumbered = numberedAttributes(model).length > 0
  }

  override get isWhole(): boolean {
    return false
  }
  override get lowestFree(): number {
    return this.#nextSlot
  }
  override nextSlots(count: number): Int32Array {
    return Int32Array.from({ length: count }, (_, i) => this.#nextSlot + i)
  }

  /** The present moment of the run. */
  get moment(): RunMoment {
    return { end: this.#nextSlot, removed: this.#removed.length }
  }
  /** The slots whose records existed at a moment of the run and were removed since. */
  removedSince({ removed }: RunMoment): readonly number[] {
    return [...new Set(this.#removed.slice(removed))].filter((slot) => !this.isLive(slot))
  }

  /** A slot that no record of the run will use. */
  takeSlot(): number {
    return this.#nextSlot++
  }

  override findKey(key: StoredValue): number {
    const slot = super.findKey(key)
    if (slot >= 0 || key === null || this.#knowledge.hasKey(this.model, key as Key)) return slot
    this.#lackEntity(key as Key)
    this.#lackSiblings(key as Key)
    throw new NotLoaded()
  }
  override probeKey(key: StoredValue): number {
    const slot = super.findKey(key)
    if (slot < 0 && key !== null && !this.#knowledge.hasKey(this.model, key as Key))
      this.#lackEntity(key as Key)
    return slot
  }
  override needHolder(ordinal: number, value: StoredValue): void {
    const attribute = this.model.storage[ordinal]
    if (value === null || this.#knowledge.hasHolder(attribute, value)) return
    this.#knowledge.lack({ kind: 'holder', attribute, value })
  }
  override needReferrers(ordinal: number, key: Key): void {
    const { relation } = this.model.storage[ordinal]
    if (relation === null || this.#knowledge.hasReferrers(relation, key)) return
    this.#knowledge.lack({ kind: 'referrers', relation, key })
  }
  /**
   * Code that reads the referrers of one entity will probably read those of its neighbours, and
   * those of all relations that it has read of others: a computed attribute reads several. So this
   * also notes them as missing for as many neighbours as `guessedAfter` says. The number of runs
   * then grows with the logarithm of the number of entities, and little is fetched in vain.
   */
  needNextReferrers(ordinal: number, key: Key): void {
    const { relation } = this.model.storage[ordinal]
    if (relation === null || this.#knowledge.hasReferrers(relation, key)) return
    for (const each of relation.target.incoming) {
      let left = guessedAfter(this.#knowledge.countOfReferrers(each))
      if (left === 0) continue
      if (!this.#knowledge.hasReferrers(each, key))
        this.#knowledge.lack({ kind: 'referrers', relation: each, key })
      for (const other of this.keysAround(relation.target, key)) {
        if (this.#knowledge.hasReferrers(each, other)) continue
        this.#knowledge.lack({ kind: 'referrers', relation: each, key: other })
        if (--left === 0) break
      }
    }
  }
  /** Keys of the entities of a dataclass that are here, without one: those close to it first. */
  *keysAround(dataClass: ClassModel, key: Key): Iterable<Key> {
    const target = this.tableOf(dataClass)
    const slots = [...target.liveSlots()]
    const isKnown = this.#knowledge.hasKey(dataClass, key)
    const at = isKnown ? slots.indexOf(target.findKey(key)) : 0
    for (let near = 2; near < 2 * slots.length; near++) {
      const slot = slots[near % 2 === 0 ? at + near / 2 : at - (near - 1) / 2]
      if (slot !== undefined) yield target.read(slot, dataClass.key.ordinal) as Key
    }
  }
  override needSequence(): void {
    const { model } = this
    if (!this.#isNumbered || this.#knowledge.hasSequence(model)) return
    this.#knowledge.lack({ kind: 'sequence', dataClass: model })
    throw new NotLoaded()
  }
  /** Of numbers that were drawn for this decision each is used once: throws if none is left. */
  override numberFrom(position: number): number {
    const { model } = this
    if (this.#knowledge.nextOf(model) !== null) return position
    const numbers = this.#knowledge.numbersOf(model)
    while (this.#given.has(numbers[this.#drawn])) this.#drawn++
    for (let at = this.#drawn; at < numbers.length; at++)
      if (numbers[at] >= position && !this.#given.has(numbers[at])) return numbers[at]
    this.#knowledge.lack({ kind: 'sequence', dataClass: model })
    throw new NotLoaded()
  }
  override positionAfter(given: number, position: number): number {
    if (this.#knowledge.nextOf(this.model) !== null) return given + 1
    this.#given.add(given)
    return position
  }

  override lifeOf(slot: number): string {
    return lifeOfRecord(this.model, this.recordNumber(slot))
  }
  override recordNumber(slot: number): number {
    const row = this.#rows[slot]
    if (row !== undefined) return row.record
    // The database has not numbered it yet: it will come after all others.
    return (this.#rows.at(-1)?.record ?? -1) + 1 + slot - this.#rows.length
  }
  /** The slot of a fetched record, which may have been removed since. */
  slotOf(record: number): number {
    return this.#slots.get(record) as number
  }
  /** The record as the database has it; undefined for one that the run inserted. */
  rowAt(slot: number): WorkingRow | undefined {
    return this.#rows[slot]
  }

  override insertAt(
    slot: number,
    values: readonly StoredValue[],
    stamp: number,
    timestamp: number,
    birth: number,
  ): void {
    super.insertAt(slot, values, stamp, timestamp, birth)
    this.#nextSlot = Math.max(this.#nextSlot, slot + 1)
    this.#note(slot, values[this.model.key.ordinal] as Key)
  }
  override updateAt(
    slot: number,
    ordinals: readonly number[],
    values: StoredValue[],
    stamp: number,
    timestamp: number,
  ): void {
    super.updateAt(slot, ordinals, values, stamp, timestamp)
    this.#note(slot, this.read(slot, this.model.key.ordinal) as Key)
  }
  override removeAt(slot: number, values: readonly StoredValue[]): void {
    super.removeAt(slot, values)
    if (!this.#isFilling) this.#removed.push(slot)
    this.#note(slot, values[this.model.key.ordinal] as Key)
  }

  /** Removes everything that is here, and puts the fetched records in. Cost: O(records). */
  refill(nextBirth: () => number): void {
    const rows = [...this.#knowledge.rowsOf(this.model).values()]
    if (this.#nextSlot > 0 || rows.length > 0) {
      this.#isFilling = true
      this.#clear()
      rows.sort((a, b) => a.record - b.record)
      this.reserve(rows.length)
      for (const row of rows) this.#put(row, nextBirth())
      this.#isFilling = false
    }
    // Beyond all keys while it is unknown; nothing uses it then.
    this.sequence =
      this.#knowledge.nextOf(this.model) ??
      this.#knowledge.numbersOf(this.model)[0] ??
      Number.MAX_SAFE_INTEGER
    this.#given.clear()
    this.#drawn = 0
  }

  #clear(): void {
    for (let slot = this.length - 1; slot >= 0; slot--)
      if (this.isLive(slot)) this.removeAt(slot, this.readAll(slot))
    this.#rows.length = 0
    this.#slots.clear()
    this.written.clear()
    this.#removed = []
    this.#nextSlot = 0
  }
  #put(row: WorkingRow, birth: number): void {
    const slot = this.#rows.length
    for (let ordinal = 0; ordinal < row.values.length; ordinal++)
      this.admit(ordinal, row.values[ordinal])
    this.insertAt(slot, row.values, row.stamp, row.timestamp, birth)
    this.#rows.push(row)
    this.#slots.set(row.record, slot)
  }

  #note(slot: number, key: Key): void {
    this.#knowledge.writes++
    if (!this.#isFilling && !this.written.has(slot))
      this.written.set(slot, { row: this.#rows[slot] ?? null, key })
  }

  #lackEntity(key: Key): void {
    this.#knowledge.lack({ kind: 'entity', dataClass: this.model, key })
  }
  /**
   * If fetched records refer to an unknown entity, code that reads one after the other will need
   * the others that their relation leads to.
   */
  #lackSiblings(key: Key): void {
    for (const { owner, foreignKey } of this.model.incoming) {
      const table = this.tableOf(owner)
      const index = table.indexes[foreignKey.ordinal] as AttributeIndex
      if (index.countOf(key) === 0) continue
      let asked = 0
      for (const slot of table.liveSlots()) {
        const other = table.read(slot, foreignKey.ordinal) as Key | null
        if (other === null || this.#knowledge.hasKey(this.model, other)) continue
        this.#lackEntity(other)
        if (++asked === MAX_ASKED_TOGETHER) break
      }
    }
  }
  /** The other tables of the store. */
  tableOf: (dataClass: ClassModel) => Table = () => this
}
