import { EntityBase, hiddenKeysOf } from '../model/entity.ts'
import { type Column, NULL_INT } from '../storage/column.ts'
import type { Table } from '../storage/table.ts'
import { formatDate } from '../value/date.ts'
import { present } from '../value/present.ts'
import type { StoredValue } from '../value/types.ts'
import { createEntityClass, createViewedClass, type EntityClass, type EntityPort } from './entity-class.ts'
import { ENTITY_WRITERS, type EntityWriter } from './entity-writers.generated.ts'

/** Makes the entities of one table: those of the store itself, or those of views, each of which knows its view. */
export class EntityFactory {
  readonly #table: Table
  readonly #port: EntityPort | null
  readonly #create: EntityClass
  /** Names and columns of the own properties, in definition order. */
  readonly #names: readonly string[]
  readonly #ordinals: readonly number[]
  readonly #hiddenOrdinals: readonly number[]
  #readers: ((slot: number) => unknown)[] = []
  readonly #write: EntityWriter
  #layout = -1
  /** What `of` is making an entity from. */
  #values: readonly StoredValue[] = []
  readonly #valueReaders: readonly (() => unknown)[]

  /** Without a port it makes entities of views, and is told at each whose port that is. */
  constructor(table: Table, port: EntityPort | null) {
    this.#table = table
    this.#port = port
    const visible = table.model.storage.filter((attribute) => !attribute.hidden)
    this.#names = visible.map((attribute) => attribute.name)
    this.#ordinals = visible.map((attribute) => attribute.ordinal)
    this.#hiddenOrdinals = hiddenKeysOf(table.model).map((attribute) => attribute.ordinal)
    this.#create = port === null ? createViewedClass(table.model) : createEntityClass(table.model, port)
    this.#valueReaders = visible.map(({ ordinal, type, dateOnly }) =>
      type === 'date'
        ? () => (this.#values[ordinal] == null ? null : formatDate(this.#values[ordinal] as number, dateOnly))
        : () => this.#values[ordinal] ?? null,
    )
    // Entities of views have another shape: they have a writer of their own as far as there are enough.
    const first = port === null ? ENTITY_WRITERS.length >> 1 : 0
    this.#write = ENTITY_WRITERS[(first + table.model.ordinal) % ENTITY_WRITERS.length]
  }

  /** True when foreign keys are kept under their relations' names. */
  get hasHidden(): boolean {
    return this.#hiddenOrdinals.length > 0
  }

  /** The entity of a living record. Cost: one small object. */
  at(slot: number, port = this.#port): object {
    return this.#make(slot, this.#table.stamps[slot], this.#table.timestamps[slot], port)
  }

  /** A copy of an entity of this table, for the reader of a view. */
  copy(port: EntityPort, entity: EntityBase): object {
    const { key, stamp, timestamp, hidden } = EntityBase.marksOf(entity)
    const copy = new this.#create(this.#table.model, key, stamp, timestamp, hidden, port)
    return Object.assign(copy, entity)
  }

  /** The entity of a living record, some of whose stored values (of columns that are not hidden) are staged. */
  changed(
    slot: number,
    ordinals: readonly number[],
    values: readonly StoredValue[],
    stamp: number,
    timestamp: number,
  ): object {
    const entity = this.#make(slot, stamp, timestamp, this.#port)
    for (let i = 0; i < ordinals.length; i++) {
      const { name, type, dateOnly } = this.#table.model.storage[ordinals[i]]
      entity[name] = present(type, dateOnly, values[i])
    }
    return entity
  }

  #make(slot: number, stamp: number, timestamp: number, port: EntityPort | null): Record<string, unknown> {
    const table = this.#table
    if (table.layout !== this.#layout) this.#compile()
    const key = table.columns[table.model.key.ordinal].read(slot)
    const hidden =
      this.#hiddenOrdinals.length === 0 ? null : this.#hiddenOrdinals.map((ordinal) => table.read(slot, ordinal))
    const entity = new this.#create(table.model, key, stamp, timestamp, hidden, port) as unknown as Record<
      string,
      unknown
    >
    this.#write(entity, this.#names, this.#readers, slot)
    return entity
  }

  /** An entity from stored values by column: one that is staged, would be, or was. */
  of(values: readonly StoredValue[], stamp: number, timestamp: number): object {
    const { model } = this.#table
    const hidden = this.#hiddenOrdinals.length === 0 ? null : this.#hiddenOrdinals.map((ordinal) => values[ordinal])
    const entity = new this.#create(
      model,
      values[model.key.ordinal] ?? null,
      stamp,
      timestamp,
      hidden,
      this.#port,
    ) as unknown as Record<string, unknown>
    this.#values = values
    this.#write(entity, this.#names, this.#valueReaders, 0)
    return entity
  }

  #compile(): void {
    this.#readers = this.#ordinals.map((ordinal) => presentedReader(this.#table, ordinal))
    this.#layout = this.#table.layout
  }
}

/** Reads a column as users see it. Days repeat: their texts are kept, a bounded number of them. */
export function presentedReader(table: Table, ordinal: number): (slot: number) => unknown {
  const column = table.columns[ordinal]
  const { attribute } = column
  if (attribute.type !== 'date') {
    if (column.layout === 'word') {
      const { spellings } = column.dictionary
      return (slot) => {
        const code = column.codes[slot]
        return code === 0 ? null : spellings[code]
      }
    }
    return plainReader(column)
  }
  const texts = new Map<number, string>()
  return (slot) => {
    const value = column.read(slot) as number | null
    if (value === null) return null
    let text = texts.get(value)
    if (text === undefined) {
      text = formatDate(value, attribute.dateOnly)
      if (texts.size >= 32768) texts.clear()
      texts.set(value, text)
    }
    return text
  }
}

/** A reader per layout, so that each is specialised for one kind of vector. */
function plainReader(column: Column): (slot: number) => unknown {
  if (column.layout === 'text') {
    const { spellings } = column
    return (slot) => spellings[slot]
  }
  if (column.layout === 'bool') {
    return (slot) => {
      const value = column.data[slot]
      return value === 2 ? null : value === 1
    }
  }
  if (column.layout !== 'number') return (slot) => column.read(slot)
  if (column.data instanceof Float64Array) {
    return (slot) => {
      const value = column.data[slot]
      return Number.isNaN(value) ? null : value
    }
  }
  return (slot) => {
    const value = column.data[slot]
    return value === NULL_INT || Number.isNaN(value) ? column.read(slot) : value
  }
}
