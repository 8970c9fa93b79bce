import { type Catalog, type ClassModel, EntiaError, type Ids } from '@entia/core'
import { type NestedResource, type PlainResource, WHOLE_STORE } from '../../request/plain-head.ts'

/** A resource of the plain interface, as an application describes it. */
export interface PlainResourceOptions {
  readonly dataClass: string
  /**
   * Makes the resource singular: its address, without a key, is that of the entity with this key.
   */
  readonly only?: string | number
  /**
   * An attribute of type `object`. It keeps every member that has no attribute of its own, whose
   * value is null, or whose value is not of the attribute's type; answers show its members as
   * members of the entity.
   */
  readonly others?: string
}

/** Options of the plain interface. */
export interface PlainRestOptions {
  /** The start of every path; `''` by default, for `/posts`. */
  readonly basePath?: string
  /**
   * The resources by the first segment of their address. By default every exposed dataclass is one,
   * under its `collectionName`, or under its own name if it has none.
   */
  readonly resources?: { readonly [name: string]: string | PlainResourceOptions }
  /** The source of missing text keys; the host's cryptographic source by default. */
  readonly ids?: Pick<Ids, 'uuid'>
}

/** The resources of a store by name. Throws argumentInvalid. */
export function resourcesOf(
  catalog: Catalog,
  { resources: given }: PlainRestOptions,
): ReadonlyMap<string, PlainResource> {
  const described =
    given === undefined
      ? catalog.classes
          .filter(({ exposed }) => exposed)
          .map((model) => [usualName(model), { dataClass: model.name }] as const)
      : Object.entries(given).map(
          ([name, one]) => [name, typeof one === 'string' ? { dataClass: one } : one] as const,
        )
  const nameOf = (dataClass: string): string | undefined =>
    described.find(([, one]) => one.dataClass === dataClass)?.[0]
  return new Map(
    described.map(([name, one]) => {
      const { dataClass, only, others = null } = checked(name, one, catalog)
      const resource: PlainResource = {
        name,
        dataClass: dataClass.name,
        only: only === undefined ? null : String(only),
        others,
        nested: nestedOf(dataClass, nameOf),
      }
      return [name, resource]
    }),
  )
}

/** The `collectionName` of a dataclass that defines one, else its own name. */
function usualName({ name, collectionName }: ClassModel): string {
  return collectionName === `${name}Selection` ? name : collectionName
}

function nestedOf(
  { attributes }: ClassModel,
  nameOf: (dataClass: string) => string | undefined,
): ReadonlyMap<string, NestedResource> {
  const nested = new Map<string, NestedResource>()
  const relations = [...attributes.values()].filter(({ kind }) => kind === 'relatedEntities')
  for (const byResource of [false, true])
    for (const relation of relations) {
      if (relation.kind !== 'relatedEntities') continue
      const name = byResource ? nameOf(relation.target.name) : relation.name
      if (name !== undefined && !nested.has(name))
        nested.set(name, { relation: relation.name, dataClass: relation.target.name })
    }
  return nested
}

function checked(
  name: string,
  { dataClass: className, only, others }: PlainResourceOptions,
  { byName }: Catalog,
): { dataClass: ClassModel; only?: string | number | undefined; others?: string | undefined } {
  const refuse = (expected: string, found: string): never => {
    throw new EntiaError('argumentInvalid', {
      argument: `The option "plain.resources" of "${name}"`,
      expected,
      found,
    })
  }
  if (name === '' || name.includes('/') || name === WHOLE_STORE)
    refuse(`a name other than "${WHOLE_STORE}", without "/"`, `"${name}"`)
  const dataClass = byName.get(className)
  if (dataClass === undefined) return refuse('the name of a dataclass', `"${className}"`)
  const attribute = others === undefined ? null : dataClass.attributes.get(others)
  if (attribute !== null && !(attribute?.kind === 'storage' && attribute.type === 'object'))
    refuse(`"others" with the name of an object attribute of ${className}`, `"${others}"`)
  return { dataClass, only, others }
}
