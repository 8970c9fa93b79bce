import { entityPath } from './addresses.ts'
import { type Ask, Refusal } from './api.ts'
import { type DataClass, listOf, membersOf, textOf } from './model.ts'

/** Items of one request, and about how many bytes: servers take 10,000 and 1 MiB or more. */
export const batchItems = 1000
const batchBytes = 500_000
/** Characters of a filter of keys, which is part of an address: servers take 8,192 and more. */
const maxFilterCharacters = 4000

/** The error code of an entity that was saved since its stamp. */
const stampDiffers = 1263
/** The error code of an entity that another session has locked. */
const entityLocked = 9035
/** The error code of what only users may do who have logged in. */
const loginRequired = 9120

/** An item of a save: attributes by name, with `__KEY` for an update. */
export type Item = Readonly<Record<string, unknown>>

/** What became of an item: the entity that the server stored, or why it was refused. */
export type Written =
  | { readonly isSaved: true; readonly entity: Readonly<Record<string, unknown>> }
  | {
      readonly isSaved: false
      readonly message: string
      readonly isConflict: boolean
      readonly isLocked: boolean
      readonly needsLogin: boolean
    }

/** Divides items into requests that servers take, each when it is asked for. */
export function batchesOf<T>(items: Iterable<T>): Iterable<readonly T[]> {
  return divided(items, (item) => 3 * JSON.stringify(item).length, batchBytes, batchItems)
}

/** Divides keys so that a filter of each part (`anyOf`) fits into an address. */
export function filterParts(keys: readonly string[]): Iterable<readonly string[]> {
  return divided(keys, (key) => encodeURIComponent(key).length + 12, maxFilterCharacters)
}

/** Divides a list into parts of a size at most; an item that is larger is a part of its own. */
function* divided<T>(
  items: Iterable<T>,
  sizeOf: (item: T) => number,
  maxSize: number,
  maxItems = Number.POSITIVE_INFINITY,
): Iterable<readonly T[]> {
  let part: T[] = []
  let size = 0
  for (const item of items) {
    const more = sizeOf(item)
    size += more
    if (part.length > 0 && (size > maxSize || part.length === maxItems)) {
      yield part
      part = []
      size = more
    }
    part.push(item)
  }
  if (part.length > 0) yield part
}

/**
 * Sends one batch and resolves to what became of each item, in their order. `isAtomic`: all or
 * none; then an item without a fault is refused with the others. `isPreview`: saves nothing.
 * `isDeletion`: deletes them; resolves to no item if all are deleted. Rejects with `Refusal` if the
 * server refuses the request as a whole.
 */
export async function writeBatch(
  ask: Ask,
  dataClass: DataClass,
  items: readonly Item[],
  { isAtomic = false, isPreview = false, isDeletion = false, attributes = [] as readonly string[] },
): Promise<readonly Written[]> {
  const parameters = {
    ...(isAtomic ? { $atomic: 'true' } : {}),
    ...(isPreview ? { $refresh: 'true' } : {}),
    ...(isDeletion ? { $method: 'delete' } : {}),
    $attributes: [...attributes, dataClass.key].filter(Boolean).join(','),
  }
  const path = encodeURIComponent(dataClass.name)
  try {
    const answer = await ask(path, { method: 'POST', parameters, body: items })
    return listOf(membersOf(answer).__ENTITIES).map(writtenOf)
  } catch (error) {
    const answers = error instanceof Refusal ? listOf(membersOf(error.answer).__ENTITIES) : []
    if (answers.length !== items.length) throw error
    const written = answers.map(writtenOf)
    return isAtomic ? written.map((one) => (one.isSaved ? withOthers : one)) : written
  }
}

/** The message of an item that is refused only because others are. */
const withOthers: Written = {
  isSaved: false,
  message: '',
  isConflict: false,
  isLocked: false,
  needsLogin: false,
}

function writtenOf(answer: unknown): Written {
  const entity = membersOf(answer)
  const errors = listOf(entity.__ERROR).map(membersOf)
  if (errors.length === 0 && membersOf(entity.__STATUS).success !== false)
    return { isSaved: true, entity }
  return {
    isSaved: false,
    message: textOf(errors[0]?.message) || 'The server refuses it.',
    isConflict: errors.some(({ errCode }) => errCode === stampDiffers),
    isLocked: errors.some(({ errCode }) => errCode === entityLocked),
    needsLogin: errors.some(({ errCode }) => errCode === loginRequired),
  }
}

/** Deletes an entity if it still has this stamp. Rejects with `Refusal`. */
export async function deleteOne(
  ask: Ask,
  dataClass: DataClass,
  key: string,
  stamp: number,
): Promise<void> {
  const parameters = { $method: 'delete' }
  await ask(entityPath(dataClass.name, key), { method: 'POST', parameters, stamp })
}
