import {
  type AnySelection,
  type ClassModel,
  dataClassOf,
  isEntity,
  isSelection,
  keyOf,
} from '@entia/core'
import { hasNoForm } from '@entia/core/internal'
import { type Awaitable, andThen } from '../interface/awaitable.ts'
import { buildProjection } from '../interface/build-projection.ts'
import type {
  CallQuery,
  ResultValue,
  ShownEntity,
  ShownSelection,
} from '../interface/function-query.ts'
import type { Projection } from '../interface/projection.ts'
import type { CallerStore } from './caller-store.ts'
import { RecordReader } from './record.ts'
import { keepSelection } from './select.ts'
import type { StoredEntity } from './values.ts'

/**
 * Converts the result of a function into a form that can be rendered. Throws an Error for the host
 * with the path of a value that cannot, and EntiaErrors for invalid request parameters.
 */
export class ResultReader {
  readonly #callerStore: CallerStore
  readonly #query: CallQuery
  readonly #reader: RecordReader
  /** The objects on the path to the current value. */
  readonly #around = new Set<object>()

  constructor(callerStore: CallerStore, query: CallQuery) {
    this.#callerStore = callerStore
    this.#query = query
    this.#reader = new RecordReader(callerStore.view, query)
  }

  /** Reads the result. Request parameters apply to the result itself, not to entities inside it. */
  read(result: unknown): Awaitable<ResultValue> {
    const { projectionOf, skip, top, keep } = this.#query
    if (isEntity(result))
      return this.#entity(result, projectionOf(this.#known(dataClassOf(result), 'The result')))
    if (!isSelection(result)) return this.#value(result, 'The result') ?? null
    const projection = projectionOf(this.#known(result.dataClass.model, 'The result'))
    const shown = this.#selection(result, projection, skip, top)
    if (keep === null) return shown
    const selection = this.#callerStore.view.apply(result)
    const kept = keepSelection(this.#callerStore, { selection, entitySetId: null }, keep, (body) =>
      body(),
    )
    return andThen(kept, (entitySetId) => ({ ...shown, entitySetId }))
  }

  /** Undefined for values that JSON omits. */
  #value(value: unknown, at: string): ResultValue | undefined {
    switch (typeof value) {
      case 'undefined':
        return undefined
      case 'boolean':
      case 'string':
        return value
      case 'number':
        if (Number.isFinite(value)) return value
        throw notRepresentable(at, `the number ${value}`)
      case 'object':
        return value === null ? null : this.#object(value, at)
      default:
        throw notRepresentable(at, `a ${typeof value}`)
    }
  }

  #object(value: object, at: string): ResultValue | undefined {
    if (isEntity(value))
      return this.#entity(value, this.#whole(this.#known(dataClassOf(value), at)))
    if (isSelection(value))
      return this.#selection(
        value,
        this.#whole(this.#known(value.dataClass.model, at)),
        0,
        this.#query.relatedTop,
      )
    if (this.#around.has(value)) throw notRepresentable(at, 'an object that holds itself')
    if (this.#around.size >= this.#query.maxDepth)
      throw notRepresentable(at, `nested deeper than ${this.#query.maxDepth}`)
    this.#around.add(value)
    try {
      if (Array.isArray(value))
        // `map` would leave the holes of the array, which JSON has no form for.
        return Array.from(value, (item, index) => this.#value(item, `${at}[${index}]`) ?? null)
      if ('toJSON' in value && typeof value.toJSON === 'function')
        return this.#value(value.toJSON(), at)
      if (hasNoForm(value))
        throw notRepresentable(at, 'a collection, bytes or a promise, which JSON has no form for')
      const members = new Map<string, ResultValue>()
      for (const [name, inner] of Object.entries(value)) {
        const member = this.#value(inner, `${at}.${name.slice(0, 40)}`)
        if (member !== undefined) members.set(name, member)
      }
      return members
    } finally {
      this.#around.delete(value)
    }
  }

  /** An entity that the caller may not see is null, even if the function returned it. */
  #entity(entity: StoredEntity, projection: Projection): ShownEntity | null {
    const { view } = this.#callerStore
    if (view.restrictsRows && !view.dataClass(projection.dataClass.name).has(keyOf(entity)))
      return null
    return { kind: 'entity', projection, record: this.#reader.read(entity, projection) }
  }

  #selection(
    found: AnySelection,
    projection: Projection,
    skip: number,
    top: number,
  ): ShownSelection {
    const selection = this.#callerStore.view.apply(found)
    const records = this.#reader.readPage(selection, skip, top, projection)
    const { count } = selection
    return { kind: 'selection', projection, count, first: skip, records, entitySetId: null }
  }

  /** All attributes, with relations as addresses. */
  #whole(dataClass: ClassModel): Projection {
    const { names } = this.#callerStore
    return buildProjection(dataClass, { names, attributes: null, maxPathDepth: 1 })
  }

  /** Checks that the caller knows the dataclass: of others nothing may be rendered. */
  #known(dataClass: ClassModel, at: string): ClassModel {
    if (this.#callerStore.names.findDataClass(dataClass.name) === dataClass) return dataClass
    throw notRepresentable(
      at,
      `of dataclass "${dataClass.name}", which is not exposed to the caller, or is of another store`,
    )
  }
}

function notRepresentable(at: string, what: string): Error {
  return new Error(`${at} cannot be answered: it is ${what}.`)
}
