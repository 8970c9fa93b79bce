import type { StorageAttribute } from '../model/catalog.ts'
import {
  EntityBase,
  type EntityOrigin,
  type EntityPort,
  hiddenKeysOf,
  timestampBuffer,
  timestampHalves,
} from '../model/entity.ts'
import { type Column, NULL_INT } from '../storage/column.ts'
import type { Table } from '../storage/table.ts'
import { present } from '../value/compare.ts'
import { formatDate } from '../value/date.ts'
import type { StoredValue } from '../value/types.ts'
import { type EntityClass, entityClassOf } from './entity-class.ts'
import { COPY_WIDTH } from './entity-classes.generated.ts'
import type { EntityMaker, EntitySource, PropertyReader, WriteMarks } from './entity-source.ts'

/** Creates the entities of one table, for the store and for its views. */
export class EntityFactory {
  readonly #table: Table
  readonly #origin: EntityOrigin
  /** The own properties, in definition order. */
  readonly #attributes: readonly StorageAttribute[]
  readonly #hiddenOrdinals: readonly number[]
  readonly #source: Source
  /** Taken with the first entity: many dataclasses of a model may never create one. */
  #class: EntityClass | null = null
  #make: EntityMaker = unready
  #writeMarks: WriteMarks = unready
  /** Readers of the first properties, replaced when a column is. */
  #readers: readonly PropertyReader[] = []
  /** The further properties of a wide dataclass. */
  #further: readonly Further[] | null = null
  #layout = -1

  constructor(table: Table, port: EntityPort) {
    const { model } = table
    this.#table = table
    this.#origin = { model, port, hidden: null }
    this.#attributes = model.storage.filter((attribute) => !attribute.hidden)
    this.#hiddenOrdinals = hiddenKeysOf(model).map((attribute) => attribute.ordinal)
    this.#source = new Source(table, this.#origin, this.#hiddenOrdinals)
  }

  /** True if some foreign keys are not attributes of their own. */
  get hasHidden(): boolean {
    return this.#hiddenOrdinals.length > 0
  }

