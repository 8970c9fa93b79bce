import {
  type AttributeModel,
  type Catalog,
  type ClassModel,
  EntiaError,
  isVisible,
  type RelationAttribute,
  type StorageAttribute,
} from '@entia/core'
import { overBudget } from '@entia/core/internal'
import type { Access } from './access.ts'
import type { Projection, ValueAttribute } from './projection.ts'

/**
 * The only place that resolves names from outside against the model, for one caller. Names that are
 * not exposed, or hidden from the caller, are unknown: same error, same message.
 */
export class Names {
  readonly catalog: Catalog
  /** Projections built from these names, by request. */
  readonly projections = new Map<string, Projection>()
  /** Characters of the requests in `projections`. */
  projectionCharacters = 0
  /** Projections of whole dataclasses, in the forms that `buildProjection` numbers. */
  readonly defaultProjections: Map<ClassModel, Projection>[] = []
  /** Orders that were checked, with what they were checked for. */
  readonly orders = new Set<string>()
  readonly #access: Access | null

  /** `access` is null if everything exposed may be known. */
  constructor(catalog: Catalog, access: Access | null) {
    this.catalog = catalog
    this.#access = access
  }

  /** Throws dataClassNotFound. */
  dataClass(name: string): ClassModel {
    const dataClass = this.findDataClass(name)
    if (dataClass === undefined) throw new EntiaError('dataClassNotFound', { dataClass: name })
    return dataClass
  }

  findDataClass(name: string): ClassModel | undefined {
    const dataClass = this.catalog.byName.get(name)
    if (dataClass?.exposed !== true) return undefined
    return this.#access === null || this.#access.mayDescribe(dataClass) ? dataClass : undefined
  }

  /** The known dataclasses in definition order. */
  dataClasses(): readonly ClassModel[] {
    return this.catalog.classes.filter(({ name }) => this.findDataClass(name) !== undefined)
  }

  /**
   * The known attribute with this name, or undefined. `__KEY` is the key. A relation is known only
   * if its target is.
   */
  find(dataClass: ClassModel, name: string): AttributeModel | undefined {
    const attribute =
      dataClass.attributes.get(name) ?? (name === '__KEY' ? dataClass.key : undefined)
    if (attribute === undefined || !isVisible(attribute)) return undefined
    const access = this.#access
    if (access === null) return attribute
    if (!access.mayRead(attribute)) return undefined
    return isRelation(attribute) && !access.mayDescribe(attribute.target) ? undefined : attribute
  }

  /** Throws attributeNotFound. */
  attribute(dataClass: ClassModel, name: string): AttributeModel {
    const attribute = this.find(dataClass, name)
    if (attribute === undefined) throw this.unknown(dataClass, name)
    return attribute
  }

  /** Known attributes in definition order. */
  attributes(dataClass: ClassModel): readonly AttributeModel[] {
    return [...dataClass.attributes.values()].filter(
      ({ name }) => this.find(dataClass, name) !== undefined,
    )
  }

  /**
   * True for a function that the caller may know. `dataClass` is null for functions of the store
   * and of singletons.
   */
  mayCall(dataClass: ClassModel | null, functionName: string): boolean {
    return this.#access === null || this.#access.mayCall(dataClass, functionName)
  }

  unknown(dataClass: ClassModel, attribute: string): EntiaError {
    return new EntiaError('attributeNotFound', {
      dataClass: dataClass.name,
      attribute: attribute.slice(0, 100),
      known: this.attributes(dataClass).map((known) => known.name),
    })
  }

  /**
   * Resolves a dotted path. Throws attributeNotFound with the missing name, attributeNotApplicable
   * for a name after a plain value, budgetExceeded for more than `maxDepth` names.
   */
  path(dataClass: ClassModel, path: string, maxDepth: number): KnownPath {
    const names = namesOf(path, maxDepth)
    const steps: RelationAttribute[] = []
    let current = dataClass
    for (const [at, name] of names.entries()) {
      const attribute = this.attribute(current, name)
      const isLast = at === names.length - 1
      if (isLast) return { steps, attribute, properties: [] }
      if (!isRelation(attribute)) {
        if (typeOf(attribute) !== 'object')
          throw new EntiaError('attributeNotApplicable', {
            dataClass: current.name,
            attribute: name,
            use: 'a path that continues after it',
            remedy: 'Only relations and object attributes can be followed by a dot.',
          })
        const properties = names.slice(at + 1)
        if (properties.includes('') || properties.includes('*')) throw this.unknown(current, path)
        return { steps, attribute, properties }
      }
      steps.push(attribute)
      current = attribute.target
    }
    throw this.unknown(dataClass, path)
  }
}

/**
 * A path resolved over known names: relations, then an attribute, then properties of an object
 * attribute.
 */
export interface KnownPath {
  readonly steps: readonly RelationAttribute[]
  readonly attribute: AttributeModel
  readonly properties: readonly string[]
}

export function isRelation(attribute: AttributeModel): attribute is RelationAttribute {
  return attribute.kind === 'relatedEntity' || attribute.kind === 'relatedEntities'
}

/** The type of a value attribute; that of its target for an alias. */
export function typeOf(attribute: ValueAttribute): StorageAttribute['type'] {
  return attribute.kind === 'alias' ? attribute.target.type : attribute.type
}

/** Types whose values are numbers. */
export const NUMERIC_TYPES: ReadonlySet<string> = new Set(['long', 'long64', 'number', 'duration'])

/** True for an attribute that holds calendar dates without a time. */
export function isDateOnly(attribute: ValueAttribute): boolean {
  const target = attribute.kind === 'alias' ? attribute.target : attribute
  return target.type === 'date' && target.dateOnly
}

/** The names of a dotted path. Throws budgetExceeded for more than `maxDepth`. */
export function namesOf(path: string, maxDepth: number): readonly string[] {
  const names = path.split('.')
  if (names.length > maxDepth) throw overBudget('names in a path', maxDepth, 'limits.maxPathDepth')
  return names
}
