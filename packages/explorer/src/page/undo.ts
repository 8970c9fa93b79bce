import { type Ask, Refusal } from './api.ts'
import type { Changed, Refused } from './change-rows.ts'
import { type DataClass, listOf, membersOf } from './model.ts'
import { type Contents, uploadsOf, valuesToWrite } from './restored-values.ts'
import { batchesOf, deleteOne, type Written, writeBatch } from './write-batches.ts'

/** A change that can be undone. */
export interface Step {
  /** What was changed: `salary of Employee 7`. */
  readonly title: string
  /** Rejects with `Refusal` if nothing was restored. */
  readonly undo: (context: UndoContext) => Promise<Undone>
}

export interface UndoContext {
  readonly ask: Ask
  readonly stamps: Stamps
  /** Whether what guests are refused may be granted later, after a login. */
  readonly mayLogIn?: boolean
  /** Call it at once, and after each part: the page shows the numbers. */
  readonly report: (done: number, of: number) => void
}

/** How an undo ended. */
export interface Undone {
  readonly restored: number
  /** What somebody else has changed since, or the server refuses; it stays as it is. */
  readonly left: readonly Refused[]
}

/**
 * The stamps of entities that undo has restored. An undo saves, so the stamp that an earlier change
 * expects is another one afterwards.
 */
export interface Stamps {
  /** The stamp that an entity has now if it is as it was at `stamp`. */
  readonly now: (dataClass: string, key: string, stamp: number) => number
  readonly restored: (dataClass: string, key: string, before: number, now: number) => void
}

export function createStamps(): Stamps {
  const stamps = new Map<string, number>()
  const nameOf = (dataClass: string, key: string, stamp: number) =>
    JSON.stringify([dataClass, key, stamp])
  const now: Stamps['now'] = (dataClass, key, stamp) => {
    const next = stamps.get(nameOf(dataClass, key, stamp))
    return next === undefined ? stamp : now(dataClass, key, next)
  }
  return {
    now,
    restored: (dataClass, key, before, after) =>
      before !== after && stamps.set(nameOf(dataClass, key, before), after),
  }
}

const sinceChanged = 'somebody has changed it since'
const sinceDeleted = 'it is deleted since'

/** Undoes updates: writes the values before, unless the entity was saved since. */
export function stepOfUpdates(
  title: string,
  dataClass: DataClass,
  changed: readonly Changed[],
  contents: Contents = new Map(),
): Step {
  // An undo that ends early continues with the others when it is tried again.
  const restored = new Set<string>()
  const undo: Step['undo'] = async ({ ask, stamps, report, mayLogIn = false }) => {
    report(restored.size, changed.length)
    const uploads = await uploadsOf(ask, contents)
    const before = new Map(changed.map((one) => [one.key, one]))
    // One batch after the other: 100,000 items at once would hold up the page.
    function* items() {
      for (const { key, stamp, before } of changed)
        if (!restored.has(key))
          yield {
            ...valuesToWrite(before, dataClass, uploads),
            __KEY: key,
            __STAMP: stamps.now(dataClass.name, key, stamp),
          }
    }
    const left: Refused[] = []
    const locked: Written[] = []
    for (const batch of batchesOf(items())) {
      const written = await writeBatch(ask, dataClass, batch, {})
      if (mayLogIn && written.every((one) => !one.isSaved && one.needsLogin))
        throw refusalOf(401, written[0])
      written.forEach((one, at) => {
        const key = batch[at]?.__KEY ?? ''
        if (one.isSaved) {
          restored.add(key)
          const { stampBefore = 0 } = before.get(key) ?? {}
          stamps.restored(dataClass.name, key, stampBefore, Number(one.entity.__STAMP))
        } else if (one.isLocked) locked.push(one)
        else left.push({ key, message: one.isConflict ? sinceChanged : one.message })
      })
      report(restored.size + left.length, changed.length)
    }
    if (locked.length > 0) throw refusalOf(423, locked[0])
    return { restored: restored.size, left }
  }
  return { title, undo }
}

/** Undoes creations: deletes the entities, unless they were saved since. */
export function stepOfCreations(
  title: string,
  dataClass: DataClass,
  created: readonly Pick<Changed, 'key' | 'stamp'>[],
): Step {
  const restored = new Set<string>()
  const undo: Step['undo'] = async ({ ask, stamps, report, mayLogIn = false }) => {
    report(restored.size, created.length)
    const left: Refused[] = []
    const locked: Refusal[] = []
    for (const { key, stamp } of [...created].reverse()) {
      if (restored.has(key)) continue
      try {
        await deleteOne(ask, dataClass, key, stamps.now(dataClass.name, key, stamp))
        restored.add(key)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const { status, message } = error
        if (status === 423) locked.push(error)
        // A guest may be refused one entity, which is listed, or all, which ends the undo.
        else if (isTemporary(error, mayLogIn) && !isOfEntity(error)) throw error
        else {
          const since = status === 412 ? sinceChanged : status === 404 ? sinceDeleted : message
          left.push({ key, message: since })
        }
      }
      report(restored.size + left.length, created.length)
    }
    if (locked[0] !== undefined) throw locked[0]
    return { restored: restored.size, left }
  }
  return { title, undo }
}

const refusalOf = (status: number, written: Written | undefined): Refusal =>
  new Refusal(status, {
    __ERROR: written === undefined || written.isSaved ? [] : [{ message: written.message }],
  })

const isOfEntity = ({ status, answer }: Refusal): boolean =>
  status === 401 && listOf(membersOf(answer).__ENTITIES).length > 0

/** Whether the same request may succeed later. */
export function isTemporary({ status }: Refusal, mayLogIn: boolean): boolean {
  if (status === 401) return mayLogIn
  return status === 0 || status === 423 || status === 429 || status >= 500
}

/** The notice after an undo. */
export function undoneText(title: string, { restored, left }: Undone): string {
  if (left.length === 0) return `Undone: ${title}.`
  const byMessage = new Map<string, string[]>()
  for (const { key, message } of left)
    byMessage.set(message, [...(byMessage.get(message) ?? []), key])
  const reasons = [...byMessage].slice(0, 3).map(([message, keys]) => {
    const more = keys.length > 5 ? ` and ${keys.length - 5} more` : ''
    return `${keys.slice(0, 5).join(', ')}${more}: ${message}`
  })
  const others = byMessage.size > 3 ? ` … ${byMessage.size - 3} other reasons` : ''
  return `Undone for ${restored} of ${restored + left.length}: ${title}. Left alone: ${reasons.join('; ')}${others}.`
}
