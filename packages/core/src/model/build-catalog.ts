import { describeFound, refused } from '../value/check-options.ts'
import type { AttributeModel, Catalog, StoreFunction } from './catalog.ts'
import { checkDataClass, checkFunction } from './check-data-class.ts'
import type { AnyDataClass, Functions, Singletons } from './definition.ts'
import { type DraftClass, draftClass, functionModel } from './draft-class.ts'
import { columnOf, linkToMany, linkToOne, resolveAlias } from './link-relations.ts'
import { type Refuse, refuserOf } from './names.ts'

/** The options of a store that define its model. */
export interface CatalogOptions {
  readonly name: string | undefined
  readonly dataClasses: readonly AnyDataClass[]
  readonly functions?: Functions
  readonly singletons?: Singletons
}

/**
 * Resolves the definitions of a store to its frozen catalog: it links relations, resolves aliases
 * and assigns columns. Cost: O(attributes). Throws `modelInvalid` for the first problem, naming
 * class, attribute and remedy.
 */
export function buildCatalog(options: CatalogOptions): Catalog {
  const { name, dataClasses } = options
  if (typeof name !== 'string' || name === '') throw refused('name', 'a name', describeFound(name))
  const classes = draftClasses(dataClasses)
  const inOrder = [...classes.values()]
  // To-one relations come first: to-many relations and aliases refer to them.
  for (const owner of inOrder)
    for (const [attribute, definition] of owner.definitions)
      if (definition.kind === 'relatedEntity')
        owner.toOne.set(attribute, linkToOne(owner, attribute, definition, classes))
  for (const owner of inOrder)
    for (const [attribute, definition] of owner.definitions)
      owner.attributes.set(attribute, attributeModel(owner, attribute, definition))
  for (const owner of inOrder) freeze(owner)

  return Object.freeze({
    name,
    classes: Object.freeze(inOrder.map((owner) => owner.model)),
    byName: new Map(inOrder.map((owner) => [owner.model.name, owner.model])),
    functions: functionModels(name, options.functions ?? {}),
    singletons: new Map(
      Object.entries(options.singletons ?? {}).map(([singleton, functions]) => [
        singleton,
        functionModels(singleton, functions),
      ]),
    ),
  })

  function attributeModel(
    owner: DraftClass,
    attribute: string,
    definition: DraftClass['definitions'][number][1],
  ): AttributeModel {
    switch (definition.kind) {
      case 'storage':
        return columnOf(owner, attribute)!
      case 'calculated':
        return owner.computed.get(attribute)!
      case 'relatedEntity':
        return owner.toOne.get(attribute)!
      case 'relatedEntities':
        return linkToMany(owner, attribute, definition, classes)
      case 'alias':
        return Object.freeze({
          kind: 'alias',
          name: attribute,
          owner: owner.model,
          exposed: definition.options.exposed !== false,
          path: definition.path,
          ...resolveAlias(owner, attribute, definition.path, classes),
        })
    }
  }
}

function draftClasses(dataClasses: readonly AnyDataClass[]): ReadonlyMap<string, DraftClass> {
  if (!Array.isArray(dataClasses))
    throw refused('dataClasses', 'an array of dataclasses', describeFound(dataClasses))
  const classes = new Map<string, DraftClass>()
  const collections = new Map<string, string>()
  for (const [ordinal, definition] of dataClasses.entries()) {
    checkDataClass(definition)
    const { name } = definition
    const refuse: Refuse = refuserOf(name)
    if (classes.has(name)) refuse('dataClasses contains it twice', 'Remove or rename one of them.')
    const drafted = draftClass(definition, ordinal)
    const { collectionName } = drafted.model
    const other = collections.get(collectionName)
    if (other !== undefined)
      refuse(`its collectionName "${collectionName}" is that of "${other}"`, 'Choose another one.')
    collections.set(collectionName, name)
    classes.set(name, drafted)
  }
  return classes
}

function freeze(owner: DraftClass): void {
  for (const column of owner.storage) Object.freeze(column)
  for (const relation of owner.toOne.values()) Object.freeze(relation)
  Object.freeze(owner.storage)
  Object.freeze(owner.incoming)
  Object.freeze(owner.model)
}

function functionModels(owner: string, functions: Functions): ReadonlyMap<string, StoreFunction> {
  const models = new Map<string, StoreFunction>()
  for (const [name, definition] of Object.entries(functions)) {
    checkFunction(refuserOf(owner), name, definition, ['exposed', 'onHttpGet', 'run'])
    models.set(name, functionModel(name, definition))
  }
  return models
}
