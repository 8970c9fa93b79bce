import { carriedMarks, type Marks, withCarriedMarks } from './marks.ts'
import { ServerMedia } from './remote-catalog.ts'
import type { Transport } from './transport.ts'

/** What JSON loses of an entity. */
export interface EntityExtras {
  /** The key and stamp of an entity with attributes of these names. */
  readonly marks?: Marks
  /** Where its images and BLOBs are, and their addresses. */
  readonly media?: readonly (readonly [path: readonly string[], uri: string])[]
}

/** What JSON loses of an entity; null if it loses nothing. Cost: O(values). */
export function extrasOf(entity: object): EntityExtras | null {
  const marks = carriedMarks(entity)
  const media = [...mediaOf(entity, [])]
  if (marks === null && media.length === 0) return null
  return { ...(marks === null ? {} : { marks }), ...(media.length === 0 ? {} : { media }) }
}

/** A copy of an entity that was JSON, with what it had lost. */
export function withExtras(
  entity: object,
  { marks, media = [] }: EntityExtras,
  transport: Transport,
): object {
  let restored: unknown = entity
  for (const [path, uri] of media)
    restored = withValue(restored, path, new ServerMedia(uri, transport))
  return marks === undefined ? (restored as object) : withCarriedMarks(restored as object, marks)
}

function* mediaOf(
  value: unknown,
  path: readonly string[],
): Iterable<readonly [readonly string[], string]> {
  if (value instanceof ServerMedia) yield [path, value.uri]
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) yield* mediaOf(member, [...path, name])
}

/** A copy with another value at a path. */
function withValue(container: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  if (Array.isArray(container))
    return container.map((each, i) => (String(i) === name ? withValue(each, rest, value) : each))
  return Object.fromEntries(
    Object.entries(container ?? {}).map(([each, member]) => [
      each,
      each === name ? withValue(member, rest, value) : member,
    ]),
  )
}
