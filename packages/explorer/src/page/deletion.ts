import { anyOf, selectionPath } from './addresses.ts'
import { type Ask, Refusal, reasonOf } from './api.ts'
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
import { isTemporary, type Step, type UndoContext, type Undone } from './undo.ts'
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

/** Entities of one relation that refer to the doomed ones, or to others that refer to them. */
interface Referring {
  readonly dataClass: DataClass
  readonly attribute: Attribute
  /** Whether they refer to the doomed ones. */
  readonly isDirect: boolean
  readonly count: number
  /** Empty if they are too many to be restored. */
  readonly entities: readonly unknown[]
}

/** The state before a deletion. */
export interface Snapshot {
  readonly doomed: Doomed
  /** Empty if they are too many to be restored. */
  readonly entities: readonly unknown[]
  /** Those that refer to others stand behind these. */
  readonly referring: readonly Referring[]
  /** Whether more may refer to these than was read. */
  readonly isCut: boolean
  /** Whether the user may create such entities: an undo does. */
  readonly mayUndo: boolean
}

/** Requests for entities that refer to others: a bound for chains. */
const maxRelationsRead = 60

/**
 * Reads what the deletion removes, what refers to it, and what refers to that, which the server may
 * delete too: two requests, and one per relation and step. Entities that the user may not read are
 * left out.
 */
export async function snapshotOf(ask: Ask, model: Model, doomed: Doomed): Promise<Snapshot> {
  const { dataClass, path, count } = doomed
  if (count > maxUndone)
    return { doomed, entities: [], referring: [], isCut: false, mayUndo: false }
  const mayUndo = await mayCreate(ask, dataClass)
  const entities =
    doomed.key === null
      ? listOf(membersOf(await ask(path, { parameters: { $top: maxUndone } })).__ENTITIES)
      : [await ask(path)]
  const isDoomed = placesOf(dataClass, entities)
  const seen = new Set(isDoomed)
  const referring: Referring[] = []
  const groups = [{ dataClass, entities }]
  let requests = 0
  for (const group of groups) {
    const keys = group.entities.map(keyOf)
    for (const [other, attribute] of relationsTo(group.dataClass, model)) {
      if (requests++ === maxRelationsRead)
        return { doomed, entities, referring, isCut: true, mayUndo }
      const $filter = anyOf(`${attribute.name}.${group.dataClass.key}`, keys)
      const answer = membersOf(await readable(ask, other, { $filter, $top: maxUndone }))
      const found = Number(answer.__COUNT ?? 0)
      // Doomed entities may refer to each other.
      const others = listOf(answer.__ENTITIES).filter((one) => !isDoomed.has(placeOf(other, one)))
      if (others.length === 0) continue
      const isDirect = group === groups[0]
      const isRestorable = found <= maxUndone
      const read = isRestorable ? others : []
      const count = isRestorable ? others.length : found
      referring.push({ dataClass: other, attribute, isDirect, count, entities: read })
      const unseen = read.filter((one) => !seen.has(placeOf(other, one)))
      if (unseen.length > 0) groups.push({ dataClass: other, entities: unseen })
      for (const place of placesOf(other, unseen)) seen.add(place)
    }
  }
  return { doomed, entities, referring, isCut: false, mayUndo }
}

/** Whether the user may create at least some entities of a dataclass. */
async function mayCreate(ask: Ask, { name }: DataClass): Promise<boolean> {
  const { privileges } = membersOf(await ask('$info/privileges'))
  const own = listOf(privileges)
    .map(membersOf)
    .find(({ dataClass }) => dataClass === name)
  return listOf(own?.actions).includes('create')
}

/** The to-one relations that lead to a dataclass, with or without an inverse. */
function relationsTo({ name }: DataClass, { classes }: Model): [DataClass, Attribute][] {
  return [...classes.values()].flatMap((one) =>
    one.attributes
      .filter(({ kind, target }) => kind === 'relatedEntity' && target === name)
      .map((attribute): [DataClass, Attribute] => [one, attribute]),
  )
}

