import type {
  AliasAttribute,
  ClassModel,
  ComputedAttribute,
  StorageAttribute,
  ToManyAttribute,
  ToOneAttribute,
} from './catalog.ts'
import type {
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  RelatedEntityOptions,
} from './definition.ts'
import type { Draft, DraftClass } from './draft-class.ts'
import { refuseModel } from './names.ts'
import { MAX_PATH_STEPS } from './path.ts'

/**
 * Resolves one to-one relation: its target and the column of its key. Adds a hidden column if the
 * definition names none.
 */
export function linkToOne(
  owner: DraftClass,
  name: string,
  definition: RelatedEntityDefinition<string, RelatedEntityOptions>,
  classes: ReadonlyMap<string, DraftClass>,
): Draft<ToOneAttribute> {
  const { options } = definition
  const target = classes.get(definition.target)
  if (target === undefined) return refuseTarget(owner.model, name, definition.target)
  const relation: Draft<ToOneAttribute> = {
    kind: 'relatedEntity',
    name,
    owner: owner.model,
    exposed: options.exposed !== false,
    target: target.model,
    foreignKey: undefined as never, // Set below: column and relation refer to each other.
    onDelete: 'null',
    notNull: options.notNull === true,
    inverse: null,
  }
  const foreignKey =
    options.foreignKey === undefined
      ? addHiddenKey(owner, target, relation)
      : findForeignKey(owner, target, name, options.foreignKey)
  foreignKey.relation = relation
  // A foreign key compares like the key that it refers to.
  foreignKey.collation = target.model.key.collation
  foreignKey.notNull = foreignKey.notNull || relation.notNull
  relation.notNull = foreignKey.notNull
  relation.foreignKey = foreignKey
  if (options.onDelete === 'null' && relation.notNull)
    refuseModel(
      owner.model.name,
      name,
      "onDelete: 'null' would empty a relation that is not null",
      "Use 'restrict' or 'cascade', or allow null.",
    )
  // The default for a relation that must not be null cannot be 'null'.
  relation.onDelete = options.onDelete ?? (relation.notNull ? 'restrict' : 'null')
  target.incoming.push(relation)
  return relation
}

function findForeignKey(
  owner: DraftClass,
  target: DraftClass,
  relation: string,
  name: string,
): Draft<StorageAttribute> {
  const column = owner.storage.find((attribute) => attribute.name === name && !attribute.hidden)
  const { key } = target.model
  const refuse = (problem: string, remedy: string): never =>
    refuseModel(owner.model.name, relation, problem, remedy)
  if (column === undefined)
    return refuse(
      `its foreignKey "${name}" is not a storage attribute of this dataclass`,
      `Add ${name}: attribute.${key.type}(), or leave foreignKey out.`,
    )
  if (column.type !== key.type)
    refuse(
      `its foreignKey "${name}" is of type ${column.type}, but the key of "${target.model.name}" is of type ${key.type}`,
      `Define ${name}: attribute.${key.type}().`,
    )
  if (column.relation !== null)
    refuse(
      `its foreignKey "${name}" belongs to the relation "${column.relation.name}" already`,
      'Give each relation a foreign key of its own.',
    )
  return column
}

/** The key of a relation without `foreignKey`: a hidden column with the name of the relation. */
function addHiddenKey(
  owner: DraftClass,
  target: DraftClass,
  relation: ToOneAttribute,
): Draft<StorageAttribute> {
  const column: Draft<StorageAttribute> = {
    kind: 'storage',
    name: relation.name,
    owner: owner.model,
    exposed: relation.exposed,
    type: target.model.key.type,
    ordinal: owner.storage.length,
    key: false,
    autoSequence: false,
    indexed: false,
    words: false,
    unique: false,
    notNull: relation.notNull,
    readOnly: false,
    min: null,
    max: null,
    minLength: null,
    maxLength: null,
    pattern: null,
    collation: 'exact',
    dateOnly: false,
    defaultValue: undefined,
    relation,
    hidden: true,
  }
  owner.storage.push(column)
  return column
}

