import type { StorageAttribute, ToManyAttribute, ToOneAttribute } from './catalog.ts'
import type {
  RelatedEntitiesDefinition,
  RelatedEntityDefinition,
  RelatedEntityOptions,
} from './definition.ts'
import { type Draft, type DraftClass, draftStorage, type ResolvedAlias } from './draft-class.ts'
import { refuserOf } from './names.ts'
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
  const target = targetOf(classes, owner, name, definition.target)
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
    refuserOf(owner.model.name, name)(
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
  const column = columnOf(owner, name)
  const { key } = target.model
  const refuse = refuserOf(owner.model.name, relation)
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
  const column = draftStorage(owner.model, relation.name, target.model.key.type, {})
  column.exposed = relation.exposed
  column.hidden = true
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
  const target = targetOf(classes, owner, name, definition.target)
  const ownerName = owner.model.name
  const refuse = refuserOf(ownerName, name)
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

function targetOf(
  classes: ReadonlyMap<string, DraftClass>,
  owner: DraftClass,
  name: string,
  target: string,
): DraftClass {
  const found = classes.get(target)
  if (found !== undefined) return found
  return refuserOf(owner.model.name, name)(
    `it points to a dataclass "${target}" that the store does not have`,
    `Add "${target}" to dataClasses, or correct the name.`,
  )
}

/**
 * Resolves an alias, and the aliases that its path names, each once. Throws `modelInvalid` for a
 * path that is unknown or cyclic, crosses a to-many relation or too many relations, ends with a
 * relation, or enters an object.
 */
export function resolveAlias(
  owner: DraftClass,
  alias: string,
  path: string,
  classes: ReadonlyMap<string, DraftClass>,
): ResolvedAlias {
  const known = owner.aliases.get(alias)
  if (known === 'inProgress')
    return refuserOf(owner.model.name, alias)(
      'its path leads back to itself',
      'Let one of the aliases name a value.',
    )
  if (known !== undefined) return known
  owner.aliases.set(alias, 'inProgress')
  const resolved = followAlias(owner, alias, path, classes)
  owner.aliases.set(alias, resolved)
  return resolved
}

function followAlias(
  owner: DraftClass,
  alias: string,
  path: string,
  classes: ReadonlyMap<string, DraftClass>,
): ResolvedAlias {
  const refuse = refuserOf(owner.model.name, alias)
  const names = path.split('.')
  const steps: ToOneAttribute[] = []
  let current = owner
  for (const [i, name] of names.entries()) {
    if (steps.length > MAX_PATH_STEPS)
      refuse(`its path crosses more than ${MAX_PATH_STEPS} relations`, 'Shorten it.')
    const isLast = i === names.length - 1
    const definition = current.definitions.find(([attribute]) => attribute === name)?.[1]
    switch (definition?.kind) {
      case undefined:
        return refuse(
          `its path "${path}" names "${name}", which "${current.model.name}" does not have`,
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
        if (definition.kind === 'alias') {
          const end = resolveAlias(current, name, definition.path, classes)
          return { steps: Object.freeze([...steps, ...end.steps]), target: end.target }
        }
        const target = current.computed.get(name) ?? columnOf(current, name)!
        return { steps: Object.freeze(steps), target }
      }
    }
  }
  return refuse('an alias needs a path', "Give one such as 'employer.name'.")
}

/** The column of a storage attribute; undefined for other names. */
export const columnOf = (
  { storage }: DraftClass,
  name: string,
): Draft<StorageAttribute> | undefined =>
  storage.find((column) => column.name === name && !column.hidden)
