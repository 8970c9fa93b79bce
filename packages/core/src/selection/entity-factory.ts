import { EntiaError } from '../errors.ts'
import type { AttributeModel, ClassModel, ToManyAttribute, ToOneAttribute } from '../model/catalog.ts'
import { EntityBase, hiddenKeysOf } from '../model/entity.ts'
import { type Column, NULL_INT } from '../storage/column.ts'
import type { Table } from '../storage/table.ts'
import { formatDate } from '../value/date.ts'
import { present } from '../value/present.ts'
import type { StoredValue } from '../value/types.ts'
import { ENTITY_WRITERS, type EntityWriter } from './entity-writers.generated.ts'

/** What entities reach through relations; answered by the store they come from. */
export interface EntityPort {
  relatedEntity(relation: ToOneAttribute, key: StoredValue): object | null
  relatedSelection(relation: ToManyAttribute, key: StoredValue): object
}

/** Makes the entities of one table. */
export class EntityFactory {
  readonly #table: Table
  readonly #create: new (
    model: ClassModel,
    key: StoredValue,
    stamp: number,
    timestamp: number,
    hidden: readonly StoredValue[] | null,
  ) => EntityBase
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

  constructor(table: Table, port: EntityPort) {
    this.#table = table
    const visible = table.model.storage.filter((attribute) => !attribute.hidden)
    this.#names = visible.map((attribute) => attribute.name)
    this.#ordinals = visible.map((attribute) => attribute.ordinal)
    this.#hiddenOrdinals = hiddenKeysOf(table.model).map((attribute) => attribute.ordinal)
    this.#create = createEntityClass(table.model, port)
    this.#valueReaders = visible.map(({ ordinal, type, dateOnly }) =>
      type === 'date'
        ? () => (this.#values[ordinal] == null ? null : formatDate(this.#values[ordinal] as number, dateOnly))
        : () => this.#values[ordinal] ?? null,
    )
    this.#write = ENTITY_WRITERS[table.model.ordinal % ENTITY_WRITERS.length]
  }

  /** The entity of a living record. Cost: one small object. */
  at(slot: number): object {
    return this.#make(slot, this.#table.stamps[slot], this.#table.timestamps[slot])
  }

  /** The entity of a living record, some of whose stored values (of columns that are not hidden) are staged. */
  changed(
    slot: number,
    ordinals: readonly number[],
    values: readonly StoredValue[],
    stamp: number,
    timestamp: number,
  ): object {
    const entity = this.#make(slot, stamp, timestamp)
    for (let i = 0; i < ordinals.length; i++) {
      const { name, type, dateOnly } = this.#table.model.storage[ordinals[i]]
      entity[name] = present(type, dateOnly, values[i])
    }
    return entity
  }

  #make(slot: number, stamp: number, timestamp: number): Record<string, unknown> {
    const table = this.#table
    if (table.layout !== this.#layout) this.#compile()
    const key = table.columns[table.model.key.ordinal].read(slot)
    const hidden =
      this.#hiddenOrdinals.length === 0 ? null : this.#hiddenOrdinals.map((ordinal) => table.read(slot, ordinal))
    const entity = new this.#create(table.model, key, stamp, timestamp, hidden) as unknown as Record<string, unknown>
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

/** A class per dataclass, so that its entities share one shape and their relations are getters of one prototype. */
function createEntityClass(model: ClassModel, port: EntityPort) {
  class DataClassEntity extends EntityBase {}
  Object.defineProperty(DataClassEntity, 'name', { value: model.name })
  const define = (name: string, get: (this: EntityBase) => unknown): void => {
    Object.defineProperty(DataClassEntity.prototype, name, { configurable: true, enumerable: false, get })
  }
  const isFree = (name: string): boolean => !model.attributes.has(name)
  if (isFree('key'))
    define('key', function () {
      return EntityBase.keyOf(this)
    })
  if (isFree('stamp'))
    define('stamp', function () {
      return EntityBase.stampOf(this)
    })
  if (isFree('timestamp'))
    define('timestamp', function () {
      return EntityBase.timestampOf(this)
    })
  if (isFree('toJSON')) {
    Object.defineProperty(DataClassEntity.prototype, 'toJSON', {
      configurable: true,
      enumerable: false,
      value(this: object) {
        return { ...this }
      },
    })
  }
  for (const attribute of model.attributes.values()) {
    const get = getterOf(attribute, port)
    if (get !== null) define(attribute.name, get)
  }
  return DataClassEntity
}

function getterOf(attribute: AttributeModel, port: EntityPort): ((this: EntityBase) => unknown) | null {
  switch (attribute.kind) {
    case 'storage':
      return null
    case 'relatedEntity':
      return function () {
        const key = EntityBase.foreignKeyOf(this, attribute)
        return key === null || key === undefined ? null : port.relatedEntity(attribute, key)
      }
    case 'relatedEntities':
      return function () {
        return port.relatedSelection(attribute, EntityBase.keyOf(this))
      }
    case 'calculated':
      return function () {
        const value = attribute.get(this as never)
        if (value instanceof Promise) {
          value.catch(() => undefined)
          throw new EntiaError('promiseReturned', {
            where: `The getter of computed attribute "${attribute.name}" of dataclass "${attribute.owner.name}"`,
            remedy: 'Compute from values that are at hand.',
          })
        }
        return value ?? null
      }
    case 'alias':
      return function () {
        let entity: unknown = this
        for (const step of attribute.steps) {
          if (entity === null || entity === undefined) return null
          entity = (entity as Record<string, unknown>)[step.name]
        }
        return entity === null || entity === undefined
          ? null
          : ((entity as Record<string, unknown>)[attribute.target.name] ?? null)
      }
  }
}
