import {
  type AnyDataStore,
  type ClassModel,
  type DataStore,
  type Entity,
  keyOf,
  type Model,
  type NewEntity,
  type Patch,
  type ToOneAttribute,
} from '@entia/core'
import { checkNames, checkObject, handleOf } from '@entia/core/internal'
import type { Rewindable } from '../ports/rewindable.ts'
import type { FakerLike } from './faker.ts'
import { makeValue, type ValueSource } from './make-value.ts'
import { createRandom } from './random.ts'

/** Creates entities of one dataclass. It generates missing values that the model accepts. */
export interface Factory<M extends Model, N extends keyof M> {
  /** Values for `insert`. It stores nothing except required related entities. */
  build(values?: Patch<M, N>): NewEntity<M, N>
  create(values?: Patch<M, N>): Entity<M, N>
  /** Inserts in one transaction. `values` may be a function of the index, from 0. */
  createMany(count: number, values?: Patch<M, N> | ((place: number) => Patch<M, N>)): Entity<M, N>[]
}

/**
 * One factory per dataclass. Rewind them between tests, so that values do not depend on earlier
 * tests.
 */
export type Factories<M extends Model> = { readonly [N in keyof M]: Factory<M, N> } & Rewindable

export interface FactoryOptions<M extends Model> {
  /** The same seed gives the same values. 1 by default. */
  readonly seed?: number
  /**
   * `@faker-js/faker`, for names, cities and the like; it gets the seed too. Without it, texts are
   * plain words.
   */
  readonly faker?: FakerLike
  /** Your own values, by dataclass; the number counts from 1. */
  readonly values?: { readonly [N in keyof M]?: (number: number) => Patch<M, N> }
}

/**
 * Creates factories for all dataclasses of a store from its model: types, limits, uniqueness and
 * relations. The store assigns sequence keys, defaults, and attributes that only hooks may set. A
 * relation leads to an existing entity; a required one without a candidate creates the entity.
 * Inverse relations stay empty. Throws an Error for a dataclass called `mark`.
 *
 * @example
 * ```ts
 * const make = createFactories(store)
 * make.Employee.create({ salary: 20_000 }).salary // → 20000
 * ```
 */
export function createFactories<M extends Model, F, S>(
  store: DataStore<M, F, S>,
  options: FactoryOptions<M> = {},
): Factories<M> {
  handleOf(store)
  checkNames(options, ['seed', 'faker', 'values'])
  const { seed = 1, faker, values } = options
  const random = createRandom(seed)
  const any: AnyDataStore = store
  if (values !== undefined) {
    checkObject('values', values)
    for (const [name, own] of Object.entries(values)) {
      any.dataClass(name)
      if (own !== undefined && typeof own !== 'function')
        throw new Error(
          `The values of ${name} must be a function, such as (number) => ({ name: 'N' + number }).`,
        )
    }
  }
  faker?.seed(seed)
  const maker = new Maker(any, { random, faker: faker ?? null }, values as OwnValues | undefined)
  const factories: Record<string, unknown> = Object.create(null)
  if (any.catalog.byName.has('mark'))
    throw new Error('Factories have their own member "mark". Rename the dataclass "mark".')
  for (const model of any.catalog.classes) factories[model.name] = factoryOf(any, model, maker)
  factories.mark = () => {
    const back = [random.mark(), maker.mark()]
    return () => {
      for (const each of back) each()
      faker?.seed(seed)
    }
  }
  return factories as Factories<M>
}

type Values = Readonly<Record<string, unknown>>
type OwnValues = Readonly<Record<string, ((number: number) => Values) | undefined>>

function factoryOf(store: AnyDataStore, model: ClassModel, maker: Maker): Factory<Model, string> {
  const table = store.dataClass(model.name)
  const create = (values: Values): unknown => table.insert(maker.make(model, values))
  return {
    build: (values = {}) => maker.make(model, values),
    create: (values = {}) => store.transact(() => create(values) as never),
    createMany: (count, values = {}) =>
      store.transact(
        () =>
          Array.from({ length: count }, (_, place) =>
            create(typeof values === 'function' ? values(place) : values),
          ) as never,
      ),
  }
}

class Maker implements Rewindable {
  readonly #store: AnyDataStore
  readonly #source: ValueSource
  readonly #own: OwnValues
  #made = new Map<string, number>()

  constructor(store: AnyDataStore, source: ValueSource, own: OwnValues = {}) {
    this.#store = store
    this.#source = source
    this.#own = own
  }

  make(model: ClassModel, given: Values): Values {
    const serial = (this.#made.get(model.name) ?? 0) + 1
    this.#made.set(model.name, serial)
    const own = Object.hasOwn(this.#own, model.name) ? this.#own[model.name]?.(serial) : undefined
    const values: Record<string, unknown> = Object.assign(Object.create(null), own, given)
    for (const attribute of model.attributes.values()) {
      if (Object.hasOwn(values, attribute.name)) continue
      if (attribute.kind === 'relatedEntity') {
        if (!Object.hasOwn(values, attribute.foreignKey.name))
          values[attribute.name] = this.#related(attribute)
      } else if (
        attribute.kind === 'storage' &&
        attribute.relation === null &&
        !attribute.autoSequence &&
        !attribute.readOnly &&
        attribute.defaultValue === undefined
      )
        values[attribute.name] = makeValue(attribute, serial, this.#source)
    }
    return { ...values }
  }

  mark(): () => void {
    const then = new Map(this.#made)
    return () => {
      this.#made = new Map(then)
    }
  }

  #related({ target, notNull, foreignKey, owner }: ToOneAttribute): string | number | null {
    const all = this.#store.dataClass(target.name).all()
    const { count } = all
    if (count > 0) return keyOf(all.page(this.#source.random.integer(0, count - 1), 1).first()!)
    if (!notNull && !foreignKey.notNull) return null
    if (target === owner)
      throw new Error(
        `The first ${owner.name} needs another one for ${foreignKey.name}. Insert it yourself.`,
      )
    return keyOf(this.#store.dataClass(target.name).insert(this.make(target, {})))
  }
}
