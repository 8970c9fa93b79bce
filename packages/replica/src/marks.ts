import { BucketMarks, HINT_LENGTH, type StoredValue } from '@entia/core/internal'
import { type Contents, columnIn } from './contents.ts'

/** What the server wants marks of: a dataclass with its columns and hints. */
export interface Hinted {
  readonly name: string
  readonly columns: readonly string[]
  readonly hints: string
}

/** Marks of what is here, by dataclass. */
export type Marks = ReadonlyMap<string, BucketMarks>

/** Buckets of one request that are divided: the body of a request is limited. */
const MAX_DIVIDED = 2000

/** Whether a text is the hints of some buckets. */
export const isHints = (text: unknown): text is string =>
  typeof text === 'string' && text.length > 0 && text.length % HINT_LENGTH === 0

/**
 * Marks of the entities that the server has sent, for those dataclasses that have some and whose
 * columns are those that are here; and the same as they are sent. Cost: O(length of the values).
 */
export function marksOf(
  contents: Contents,
  wanted: readonly Hinted[],
  seed: number,
): { readonly marks: Marks; readonly sent: unknown } {
  const marks = new Map<string, BucketMarks>()
  const sent: [name: string, marks: object][] = []
  let room = MAX_DIVIDED
  for (const { name, columns, hints } of wanted) {
    const model = contents.store.catalog.byName.get(name)
    const held = contents.held[name]
    const isSame =
      held?.length === columns.length && held.every((column, at) => column === columns[at])
    const known = columns.flatMap((column) => (model && columnIn(model, column)) ?? [])
    if (!isSame || known.length < columns.length) continue
    const ordinals = known.map(({ ordinal }) => ordinal)
    const count = hints.length / HINT_LENGTH
    const own = new BucketMarks(count, seed)
    const ownHints = new BucketMarks(count, seed)
    const values: StoredValue[] = []
    let isEmpty = true
    for (const [key, { values: stored, stamp, timestamp }] of contents.sent(name)) {
      for (const [at, ordinal] of ordinals.entries()) values[at] = stored[ordinal]!
      own.add(key, stamp, timestamp, values)
      ownHints.add(key, stamp, timestamp, [])
      isEmpty = false
    }
    if (isEmpty) continue
    marks.set(name, own)
    const divided = ownHints.unlike(hints).slice(0, room)
    room -= divided.length
    sent.push([name, { columns, count, divided, text: own.text(divided) }])
  }
  return { marks, sent: Object.fromEntries(sent) }
}

/** Another seed for each comparison. */
export const randomSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]!
