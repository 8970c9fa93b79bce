import { anyOf } from './addresses.ts'
import { type Ask, reasonOf } from './api.ts'
import { type Changed, type Refused, refusedOf } from './change-rows.ts'
import { type DataClass, listOf, membersOf } from './model.ts'
import { isRefused, type PastedRow, withAnswer } from './paste-plan.ts'
import { batchesOf, filterParts, writeBatch } from './write-batches.ts'

/** The entities with these keys, in their order; undefined for a key without an entity. */
export async function entitiesOf(
  ask: Ask,
  dataClass: DataClass,
  keys: readonly string[],
  names: readonly string[],
  report: (done: number) => void,
): Promise<readonly unknown[]> {
  const found = new Map<string, unknown>()
  let asked = 0
  for (const part of filterParts(keys)) {
    const parameters = {
      $filter: anyOf(dataClass.key ?? '', part),
      $attributes: names.join(','),
      $top: part.length,
    }
    const answer = membersOf(await ask(encodeURIComponent(dataClass.name), { parameters }))
    for (const entity of listOf(answer.__ENTITIES))
      found.set(String(membersOf(entity).__KEY), entity)
    asked += part.length
    report(asked)
  }
  return keys.map((key) => found.get(key))
}

/** Asks the server what it would refuse; saves nothing. */
export async function checkRows(
  ask: Ask,
  dataClass: DataClass,
  rows: readonly PastedRow[],
  report: (done: number) => void,
): Promise<readonly PastedRow[]> {
  const asked = rows.filter((row) => !isRefused(row))
  const answers = new Map<PastedRow, PastedRow>()
  let at = 0
  report(0)
  for (const items of batchesOf(asked.map(({ item }) => item))) {
    const written = await writeBatch(ask, dataClass, items, { isPreview: true })
    for (const answer of written) {
      const row = asked[at++]
      if (row !== undefined) answers.set(row, withAnswer(row, answer))
    }
    report(at)
  }
  return rows.map((row) => answers.get(row) ?? row)
}

/** How a paste ended. */
export interface Pasted {
  readonly changed: readonly Changed[]
  readonly created: readonly { readonly key: string; readonly stamp: number }[]
  /** Refused rows of the batch that ended the paste. */
  readonly refused: readonly Refused[]
  /** Why the paste ended early otherwise; empty if it did not. */
  readonly problem: string
}

/** Saves rows in batches, each as a whole or not at all. The first refused batch ends the paste. */
export async function saveRows(
  ask: Ask,
  dataClass: DataClass,
  rows: readonly PastedRow[],
  report: (done: number) => void,
): Promise<Pasted> {
  const changed: Changed[] = []
  const created: { key: string; stamp: number }[] = []
  let done = 0
  const end = (refused: readonly Refused[] = [], problem = ''): Pasted => ({
    changed,
    created,
    refused,
    problem,
  })
  for (const items of batchesOf(rows.map(({ item }) => item))) {
    let written: Awaited<ReturnType<typeof writeBatch>>
    try {
      written = await writeBatch(ask, dataClass, items, { isAtomic: true })
    } catch (error) {
      // What earlier batches have saved can be undone.
      return end([], reasonOf(error))
    }
    if (written.some(({ isSaved }) => !isSaved)) {
      const from = done
      return end(refusedOf(written, (at) => rows[from + at]?.name ?? ''))
    }
    for (const answer of written) {
      const row = rows[done++]
      if (!answer.isSaved || row === undefined) continue
      const key = String(answer.entity.__KEY)
      const stamp = Number(answer.entity.__STAMP)
      const { entity } = row
      if (entity === null) created.push({ key, stamp })
      else {
        const before = row.cells.map(({ attribute: { name } }) => [name, entity[name] ?? null])
        const stampBefore = Number(entity.__STAMP)
        changed.push({ key, stampBefore, stamp, before: Object.fromEntries(before) })
      }
    }
    report(done)
  }
  return end()
}
