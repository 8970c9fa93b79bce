/** Addresses as the protocol emits them: path-absolute, keys in square brackets, pure ASCII, to be requested as they stand. */

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

/** An entity set. Clients know it by this shape: only letters and digits behind the last `/`. */
export function entitySetUri(basePath: string, dataClass: string, id: string): string {
  return `${dataClassUri(basePath, dataClass)}/$entityset/${id}`
}

/** The entities behind a to-many relation; always with a `?`, which clients append parameters to. */
export function relationUri(entity: string, relation: string): string {
  const name = encodeURIComponent(relation)
  return `${entity}/${name}?$expand=${name}`
}

/** An image or BLOB. The stamp changes the address whenever the entity is saved, so caches cannot show an old one. */
export function mediaUri(entity: string, attribute: string, stamp: number, type: 'image' | 'blob'): string {
  const name = encodeURIComponent(attribute)
  const format = type === 'image' ? '$imageformat=best' : '$binary=true'
  return `${entity}/${name}?${format}&$version=${stamp}&$expand=${name}`
}
