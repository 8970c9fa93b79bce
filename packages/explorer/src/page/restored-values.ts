import { type Ask, readMedia } from './api.ts'
import { deferredOf, ownAddress } from './field-value.ts'
import { type Attribute, type DataClass, membersOf } from './model.ts'

/** Contents of images and BLOBs by address. */
export type Contents = ReadonlyMap<string, Blob>

/** Reads the contents of the images and BLOBs of entities, as far as their members have them. */
export async function contentsOf(
  base: string,
  dataClass: DataClass,
  entities: readonly unknown[],
): Promise<Contents> {
  const contents = new Map<string, Blob>()
  for (const entity of entities)
    for (const attribute of dataClass.attributes) {
      const uri = mediaUri(entity, attribute)
      if (uri === null || ownAddress(uri, base) === null) continue
      const content = await readMedia(uri)
      // For an image of an unknown type the server sends `{}`, and a save would be refused.
      if (!content.type.startsWith('application/json')) contents.set(uri, content)
    }
  return contents
}

/** Uploads contents, so that a save can refer to them. */
export async function uploadsOf(ask: Ask, contents: Contents): Promise<Map<string, unknown>> {
  const uploads = new Map<string, unknown>()
  const parameters = { $binary: 'true' }
  for (const [uri, body] of contents)
    uploads.set(uri, await ask('$upload', { method: 'POST', parameters, body }))
  return uploads
}

/**
 * The values of an entity, or of some of its attributes, as a save takes them. Only a new entity
 * takes read-only ones.
 */
export function valuesToWrite(
  entity: unknown,
  { attributes }: DataClass,
  uploads: ReadonlyMap<string, unknown>,
  isNew = false,
): Readonly<Record<string, unknown>> {
  const members = membersOf(entity)
  const stored = attributes.filter(
    ({ name, kind, readOnly, foreignKey }) =>
      Object.hasOwn(members, name) &&
      (isNew || !readOnly) &&
      (kind === 'storage' ||
        (kind === 'relatedEntity' && !(foreignKey !== null && Object.hasOwn(members, foreignKey)))),
  )
  return Object.fromEntries(
    stored.map((attribute) => {
      const value = members[attribute.name]
      if (attribute.kind === 'relatedEntity') return [attribute.name, referenceOf(value)]
      const uri = mediaUri(entity, attribute)
      return [attribute.name, uri === null ? (value ?? null) : (uploads.get(uri) ?? null)]
    }),
  )
}

export function referenceOf(value: unknown): unknown {
  const key = deferredOf(value)?.key ?? null
  return key === null ? null : { __KEY: key }
}

function mediaUri(entity: unknown, { name, type }: Attribute): string | null {
  if (type !== 'image' && type !== 'blob') return null
  return deferredOf(membersOf(entity)[name])?.uri ?? null
}
