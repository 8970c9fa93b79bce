import { selectionParameters, selectionPath } from './addresses.ts'
import { type Ask, reasonOf } from './api.ts'
import { type DataClass, listOf, membersOf } from './model.ts'
import type { RowsSet } from './rows-set.ts'
import { batchesOf, batchItems, type Written, writeBatch } from './write-batches.ts'

/** One entity before and after a change. */
export interface Changed {
  readonly key: string
  readonly stampBefore: number
  readonly stamp: number
  /** The values that undo writes back, as the server sent them. */
  readonly before: Readonly<Record<string, unknown>>
}

export interface Refused {
  readonly key: string
  readonly message: string
}

/** How a change of many ended. */
export interface Outcome {
  /** The number of changed entities. */
  readonly count: number
  /** The changed entities; empty if they are too many to be undone. */
  readonly changed: readonly Changed[]
  readonly unchanged: number
  /** Refused items of the batch that ended the change; empty if all batches were saved. */
  readonly refused: readonly Refused[]
  /** Why the change ended early otherwise; empty if it did not. */
  readonly problem: string
}

/** The largest change that can be undone: the page holds the values before it in its memory. */
export const maxUndoneChanges = 100_000

/**
 * Sets one attribute of all rows to a value, in batches that are saved as a whole or not at all.
 * The first refused batch ends the change. A row that somebody saves meanwhile is refused, too.
 */
export async function changeRows(
  ask: Ask,
  dataClass: DataClass,
  rows: RowsSet,
  name: string,
  value: unknown,
  signal: AbortSignal,
  report: (done: number) => void,
): Promise<Outcome> {
  const path = selectionPath(rows.place)
  const changed: Changed[] = []
  let count = 0
  const end = (refused: readonly Refused[] = [], problem = ''): Outcome => ({
    count,
    changed,
    unchanged: rows.count - count,
    refused,
    problem,
  })
  const readPage = async (skip: number) => {
    const parameters = {
      ...selectionParameters(rows.place),
      $attributes: [dataClass.key, name].filter(Boolean).join(','),
      $skip: skip,
      $top: batchItems,
    }
    const { __ENTITIES } = membersOf(await ask(path, { parameters, signal }))
    // Deleted members of the set keep their places.
    return listOf(__ENTITIES)
      .map(membersOf)
      .filter(({ __KEY }) => __KEY !== undefined)
  }
  try {
    for (let skip = 0; skip < rows.count; skip += batchItems) {
      const before = new Map((await readPage(skip)).map((one) => [String(one.__KEY), one]))
      const items = [...before].map(([__KEY, { __STAMP }]) => ({ __KEY, __STAMP, [name]: value }))
      for (const batch of batchesOf(items)) {
        if (signal.aborted) return end()
        const written = await writeBatch(ask, dataClass, batch, { isAtomic: true })
        const refused = refusedOf(written, (at) => batch[at]?.__KEY ?? '')
        if (written.some(({ isSaved }) => !isSaved)) return end(refused)
        count += written.length
        if (rows.count <= maxUndoneChanges)
          for (const { entity } of written.filter((one) => one.isSaved)) {
            const key = String(entity.__KEY)
            const old = before.get(key) ?? {}
            const stampBefore = Number(old.__STAMP)
            const stamp = Number(entity.__STAMP)
            changed.push({ key, stampBefore, stamp, before: { [name]: old[name] ?? null } })
          }
        report(count)
      }
    }
  } catch (error) {
    return end([], signal.aborted ? '' : reasonOf(error))
  }
  return end()
}

/** The refused items of a batch; those that are refused only because of others have no message. */
export function refusedOf(
  written: readonly Written[],
  nameOf: (at: number) => string,
): readonly Refused[] {
  return written.flatMap((one, at) =>
    one.isSaved || one.message === '' ? [] : [{ key: nameOf(at), message: one.message }],
  )
}
