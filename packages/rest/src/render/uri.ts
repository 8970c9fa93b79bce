/**
 * Addresses that the protocol emits: absolute paths, keys in square brackets, ASCII only, ready to
 * be requested.
 */

import { keyInAddress } from '../request/key-text.ts'

export function dataClassUri(basePath: string, dataClass: string): string {
  return `${basePath}/${encodeURIComponent(dataClass)}`
}

export function catalogUri(basePath: string, dataClass: string): string {
  return `${basePath}/$catalog/${encodeURIComponent(dataClass)}`
}

export function entityUri(basePath: string, dataClass: string, key: string | number): string {
  return `${dataClassUri(basePath, dataClass)}[${keyInAddress(key)}]`
}

/**
 * The address of an entity set. Clients recognise its form: only letters and digits after the last
 * `/`.
 */
export function entitySetUri(basePath: string, dataClass: string, id: string): string {
  return `${dataClassUri(basePath, dataClass)}/$entityset/${id}`
}

/**
 * The address of the entities of a to-many relation. It always has a `?`, since clients append
 * parameters to it.
 */
export function relationUri(entity: string, relation: string): string {
  const name = encodeURIComponent(relation)
  return `${entity}/${name}?$expand=${name}`
}

/**
 * The address of an image or BLOB. It contains the stamp, so that caches do not return outdated
 * content.
 */
export function mediaUri(
  entity: string,
  attribute: string,
  stamp: number,
  type: 'image' | 'blob',
): string {
  const name = encodeURIComponent(attribute)
  const format = type === 'image' ? '$imageformat=best' : '$binary=true'
  return `${entity}/${name}?${format}&$version=${stamp}&$expand=${name}`
}