/** Resolves one to-many relation. To-one relations must have been linked before. */
export function linkToMany(
  owner: DraftClass,
  name: string,
  definition: RelatedEntitiesDefinition<string, string>,
  classes: ReadonlyMap<string, DraftClass>,
): ToManyAttribute {
  const target = classes.get(definition.target)
  if (target === undefined) return refuseTarget(owner.model, name, definition.target)
  const ownerName = owner.model.name
  const refuse = (problem: string, remedy: string): never =>
    refuseModel(ownerName, name, problem, remedy)
  const inverse = target.toOne.get(definition.inverse)
  if (inverse === undefined)
    return refuse(
      `its inverse "${definition.inverse}" is not a to-one relation of "${target.model.name}"`,
      `Define there ${definition.inverse}: attribute.relatedEntity('${ownerName}').`,
    )
  if (inverse.target !== owner.model)
    refuse(
      `its inverse "${target.model.name}.${inverse.name}" points to "${inverse.target.name}"`,
      `Name a relation of "${target.model.name}" that points to "${ownerName}".`,
    )
  if (inverse.inverse !== null)
    refuse(
      `"${inverse.inverse.name}" is already the inverse of "${target.model.name}.${inverse.name}"`,
      'A to-one relation has one inverse: remove one of the two.',
    )
  const relation: ToManyAttribute = Object.freeze({
    kind: 'relatedEntities',
    name,
    owner: owner.model,
    exposed: definition.options.exposed !== false,
    target: target.model,
    inverse,
  })
  inverse.inverse = relation
  return relation
}

function refuseTarget(owner: ClassModel, name: string, target: string): never {
  return refuseModel(
    owner.name,
    name,
    `it points to a dataclass "${target}" that the store does not have`,
    `Add "${target}" to dataClasses, or correct the name.`,
  )
}

/** A resolved alias: to-one relations, then a stored or computed value. */
type Resolved = Pick<AliasAttribute, 'steps' | 'target'>

/**
 * Resolves the aliases of all classes, including aliases of aliases, each once. Throws
 * `modelInvalid` for a path that is unknown or cyclic, crosses a to-many relation or too many
 * relations, ends with a relation, or enters an object.
 */
export function createAliasResolver(
  classes: ReadonlyMap<string, DraftClass>,
  computed: ReadonlyMap<DraftClass, ReadonlyMap<string, ComputedAttribute>>,
): (owner: DraftClass, name: string) => Resolved {
  const resolved = new Map<DraftClass, Map<string, Resolved | 'inProgress'>>()

  function resolve(owner: DraftClass, name: string): Resolved {
    const known = resolved.get(owner) ?? new Map<string, Resolved | 'inProgress'>()
    resolved.set(owner, known)
    const before = known.get(name)
    if (before === 'inProgress')
      return refuseModel(
        owner.model.name,
        name,
        'its path leads back to itself',
        'Let one of the aliases name a value.',
      )
    if (before !== undefined) return before
    known.set(name, 'inProgress')
    const result = follow(owner, name)
    known.set(name, result)
    return result
  }

  function follow(owner: DraftClass, alias: string): Resolved {
    const path = pathOf(owner, alias)
    const refuse = (problem: string, remedy: string): never =>
      refuseModel(owner.model.name, alias, problem, remedy)
    const names = path.split('.')
    const steps: ToOneAttribute[] = []
    let current = owner
    for (const [i, name] of names.entries()) {
      if (steps.length > MAX_PATH_STEPS)
        refuse(`its path crosses more than ${MAX_PATH_STEPS} relations`, 'Shorten it.')
      const isLast = i === names.length - 1
      const definition = current.definitions.find(([attribute]) => attribute === name)?.[1]
      const className = current.model.name
      switch (definition?.kind) {
        case undefined:
          return refuse(
            `its path "${path}" names "${name}", which "${className}" does not have`,
            'Correct the path.',
          )
        case 'relatedEntities':
          return refuse(
            `its path "${path}" crosses the to-many relation "${name}"`,
            'Use to-one relations only.',
          )
        case 'relatedEntity': {
          if (isLast)
            return refuse(
              `its path "${path}" ends with a relation`,
              `Name a value: "${path}.<attribute>".`,
            )
          const relation = current.toOne.get(name)!
          steps.push(relation)
          current = classes.get(relation.target.name)!
          break
        }
        case 'storage':
        case 'calculated':
        case 'alias': {
          if (!isLast)
            return refuse(
              `its path "${path}" continues after the value "${name}"`,
              `End the path with "${name}".`,
            )
          const end = endOf(current, name)
          return { steps: Object.freeze([...steps, ...end.steps]), target: end.target }
        }
      }
    }
    return refuse('an alias needs a path', "Give one such as 'employer.name'.")
  }

  function endOf(owner: DraftClass, name: string): Resolved {
    const stored: StorageAttribute | undefined = owner.storage.find(
      (column) => column.name === name && !column.hidden,
    )
    const target = stored ?? computed.get(owner)?.get(name)
    return target === undefined ? resolve(owner, name) : { steps: [], target }
  }

  return resolve
}

/** The path in the definition of an alias. */
export function pathOf(owner: DraftClass, alias: string): string {
  const definition = owner.definitions.find(([name]) => name === alias)?.[1]
  return definition?.kind === 'alias' ? definition.path : ''
}
