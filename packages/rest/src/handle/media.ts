import type { StorageAttribute } from '@entia/core'
import type { DataRequest } from '../request/request.ts'
import type { Answer } from './answer.ts'
import type { HandleContext } from './context.ts'
import type { DataTarget } from './data-target.ts'
import { notApplicable } from './not-applicable.ts'

/** The image or BLOB attribute that an address names alone, on one entity; null for any other address. */
export function mediaAttribute(
  { dataClass, owner, attributes }: DataTarget,
  context: HandleContext,
): StorageAttribute | null {
  const [name, ...more] = attributes ?? []
  if (owner === null || name === undefined || more.length > 0) return null
  const attribute = context.caller.names.find(dataClass, name)
  return attribute?.kind === 'storage' && (attribute.type === 'image' || attribute.type === 'blob') ? attribute : null
}

/** The content of one image or BLOB. */
export async function readMedia(
  _target: DataTarget,
  attribute: StorageAttribute,
  _request: DataRequest,
  _context: HandleContext,
): Promise<Answer> {
  throw notApplicable(`Reading the content of "${attribute.name}"`, 'it is not supported by this version')
}

/** Sets, replaces or clears one image or BLOB. */
export async function writeMedia(
  _target: DataTarget,
  attribute: StorageAttribute,
  _request: DataRequest,
  _context: HandleContext,
): Promise<Answer> {
  throw notApplicable(`Writing the content of "${attribute.name}"`, 'it is not supported by this version')
}
