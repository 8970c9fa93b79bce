import type { Catalog, ClassModel, Ids, ToOneAttribute } from '@entia/core'
import { refused } from '@entia/core/internal'
import type { Caller } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { DataAddress } from '../../request/address.ts'
import type { RawBody } from '../../request/body.ts'
import type { Limits } from '../../request/limits.ts'
import { invalidParameter, quoteFound } from '../../request/parameter-values.ts'
import {
  type NestedResource,
  type PlainHead,
  type PlainParameters,
  type PlainResource,
  WHOLE_STORE,
} from '../../request/plain-head.ts'
import { type DataRequest, type RequestHead, UNCONDITIONAL } from '../../request/request.ts'
import type { HandleContext } from '../context/context.ts'

/** What the plain interface of a handler consists of. */
export interface PlainInterface {
  readonly resources: ReadonlyMap<string, PlainResource>
  readonly ids: Pick<Ids, 'uuid'>
}

/** The dataclass that a request reads or writes, how its entities are shown, and to whom. */
export interface Place extends Pick<Caller, 'names'> {
  readonly dataClass: ClassModel
  readonly resource: PlainResource
  readonly limits: Limits
  /** The followed relation, as in `posts/1/comments`; null for others. */
  readonly relation: string | null
  /** The relation back to the entity in such an address, with its key. */
  readonly parent: { readonly relation: ToOneAttribute; readonly key: string } | null
  /** The attribute for members without an attribute, if the caller knows it. */
  readonly others: string | null
}

export function placeOf(
  { plain: { key, nested } }: PlainHead,
  resource: PlainResource,
  { resources }: PlainInterface,
  { caller: { names }, limits }: Pick<HandleContext, 'caller' | 'limits'>,
): Place {
  const owner = names.dataClass(resource.dataClass)
  const followed = nested === null ? undefined : resource.nested.get(nested)
  const found = followed && names.find(owner, followed.relation)
  const relation = found?.kind === 'relatedEntities' ? found : null
  if (nested !== null && relation === null) throw restError('resourceNotFound', { basePath: '' })
  const dataClass = relation?.target ?? owner
  const shown = relation === null ? resource : resourceOf(dataClass, resources)
  const isKnown = shown.others !== null && names.find(dataClass, shown.others) !== undefined
  return {
    names,
    limits,
    dataClass,
    resource: shown,
    relation: relation?.name ?? null,
    parent: relation === null || key === null ? null : { relation: relation.inverse, key },
    others: isKnown ? shown.others : null,
  }
}

/** The resource that shows a dataclass; without one, only its attributes are shown. */
function resourceOf(
  { name }: ClassModel,
  resources: ReadonlyMap<string, PlainResource>,
): PlainResource {
  for (const resource of resources.values()) if (resource.dataClass === name) return resource
  return { name, dataClass: name, only: null, others: null, nested: new Map() }
}

/** The request of the entity interface that a head stands for: without more, one that reads. */
export const dataRequest = (
  head: PlainHead,
  parameters?: Partial<DataRequest['parameters']>,
): DataRequest => ({
  ...(head as RequestHead as RequestHead<DataAddress>),
  parameters: parameters ? { ...head.parameters, ...parameters } : head.parameters,
  body: NO_BODY,
  conditions: UNCONDITIONAL,
})

export const NO_BODY: RawBody = { kind: 'parsed', value: undefined }

/**
 * The relations that `_embed` and `_expand` include, in the form of `$expand`: a to-many relation
 * by its name or by its resource, a to-one relation by its name. Throws parameterInvalid.
 */
export function includedRelations(
  { embed, expand }: Pick<PlainParameters, 'embed' | 'expand'>,
  { dataClass, resource: { nested }, names }: Place,
): readonly string[] {
  const refuse = (parameter: string, expected: string, found: string): never => {
    throw invalidParameter(parameter, expected, quoteFound(found))
  }
  const many = embed.map((name) => {
    const relation = nested.get(name)?.relation ?? name
    const isKnown = names.find(dataClass, relation)?.kind === 'relatedEntities'
    return isKnown ? relation : refuse('_embed', `a list that leads to ${dataClass.name}`, name)
  })
  const one = expand.map((name) =>
    names.find(dataClass, name)?.kind === 'relatedEntity'
      ? name
      : refuse('_expand', `a relation of ${dataClass.name} to one entity`, name),
  )
  return [...many, ...one]
}

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
    throw refused(`The option "plain.resources" of "${name}"`, expected, found)
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
