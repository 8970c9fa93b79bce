import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'
import type { ClassModel } from '../model/catalog.ts'
import { Refusal } from '../value/check-options.ts'
import { coerceInput } from '../value/coerce.ts'

/** A key in the form that columns hold. */
export type Key = string | number

/**
 * A key as a caller gives it, in the form that columns hold; null when it cannot be a key of the
 * dataclass.
 */
export function storedKey({ key }: ClassModel, given: unknown): Key | null {
  // The usual case: whole numbers are stored as they are given.
  if (typeof given === 'number' && key.type === 'long' && (given | 0) === given) return given + 0
  const value = coerceInput(key.type, key.dateOnly, given)
  return value instanceof Refusal ? null : (value as Key | null)
}

/** The highest stamp: tables keep stamps in 32 bits. */
export const MAX_STAMP = 2 ** 31 - 1

/** The furthest time from 1970 that a date can hold, in milliseconds, both ways. */
export const MAX_TIMESTAMP = 8.64e15

/** The stamp of the next version. After the highest stamp comes 1, the stamp of a new entity. */
export const nextStamp = (stamp: number): number => (stamp === MAX_STAMP ? 1 : stamp + 1)

/** How many versions after `from` an entity has the stamp `to`. */
export const stampsUntil = (from: number, to: number): number =>
  to >= from ? to - from : to - from + MAX_STAMP

/** Errors of what the tables and the history can hold. */
export const STORAGE_ERRORS: ErrorTexts<'historyTrimmed' | 'entityTooLarge' | 'commitTooLarge'> = {
  historyTrimmed: {
    errCode: 9050,
    message: (d) =>
      `The history no longer reaches back to global stamp ${d.requested}; the oldest kept is ${d.oldest}. Raise the option "history", read earlier, or call settle() on a selection that you hold.`,
  },
  entityTooLarge: {
    errCode: 9066,
    message: (d) =>
      `The entity with the key "${d.key}" of the "${d.dataClass}" dataclass takes ${d.bytes} bytes; the limit is ${d.limit} (option "sizes.entityBytes"). Keep large values in entities or files of their own.`,
  },
  commitTooLarge: {
    errCode: 9067,
    message: (d) =>
      `The commit takes ${d.bytes} bytes; the limit is ${d.limit} (option "sizes.commitBytes"). Write the entities in several transactions.`,
  },
}

export const storageError: ErrorFactory<keyof typeof STORAGE_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, STORAGE_ERRORS[code])

/** Errors of creating and dropping indexes. */
export const INDEX_ERRORS: ErrorTexts<'indexInvalid'> = {
  indexInvalid: {
    errCode: 9058,
    message: (d) => `The index on "${d.attribute}" of the "${d.dataClass}" dataclass: ${d.problem}`,
  },
}

export const indexError: ErrorFactory<keyof typeof INDEX_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, INDEX_ERRORS[code])
