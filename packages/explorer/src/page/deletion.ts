import { anyOf, selectionPath } from './addresses.ts'
import { type Ask, reasonOf } from './api.ts'
import { type Refused, refusedOf } from './change-rows.ts'
import { deferredOf } from './field-value.ts'
import { type Attribute, type DataClass, listOf, type Model, membersOf } from './model.ts'
import {
  type Contents,
  contentsOf,
  referenceOf,
  uploadsOf,
  valuesToWrite,
} from './restored-values.ts'
import type { RowsSet } from './rows-set.ts'
import type { Step, UndoContext, Undone } from './undo.ts'
import { batchItems, type Item, writeBatch } from './write-batches.ts'

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

/** The deletion of the rows of an entity set. */
export function doomedRows(dataClass: DataClass, { place, count }: RowsSet): Doomed {
  return { dataClass, key: null, path: selectionPath(place), count }
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
}

/** Reads what the deletion removes and what refers to it: a request, and one per relation. */
export async function snapshotOf(ask: Ask, model: Model, doomed: Doomed): Promise<Snapshot> {
  const { dataClass, path, count } = doomed
  if (count > maxUndone) return { doomed, entities: [], referring: [] }
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
  return { doomed, entities, referring }
}

/** How a deletion ended. */
interface Deleted {
  readonly count: number
  /** What restores the deleted entities; null if nothing can. */
  readonly step: Step | null
  /** Why the deletion ended early; empty if it did not. */
  readonly problem: string
}

/**
 * Deletes all or none, or more than `batchItems` in such batches: a server writes no more together.
 * The first refused batch ends the deletion.
 */
export async function deleteAll(
  ask: Ask,
  base: string,
  title: string,
  snapshot: Snapshot,
  signal: AbortSignal,
  report: (done: number) => void,
): Promise<Deleted> {
  const { doomed, entities, referring } = snapshot
  if (doomed.count > batchItems) return deleteMany(ask, doomed, signal, report)
  const groups = [{ dataClass: doomed.dataClass, entities }, ...referring]
  const contents = new Map<string, Blob>()
  for (const { dataClass, entities } of groups)
    for (const [uri, content] of await contentsOf(base, dataClass, entities))
      contents.set(uri, content)
  await ask(doomed.path, {
    method: 'POST',
    parameters: { $method: 'delete', $atomic: doomed.key === null ? 'true' : undefined },
    ...(doomed.key === null ? {} : { stamp: Number(membersOf(entities[0]).__STAMP) }),
  })
  const undo: Step['undo'] = (context) => restore(context, snapshot, contents)
  const step = entities.length === 0 ? null : { title, undo }
  return { count: doomed.count, step, problem: '' }
}

async function deleteMany(
  ask: Ask,
  { dataClass, path, count: size }: Doomed,
  signal: AbortSignal,
  report: (done: number) => void,
): Promise<Deleted> {
  let count = 0
  const end = (problem: string): Deleted => ({ count, step: null, problem })
  // Deleted members of the set keep their places.
  for (let $skip = 0; $skip < size; $skip += batchItems) {
    if (signal.aborted) return end('It was cancelled.')
    try {
      const parameters = { $attributes: dataClass.key ?? '', $skip, $top: batchItems }
      const { __ENTITIES } = membersOf(await ask(path, { parameters }))
      const members = listOf(__ENTITIES).map(membersOf)
      const items = members.flatMap(({ __KEY }) => (__KEY === undefined ? [] : [{ __KEY }]))
      if (items.length > 0) {
        const how = { isAtomic: true, isDeletion: true }
        const written = await writeBatch(ask, dataClass, items, how)
        const [refused] = refusedOf(written, (at) => String(items[at]?.__KEY))
        if (refused !== undefined) return end(`${refused.key}: ${refused.message}`)
      }
      count += members.length
      report(count)
    } catch (error) {
      return end(reasonOf(error))
    }
  }
  return end('')
}

async function restore(
  { ask, stamps, report }: UndoContext,
  { doomed, entities, referring }: Snapshot,
  contents: Contents,
): Promise<Undone> {
  report(0, entities.length)
  const uploads = await uploadsOf(ask, contents)
  /** Saves all or none; `before`: the entities in the order of the items. */
  const save = async (
    dataClass: DataClass,
    items: readonly Item[],
    before: readonly unknown[],
  ): Promise<void> => {
    if (items.length === 0) return
    const path = encodeURIComponent(dataClass.name)
    const parameters = { $atomic: 'true' }
    const answer = membersOf(await ask(path, { method: 'POST', parameters, body: items }))
    listOf(answer.__ENTITIES).forEach((saved, at) => {
      const stamp = Number(membersOf(before[at]).__STAMP)
      stamps.restored(dataClass.name, keyOf(saved), stamp, Number(membersOf(saved).__STAMP))
    })
  }
  const insert = (dataClass: DataClass, lost: readonly unknown[]) =>
    save(
      dataClass,
      lost.map((entity) => valuesToWrite(entity, dataClass, uploads, true)),
      lost,
    )
  await insert(doomed.dataClass, entities)
  const left: Refused[] = []
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
    const referenceNow = (one: unknown) =>
      deferredOf(membersOf(now.get(keyOf(one)))[attribute.name])?.key ?? null
    const referred = before.filter((one) => now.has(keyOf(one)))
    const emptied = referred.filter((one) => referenceNow(one) === null)
    // A reference that somebody else has set meanwhile stays.
    for (const one of referred)
      if (referenceNow(one) !== null)
        left.push({
          key: `${dataClass.name} ${keyOf(one)}`,
          message: `somebody has set its ${attribute.name} since`,
        })
    const link = (one: unknown) => ({
      __KEY: keyOf(one),
      [attribute.name]: referenceOf(membersOf(one)[attribute.name]),
    })
    await save(dataClass, emptied.map(link), emptied)
  }
  return { restored: entities.length, left }
}

function keyOf(entity: unknown): string {
  return String(membersOf(entity).__KEY)
}
