import { BucketMarks, bucketCount, type StoredValue } from '@entia/core/internal'
import { type Contents, columnIn } from './contents.ts'

/** The columns of each dataclass, as the server names them. */
type Columns = readonly (readonly [name: string, columns: readonly string[]])[]

/** Marks of what is here, by dataclass. */
export type Marks = ReadonlyMap<string, BucketMarks>

/**
 * Marks of the entities that the server has sent, for those dataclasses whose columns are those
 * that are here. Cost: O(length of the values).
 */
export function marksOf(contents: Contents, classes: Columns, seed: number): Marks {
  const marks = new Map<string, BucketMarks>()
  for (const [name, columns] of classes) {
    const model = contents.store.catalog.byName.get(name)
    const held = contents.held[name]
    const isSame =
      held?.length === columns.length && held.every((column, at) => column === columns[at])
    const known = columns.flatMap((column) => (model && columnIn(model, column)) ?? [])
    if (!isSame || known.length < columns.length) continue
    const ordinals = known.map(({ ordinal }) => ordinal)
    const own = new BucketMarks(bucketCount(contents.tableOf(name).liveCount), seed)
    const values: StoredValue[] = []
    for (const [key, { values: stored, stamp, timestamp }] of contents.sent(name)) {
      for (const [at, ordinal] of ordinals.entries()) values[at] = stored[ordinal]!
      own.add(key, stamp, timestamp, values)
    }
    marks.set(name, own)
  }
  return marks
}

/** Marks as they are sent. */
export const sentMarks = (marks: Marks, classes: Columns, seed: number): unknown => ({
  seed,
  classes: Object.fromEntries(
    classes.flatMap(([name, columns]) => {
      const own = marks.get(name)
      return own === undefined ? [] : [[name, [columns, own.text()]]]
    }),
  ),
})

/** Another seed for each comparison. */
export const randomSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]!
