import type { EntiaError } from '../errors.ts'
import type { AttributeModel, Catalog, ClassModel, ToOneAttribute } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import { dataClassOf, EntityBase } from '../model/entity.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import { findAttribute, notApplicable, unknownAttribute, unknownDataClass } from '../model/path.ts'
import type { AnySelection } from '../model/session-types.ts'
import type { DataClassCore, DataClassReader } from '../model/table-types.ts'
import type { View, ViewOptions } from '../model/view-types.ts'
import { TableQueries } from '../query/queries.ts'
import { Selection } from '../query/selection.ts'
import { storedKey } from '../storage/stored-key.ts'
import { refused } from '../value/check-options.ts'
import { readViewOptions } from './view-options.ts'
import { type ReadStore, ViewPort } from './view-port.ts'

/** One dataclass of a view, for reading only. */
export class ViewTable extends TableQueries implements DataClassCore<Untyped, Untyped, Selection> {
  readonly #port: ViewPort

  constructor(model: ClassModel, port: ViewPort) {
    super(model, port.queries)
    this.#port = port
  }

  get count(): number {
    return this.all().count
  }
  get(key: unknown): AnyEntity | undefined {
    const stored = storedKey(this.model, key)
    if (stored !== null) return this.#port.get(this.model, stored)
    this.#port.moment.enter()
    return undefined
  }
  has(key: unknown): boolean {
    this.#port.moment.enter()
    const stored = storedKey(this.model, key)
    return stored !== null && this.#port.find(this.model, stored) >= 0
  }

  /** The text that Node prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `View of ${this.name} (${this.count})`
  }
}

/** Capabilities have added the members for reading to its class. */
type ViewReader = ViewTable & DataClassReader<Untyped, string>

/** A store as one caller may see it. Creating one binds the row filters and runs no query. */
export class StoreView implements View<Untyped> {
  readonly #catalog: Catalog
  readonly #exposedOnly: boolean
  readonly #port: ViewPort
  readonly #TableClass: typeof ViewTable
  readonly #tables = new Map<string, ViewReader>()

  constructor({ reader, catalog, composition }: ReadStore, given: ViewOptions = {}) {
    const options = readViewOptions(given)
    this.#catalog = catalog
    this.#TableClass = composition.tableClass(ViewTable)
    this.#exposedOnly = options.exposedOnly === true
    this.#port = new ViewPort(reader, catalog, options, ({ name }) => this.dataClass(name))
  }

  get restrictsRows(): boolean {
    return this.#port.restrictsRows
  }
  sees(attribute: AttributeModel): boolean {
    return this.#port.names.sees(attribute)
  }

  /** Throws `dataClassNotFound`. */
  dataClass(name: string): ViewReader {
    return this.#tables.get(name) ?? this.#open(name)
  }
  #open(name: string): ViewReader {
    const model = this.#catalog.byName.get(name)
    if (model === undefined || !this.#knows(model)) throw this.#unknown(name)
    const table = new this.#TableClass(model, this.#port) as ViewReader
    this.#tables.set(name, table)
    return table
  }

  related(entity: object, relation: string): AnyEntity | AnySelection | null {
    const attribute = this.#attributeOf(entity, relation)
    if (attribute.kind === 'relatedEntities')
      return this.#port.relatedSelection(
        attribute,
        EntityBase.marksOf(entity as EntityBase).key,
      ) as Selection & AnySelection
    const key = this.#foreignKeyOf(entity, attribute)
    return key === null ? null : this.#port.relatedEntity(attribute as ToOneAttribute, key)
  }
  relatedKey(entity: object, relation: string): string | number | null {
    const attribute = this.#attributeOf(entity, relation)
    const key = this.#foreignKeyOf(entity, attribute)
    if (key === null || !this.restrictsRows) return key
    return this.#port.find((attribute as ToOneAttribute).target, key) < 0 ? null : key
  }
  valueOf(entity: object, name: string): unknown {
    const attribute = this.#attributeOf(entity, name)
    if (attribute.kind === 'relatedEntity' || attribute.kind === 'relatedEntities')
      throw notApplicable(attribute.owner.name, name, 'a value', 'Use related.')
    const source =
      attribute.kind === 'storage'
        ? entity
        : this.#port.adopted(entity as EntityBase, attribute.owner)
    return (source as { readonly [name: string]: unknown })[name] ?? null
  }

  apply<S extends AnySelection>(selection: S): S {
    const isOurs =
      selection instanceof Selection &&
      this.#port.database.tableOf(selection.table.model) === selection.table
    if (!isOurs) {
      throw refused(
        'The selection',
        'a selection of this store',
        selection instanceof Selection ? 'one of another store, or of the past' : typeof selection,
      )
    }
    const { model } = selection.table
    if (!this.#knows(model)) throw this.#unknown(model.name)
    return selection.seenThrough(this.#port)
  }

  #unknown(dataClass: string): EntiaError {
    const known = this.#catalog.classes.filter((each) => this.#knows(each)).map(({ name }) => name)
    return unknownDataClass(dataClass, known)
  }

  #knows(dataClass: ClassModel): boolean {
    return dataClass.exposed || !this.#exposedOnly
  }

  /** The attribute of an entity of this store. */
  #attributeOf(entity: object, name: string): AttributeModel {
    const dataClass = dataClassOf(entity)
    if (this.#catalog.classes[dataClass.ordinal] !== dataClass) {
      throw refused('The entity', 'an entity of this store', 'one of another store')
    }
    const attribute = findAttribute(dataClass, name)
    if (attribute === undefined || !this.sees(attribute))
      throw unknownAttribute(dataClass, name, this.#port.names.sees)
    return attribute
  }

  #foreignKeyOf(entity: object, attribute: AttributeModel): string | number | null {
    if (attribute.kind !== 'relatedEntity')
      throw notApplicable(
        attribute.owner.name,
        attribute.name,
        'a relation to one entity',
        'Name a to-one relation.',
      )
    return (EntityBase.foreignKeyOf(entity as EntityBase, attribute) ?? null) as
      | string
      | number
      | null
  }
}