  /** The entity of a living record. Cost: one object. */
  at(slot: number): EntityBase {
    if (this.#table.layout !== this.#layout) this.#compile()
    const entity = this.#make(this.#readers, this.#source, slot)
    if (this.#further !== null)
      for (const { fill, readers } of this.#further) fill(readers, this.#source, slot, entity)
    return entity
  }

  /** The same entity for a reader of a view. */
  viewedAt(slot: number, origin: EntityOrigin): EntityBase {
    const entity = this.at(slot)
    const { origin: own, key, stamp, first, second } = EntityBase.marksOf(entity)
    this.#writeMarks(entity, seenFrom(origin, own.hidden), key, stamp, first, second)
    return entity
  }

  /** The origin that makes `viewedAt` create entities of a view. */
  originOf(port: EntityPort): EntityOrigin {
    return { model: this.#table.model, port, hidden: null }
  }

  /** Copies an entity of this table for a reader of a view. */
  copy(origin: EntityOrigin, entity: EntityBase): EntityBase {
    const { origin: own, key, stamp, first, second } = EntityBase.marksOf(entity)
    const copied = this.#shaped()
    this.#writeMarks(copied, seenFrom(origin, own.hidden), key, stamp, first, second)
    return Object.assign(copied, entity)
  }

  /** The entity of a living record with some staged values. Their columns must not be hidden. */
  changed(
    slot: number,
    ordinals: readonly number[],
    values: readonly StoredValue[],
    stamp: number,
    timestamp: number,
  ): EntityBase {
    const entity = this.at(slot)
    const { origin, key } = EntityBase.marksOf(entity)
    this.#writeMarks(entity, origin, key, stamp, ...halvesOf(timestamp))
    for (let i = 0; i < ordinals.length; i++)
      put(entity, this.#table.model.storage[ordinals[i]], values[i])
    return entity
  }

  /** An entity from stored values by column: a staged, previewed or past one. */
  of(values: readonly StoredValue[], stamp: number, timestamp: number): EntityBase {
    const hidden = this.hasHidden ? this.#hiddenOrdinals.map((ordinal) => values[ordinal]) : null
    const key = values[this.#table.model.key.ordinal] ?? null
    const entity = this.#shaped()
    this.#writeMarks(entity, seenFrom(this.#origin, hidden), key, stamp, ...halvesOf(timestamp))
    for (const attribute of this.#attributes)
      put(entity, attribute, values[attribute.ordinal] ?? null)
    return entity
  }

  /**
   * An entity whose values the caller overwrites. It is read at slot 0, so an empty table gets room
   * first.
   */
  #shaped(): EntityBase {
    this.#table.reserve(1)
    return this.at(0)
  }

  #compile(): void {
    this.#class ??= entityClassOf(
      this.#table.model,
      this.#attributes.map(({ name }) => name),
    )
    const { make, further, writeMarks } = this.#class
    const readers = this.#attributes.map(({ ordinal }) => presentedReader(this.#table, ordinal))
    this.#make = make
    this.#writeMarks = writeMarks
    this.#readers = readers.slice(0, COPY_WIDTH)
    this.#further =
      further.length === 0
        ? null
        : further.map((fill, at) => ({
            fill,
            readers: readers.slice((at + 1) * COPY_WIDTH, (at + 2) * COPY_WIDTH),
          }))
    const key = this.#table.columns[this.#table.model.key.ordinal]
    this.#source.keyAt = plainReader(key) as (slot: number) => StoredValue
    this.#layout = this.#table.layout
  }
}

interface Further {
  readonly fill: EntityMaker
  readonly readers: readonly PropertyReader[]
}

const unready = (): never => {
  throw new Error('No entity class was created yet.')
}

function put(
  entity: EntityBase,
  { name, type, dateOnly }: StorageAttribute,
  value: StoredValue,
): void {
  ;(entity as Record<string, unknown>)[name] = present(type, dateOnly, value)
}

const seenFrom = (origin: EntityOrigin, hidden: readonly StoredValue[] | null): EntityOrigin =>
  hidden === null ? origin : { ...origin, hidden }

function halvesOf(timestamp: number): [first: number, second: number] {
  timestampBuffer[0] = timestamp
  return [timestampHalves[0], timestampHalves[1]]
}

/** The marks of a table's records. The maker of entities reads its fields without a call. */
class Source implements EntitySource {
  keyAt: (slot: number) => StoredValue = () => null
  readonly table: Table
  readonly origin: EntityOrigin
  readonly hides: boolean
  readonly isKeyFirst: boolean
  readonly #hiddenOrdinals: readonly number[]

  constructor(table: Table, origin: EntityOrigin, hiddenOrdinals: readonly number[]) {
    this.table = table
    this.origin = origin
    this.hides = hiddenOrdinals.length > 0
    this.#hiddenOrdinals = hiddenOrdinals
    const { key } = table.model
    this.isKeyFirst = key.ordinal === 0 && !key.hidden
  }

  /** The origin of a record with hidden foreign keys. */
  hidingAt(slot: number): EntityOrigin {
    const hidden = this.#hiddenOrdinals.map((ordinal) => this.table.read(slot, ordinal))
    return seenFrom(this.origin, hidden)
  }
}

/** Reads a column as users see it. Dates repeat, so a bounded number of their texts is cached. */
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
  if (column.layout === 'number' && attribute.dateOnly) {
    const texts = column.dayTexts
    return (slot) => {
      const day = column.data[slot]
      return day === NULL_INT ? null : texts.of(day)
    }
  }
  const texts = new Map<number, string>()
  return (slot) => {
    const value = column.read(slot) as number | null
    if (value === null) return null
    let text = texts.get(value)
    if (text === undefined) {
      text = formatDate(value, false)
      if (texts.size >= 32768) texts.clear()
      texts.set(value, text)
    }
    return text
  }
}

/** One reader per layout, so that V8 specialises each for one kind of vector. */
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
  // `>` is false for null, and in a widened column for NaN and for numbers below the integers.
  return (slot) => {
    const value = column.data[slot]
    return value > NULL_INT ? value : column.read(slot)
  }
}
