import { anyOf } from './addresses.ts'
import { type Ask, readMedia } from './api.ts'
import { deferredOf, ownAddress } from './field-value.ts'
import { type Attribute, type DataClass, listOf, type Model, membersOf } from './model.ts'

/** The largest deletion, and the most references per relation, that can be undone. */
export const maxUndone = 200

/** What a deletion removes: one entity, or an entity set. */
export interface Doomed {
  readonly dataClass: DataClass
  /** Null for an entity set. */
  readonly key: string | null
  /** Of the entity or the set, relative to the base path. */
  readonly path: string
  readonly count: number
}

/** Entities of one relation that refer to the doomed ones. */
interface Referring {
  readonly dataClass: DataClass
  readonly attribute: Attribute
  readonly count: number
  /** Empty if they are too many to be restored. */
  readonly entities: readonly unknown[]
}

/** The state before a deletion. */
export interface Snapshot {
  readonly doomed: Doomed
  /** Empty if they are too many to be restored. */
  readonly entities: readonly unknown[]
  readonly referring: readonly Referring[]
  /** The attributes that a new entity cannot receive. */
  readonly lost: readonly string[]
}

/** Reads what the deletion removes and what refers to it: a request, and one per relation. */
export async function snapshotOf(ask: Ask, model: Model, doomed: Doomed): Promise<Snapshot> {
  const { dataClass, path, count } = doomed
  if (count > maxUndone) return { doomed, entities: [], referring: [], lost: [] }
  const entities =
    doomed.key === null
      ? listOf(membersOf(await ask(path, { parameters: { $top: maxUndone } })).__ENTITIES)
      : [await ask(path)]
  const keys = entities.map((entity) => String(membersOf(entity).__KEY))
  const referring: Referring[] = []
  for (const { target, inverse, kind } of dataClass.attributes) {
    const other = target === null ? undefined : model.classes.get(target)
    const attribute = other?.attributes.find(({ name }) => name === inverse)
    if (kind !== 'relatedEntities' || other === undefined || attribute === undefined) continue
    const answer = membersOf(
      await ask(encodeURIComponent(other.name), {
        parameters: { $filter: anyOf(`${attribute.name}.${dataClass.key}`, keys), $top: maxUndone },
      }),
    )
    const count = Number(answer.__COUNT ?? 0)
    // Doomed entities may refer to each other.
    const others = listOf(answer.__ENTITIES).filter(
      (one) => other !== dataClass || !keys.includes(String(membersOf(one).__KEY)),
    )
    if (others.length > 0)
      referring.push({
        dataClass: other,
        attribute,
        count,
        entities: count > maxUndone ? [] : others,
      })
  }
  const lost = dataClass.attributes.filter((one) => one.kind === 'storage' && one.readOnly)
  return { doomed, entities, referring, lost: lost.map(({ name }) => name) }
}

/** Deletes all or nothing. Resolves to what restores the deleted, or to null if nothing can. */
export async function deleteAll(
  ask: Ask,
  base: string,
  snapshot: Snapshot,
): Promise<(() => Promise<string>) | null> {
  const { doomed, entities, referring } = snapshot
  const media = await mediaOf(base, snapshot)
  await ask(doomed.path, {
    method: 'POST',
    parameters: { $method: 'delete', $atomic: doomed.key === null ? 'true' : undefined },
    ...(doomed.key === null ? {} : { stamp: Number(membersOf(entities[0]).__STAMP) }),
  })
  if (entities.length === 0) return null
  return async () => {
    const uploads = new Map<string, unknown>()
    for (const [uri, content] of media) {
      const parameters = { $binary: 'true' }
      uploads.set(uri, await ask('$upload', { method: 'POST', parameters, body: content }))
    }
    const insert = (dataClass: DataClass, lost: readonly unknown[]) =>
      save(
        ask,
        dataClass,
        lost.map((entity) => valuesOf(entity, dataClass, uploads)),
      )
    await insert(doomed.dataClass, entities)
    for (const { dataClass, attribute, entities: before } of referring) {
      const keys = before.map(keyOf)
      if (keys.length === 0) continue
      const parameters = { $filter: anyOf(dataClass.key ?? '', keys), $top: maxUndone }
      const found = await ask(encodeURIComponent(dataClass.name), { parameters })
      const now = new Map(listOf(membersOf(found).__ENTITIES).map((one) => [keyOf(one), one]))
      await insert(
        dataClass,
        before.filter((one) => !now.has(keyOf(one))),
      )
      // A reference that somebody else has set meanwhile stays.
      const emptied = before.filter(
        (one) => membersOf(now.get(keyOf(one)))[attribute.name] === null,
      )
      const link = (one: unknown) => ({
        __KEY: keyOf(one),
        [attribute.name]: referenceOf(membersOf(one)[attribute.name]),
      })
      await save(ask, dataClass, emptied.map(link))
    }
    const [only] = entities
    return entities.length === 1
      ? `${doomed.dataClass.name} ${keyOf(only)} is back.`
      : `${entities.length} of ${doomed.dataClass.name} are back.`
  }
}

function keyOf(entity: unknown): string {
  return String(membersOf(entity).__KEY)
}

async function save(ask: Ask, dataClass: DataClass, items: readonly unknown[]): Promise<void> {
  if (items.length === 0) return
  const path = encodeURIComponent(dataClass.name)
  await ask(path, { method: 'POST', parameters: { $atomic: 'true' }, body: items })
}

/** The contents of images and BLOBs by address. */
async function mediaOf(base: string, { doomed, entities, referring }: Snapshot) {
  const contents = new Map<string, Blob>()
  for (const group of [{ dataClass: doomed.dataClass, entities }, ...referring])
    for (const entity of group.entities)
      for (const attribute of group.dataClass.attributes) {
        const uri = mediaUri(entity, attribute)
        if (uri === null || ownAddress(uri, base) === null) continue
        contents.set(uri, await readMedia(uri))
      }
  return contents
}

function mediaUri(entity: unknown, { name, type }: Attribute): string | null {
  if (type !== 'image' && type !== 'blob') return null
  return deferredOf(membersOf(entity)[name])?.uri ?? null
}

function referenceOf(value: unknown): unknown {
  const key = deferredOf(value)?.key ?? null
  return key === null ? null : { __KEY: key }
}

/** The values that a new entity receives to equal a deleted one. */
function valuesOf(
  entity: unknown,
  { attributes }: DataClass,
  uploads: ReadonlyMap<string, unknown>,
): Readonly<Record<string, unknown>> {
  const members = membersOf(entity)
  const stored = attributes.filter(
    ({ kind, readOnly, foreignKey }) =>
      !readOnly && (kind === 'storage' || (kind === 'relatedEntity' && foreignKey === null)),
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
