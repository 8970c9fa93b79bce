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
import type { Rewindable } from '../ports/rewindable.ts'
import type { FakerLike } from './faker.ts'
import { makeValue, type ValueSource } from './make-value.ts'
import { createRandom } from './random.ts'

/** Makes entities of one dataclass. What is not given is made up so that the model accepts it. */
export interface Factory<M extends Model, N extends keyof M> {
  /** Values as `insert` takes them; nothing is stored but related entities that must be there. */
  build(values?: Patch<M, N>): NewEntity<M, N>
  create(values?: Patch<M, N>): Entity<M, N>
  /** In one transaction. `values` may be a function of the place, from 0. */
  createMany(count: number, values?: Patch<M, N> | ((place: number) => Patch<M, N>)): Entity<M, N>[]
}

/** One factory per dataclass. As a port it can be put back, so that what a test gets does not depend on the tests before it. */
export type Factories<M extends Model> = { readonly [N in keyof M]: Factory<M, N> } & Rewindable

export interface FactoryOptions<M extends Model> {
  /** The same seed gives the same values. 1 by default. */
  readonly seed?: number
  /** `@faker-js/faker`, for names, cities and the like; it is seeded too. Plain words without it. */
  readonly faker?: FakerLike
  /** Values of your own, by dataclass: the number counts from 1. */
  readonly values?: { readonly [N in keyof M]?: (number: number) => Patch<M, N> }
}

/**
 * Factories for all dataclasses of a store, made of its model: types, limits, uniqueness, relations. Left to the store are keys that it numbers itself,
 * defaults, and what only hooks may set. A relation leads to one of the entities there are; where there is none, one is made if the relation
 * must not be null. Inverse relations stay empty. Throws an Error for a dataclass called `mark`.
 */
export function createFactories<M extends Model, F, S>(
  store: DataStore<M, F, S>,
  { seed = 1, faker, values }: FactoryOptions<M> = {},
): Factories<M> {
  const random = createRandom(seed)
  const any = store as unknown as AnyDataStore
  faker?.seed(seed)
  const maker = new Maker(any, { random, faker: faker ?? null }, values as OwnValues | undefined)
  const factories: Record<string, unknown> = Object.create(null)
  if (any.catalog.byName.has('mark'))
    throw new Error('Factories have a member "mark" of their own: give the dataclass "mark" another name.')
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
        if (!Object.hasOwn(values, attribute.foreignKey.name)) values[attribute.name] = this.#related(attribute)
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
      throw new Error(`The first ${owner.name} needs another one for ${foreignKey.name}: insert it by yourself.`)
    return keyOf(this.#store.dataClass(target.name).insert(this.make(target, {})))
  }
}
