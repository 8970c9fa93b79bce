import type { Catalog, ClassModel } from '@entia/core'
import { CliError } from './cli-error.ts'

/** An address to open in a browser. */
export interface Address {
  readonly title: string
  /** The decoded path below the base path: `Flight?$filter="delay > 60"&$top=10`. */
  readonly path: string
}

/**
 * The URL of an address below `origin`; percent-encodes what a terminal or an HTML attribute would
 * cut.
 */
export function urlOf(origin: string, basePath: string, address: Address): string {
  return `${origin}${basePath}/${encodeURI(address.path).replaceAll("'", '%27')}`
}

/**
 * An address of a module, without the base path. Throws `CliError` for an address outside the base
 * path.
 */
export function belowBasePath(file: string, address: Address, basePath: string): Address {
  const { title, path } = address
  if (path.startsWith(`${basePath}/`)) return { title, path: path.slice(basePath.length + 1) }
  if (!path.startsWith('/') && !/^[a-z]+:/i.test(path)) return address
  throw new CliError(
    `The address "${path}" in the export "addresses" of ${file} is not below ${basePath}. Write the part after ${basePath}/, for example Employee?$top=10.`,
  )
}

/**
 * Three addresses for any store: its catalog, the first entities of a dataclass, and the plan of a
 * query.
 */
export function addressesOf(catalog: Catalog): readonly Address[] {
  const catalogAddress = {
    title: 'The catalog: every dataclass and its attributes',
    path: '$catalog/$all',
  }
  const dataClass = mostRelated(catalog.classes.filter((one) => one.exposed))
  if (dataClass === undefined) return [catalogAddress]
  const path = `${dataClass.name}?$filter="${queryOf(dataClass)}"&$top=10`
  return [
    catalogAddress,
    { title: `Ten entities of ${dataClass.name}`, path: `${dataClass.name}?$top=10` },
    { title: 'A query with its plan', path: `${path}&$queryplan=true` },
  ]
}

/** The dataclass with the most to-one relations: its queries have the most instructive plans. */
function mostRelated(classes: readonly ClassModel[]): ClassModel | undefined {
  let best: ClassModel | undefined
  for (const one of classes) {
    if (best === undefined || toOneRelations(one).length > toOneRelations(best).length) best = one
  }
  return best
}

function toOneRelations(dataClass: ClassModel) {
  return [...dataClass.attributes.values()].filter(
    (attribute) =>
      attribute.kind === 'relatedEntity' && attribute.exposed && attribute.target.exposed,
  )
}

function queryOf(dataClass: ClassModel): string {
  const [relation] = toOneRelations(dataClass)
  const path =
    relation?.kind === 'relatedEntity'
      ? `${relation.name}.${relation.target.key.name}`
      : dataClass.key.name
  return `${path} != null`
}
