import type {
  AliasAttribute,
  ComputedAttribute,
  StorageAttribute,
  ToOneAttribute,
} from './catalog.ts'
import type { DraftClass } from './draft-class.ts'
import { refuseModel } from './model-invalid.ts'
import { MAX_PATH_STEPS } from './path.ts'

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
