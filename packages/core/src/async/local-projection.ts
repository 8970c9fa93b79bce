import type { ClassModel, RelationAttribute } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import type { Selection } from '../model/selection-types.ts'
import { shown, type Values } from './copy.ts'

/** The most entities of a to-many relation in a projection of any asynchronous store. */
const RELATED_ENTITIES = 100

/**
 * Reads plain objects of some attributes. A path that ends in a to-one relation gives its key; one
 * that ends in a to-many relation gives nothing. Throws what `select` of core throws.
 */
export class LocalProjection {
  readonly #model: ClassModel
  readonly #paths: string
  /** The paths that end in a to-one relation. */
  readonly #references = new Set<string>()

  constructor(text: string, model: ClassModel) {
    this.#model = model
    const paths: string[] = []
    for (const path of text.split(',').map((each) => each.trim())) {
      const end = relationAtEnd(path, model)
      if (end?.kind === 'relatedEntities') continue
      if (end?.kind === 'relatedEntity') this.#references.add(path)
      paths.push(end === undefined ? path : `${path}.${end.target.key.name}`)
    }
    this.#paths = paths.join(', ')
  }

  rows(selection: Selection<Untyped, string>): Values[] {
    if (this.#paths === '') return selection.toArray().map(() => ({}))
    return selection.select(this.#paths).map((row) => this.#row(row, this.#model, ''))
  }

  #row(row: object, model: ClassModel, at: string): Values {
    const values: Values = {}
    for (const [name, value] of Object.entries(row))
      values[name] = this.#value(value, name, model, at)
    return values
  }

  #value(value: unknown, name: string, model: ClassModel, at: string): unknown {
    const attribute = model.attributes.get(name)
    if (attribute?.kind === 'relatedEntities')
      return (value as readonly object[])
        .slice(0, RELATED_ENTITIES)
        .map((each) => this.#row(each, attribute.target, `${at}${name}.`))
    if (attribute?.kind !== 'relatedEntity' || value === null) return shown(value)
    const { target } = attribute
    return this.#references.has(at + name)
      ? { key: (value as Values)[target.key.name] }
      : this.#row(value as object, target, `${at}${name}.`)
  }
}

/** The relation in which a path ends; undefined for any other path. */
function relationAtEnd(path: string, model: ClassModel): RelationAttribute | undefined {
  let at = model
  let end: RelationAttribute | undefined
  for (const name of path.split('.')) {
    const attribute = at.attributes.get(name)
    if (attribute?.kind !== 'relatedEntity' && attribute?.kind !== 'relatedEntities')
      return undefined
    end = attribute
    at = attribute.target
  }
  return end
}