/** A selection; null if the user may not read the dataclass. */
async function readable(
  ask: Ask,
  { name }: DataClass,
  parameters: { readonly $filter: string; readonly $top: number },
): Promise<unknown> {
  try {
    return await ask(encodeURIComponent(name), { parameters })
  } catch (error) {
    if (error instanceof Refusal && (error.status === 401 || error.status === 403)) return null
    throw error
  }
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
  const { doomed, entities, referring, mayUndo } = snapshot
  if (doomed.count > batchItems) return deleteMany(ask, doomed, signal, report)
  const groups = mayUndo ? [{ dataClass: doomed.dataClass, entities }, ...referring] : []
  const contents = new Map<string, Blob>()
  for (const { dataClass, entities } of groups)
    for (const [uri, content] of await contentsOf(base, dataClass, entities))
      contents.set(uri, content)
  await ask(doomed.path, {
    method: 'POST',
    parameters: { $method: 'delete', $atomic: doomed.key === null ? 'true' : undefined },
    ...(doomed.key === null ? {} : { stamp: Number(membersOf(entities[0]).__STAMP) }),
  })
  // An undo that a lost connection ends goes on from here when it is tried again.
  const restored = new Set<string>()
  const undo: Step['undo'] = (context) => restore(context, snapshot, contents, restored)
  const step = entities.length === 0 || !mayUndo ? null : { title, undo }
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
  { ask, stamps, report, mayLogIn = false }: UndoContext,
  { doomed, entities, referring }: Snapshot,
  contents: Contents,
  restored: Set<string>,
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
  const insert = async (dataClass: DataClass, lost: readonly unknown[]) => {
    await save(
      dataClass,
      lost.map((entity) => valuesToWrite(entity, dataClass, uploads, true)),
      lost,
    )
    for (const place of placesOf(dataClass, lost)) restored.add(place)
  }
  if (restored.size === 0) await insert(doomed.dataClass, entities)
  const left: Refused[] = []
  /** Inserts those that are gone, and sets references to restored entities. */
  const restoreReferring = async ({ dataClass, attribute, entities }: Referring): Promise<void> => {
    const targetOf = (one: unknown) => deferredOf(membersOf(one)[attribute.name])?.key ?? null
    const before = entities.filter((one) => restored.has(`${attribute.target} ${targetOf(one)}`))
    if (before.length === 0) return
    const $filter = anyOf(dataClass.key ?? '', before.map(keyOf))
    const parameters = { $filter, $top: maxUndone }
    const found = await ask(encodeURIComponent(dataClass.name), { parameters })
    const now = new Map(listOf(membersOf(found).__ENTITIES).map((one) => [keyOf(one), one]))
    const gone = before.filter((one) => !now.has(keyOf(one)))
    await insert(dataClass, gone)
    const referred = before.filter((one) => now.has(keyOf(one)))
    const targetNow = (one: unknown) => targetOf(now.get(keyOf(one)))
    const emptied = referred.filter((one) => targetNow(one) === null)
    const link = (one: unknown) => ({
      __KEY: keyOf(one),
      [attribute.name]: referenceOf(membersOf(one)[attribute.name]),
    })
    await save(dataClass, emptied.map(link), emptied)
    // A reference that somebody else has set meanwhile stays.
    const message = `somebody has set its ${attribute.name} since`
    for (const one of referred)
      if (targetNow(one) !== null && targetNow(one) !== targetOf(one))
        left.push({ key: placeOf(dataClass, one), message })
  }
  // An entity may refer to another that comes later: whatever is refused is tried again.
  for (let size = -1; size < restored.size; ) {
    size = restored.size
    left.length = 0
    let isRefused = false
    for (const group of referring)
      try {
        await restoreReferring(group)
      } catch (error) {
        if (!(error instanceof Refusal) || isTemporary(error, mayLogIn)) throw error
        isRefused = true
        const { dataClass, entities } = group
        for (const one of entities)
          left.push({ key: placeOf(dataClass, one), message: error.message })
      }
    if (!isRefused) break
  }
  return { restored: entities.length, left }
}

/** Names an entity of any dataclass. */
function placeOf({ name }: DataClass, entity: unknown): string {
  return `${name} ${keyOf(entity)}`
}

function placesOf(dataClass: DataClass, entities: readonly unknown[]): Set<string> {
  return new Set(entities.map((one) => placeOf(dataClass, one)))
}

function keyOf(entity: unknown): string {
  return String(membersOf(entity).__KEY)
}
