import { EntiaError, type ErrorFactory, type ErrorTexts, isMisuse } from '../errors.ts'
import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import { describeFound, refused } from '../value/check-options.ts'
import type { StoredValue } from '../value/types.ts'

/** Errors of single writes: rules, keys, stamps and hooks. */
export const WRITE_ERRORS: ErrorTexts<
  | 'keyNull'
  | 'keyEmpty'
  | 'keyNotUnique'
  | 'uniqueViolation'
  | 'notNullViolation'
  | 'valueTooSmall'
  | 'valueTooLarge'
  | 'textTooShort'
  | 'textTooLong'
  | 'patternMismatch'
  | 'removeRestricted'
  | 'stampChanged'
  | 'sequenceExhausted'
  | 'sequenceWouldEnd'
  | 'hookRefused'
  | 'hookFailed'
> = {
  keyNull: {
    errCode: 1544,
    message: (d) =>
      `The primary key "${d.attribute}" of the "${d.dataClass}" dataclass cannot be null.`,
  },
  keyEmpty: {
    errCode: 9038,
    message: (d) =>
      `The primary key "${d.attribute}" of the "${d.dataClass}" dataclass cannot be an empty text. Give it at least one character.`,
  },
  keyNotUnique: {
    errCode: 1545,
    message: (d) =>
      `An entity with key "${d.key}" exists already in the "${d.dataClass}" dataclass.`,
  },
  uniqueViolation: {
    errCode: 9030,
    message: (d) =>
      `The value of "${d.attribute}" is already used by another entity of the "${d.dataClass}" dataclass; it must be unique.`,
  },
  notNullViolation: {
    errCode: 9031,
    message: (d) =>
      `The "${d.attribute}" attribute of the "${d.dataClass}" dataclass cannot be null.`,
  },
  valueTooSmall: {
    errCode: 1568,
    message: (d) => `The value of "${d.attribute}" cannot be less than ${d.min}.`,
  },
  valueTooLarge: {
    errCode: 1569,
    message: (d) => `The value of "${d.attribute}" cannot be greater than ${d.max}.`,
  },
  textTooShort: {
    errCode: 1591,
    message: (d) => `The text of "${d.attribute}" must have at least ${d.minLength} characters.`,
  },
  textTooLong: {
    errCode: 1592,
    message: (d) => `The text of "${d.attribute}" must have at most ${d.maxLength} characters.`,
  },
  patternMismatch: {
    errCode: 1571,
    message: (d) => `The text of "${d.attribute}" does not match the pattern ${d.pattern}.`,
  },
  removeRestricted: {
    errCode: 9034,
    message: (d) =>
      `Entity# ${d.key} of the "${d.dataClass}" dataclass is still referred to by "${d.by}" (onDelete: 'restrict').`,
  },
  stampChanged: {
    errCode: 1263,
    message: (d) =>
      `Given stamp ${d.given} does not match current one (${d.stored}) for record# ${d.recordNumber} of table ${d.dataClass}.`,
  },
  sequenceExhausted: {
    errCode: 9043,
    message: (d) =>
      `The automatic sequence of "${d.attribute}" in the "${d.dataClass}" dataclass has no next value.`,
  },
  sequenceWouldEnd: {
    errCode: 9044,
    message: (d) =>
      `The value ${d.given} of "${d.attribute}" would end the automatic sequence of the "${d.dataClass}" dataclass: no later number would be left. Give a number below ${d.last}, or none.`,
  },
  hookRefused: { errCode: (d) => d.errCode, message: (d) => d.message },
  hookFailed: {
    errCode: 9040,
    message: (d) => `The hook "${d.hook}" of the "${d.dataClass}" dataclass failed: ${d.problem}`,
  },
}

export const writeError: ErrorFactory<keyof typeof WRITE_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, WRITE_ERRORS[code])

export function entityMissing({ name, key: { type } }: ClassModel, key: unknown): EntiaError {
  const isText = type === 'string' || type === 'uuid'
  const isObject = typeof key === 'object' && key !== null
  const details = { dataClass: name, key: isObject ? describeFound(key) : String(key) }
  if (typeof key === (isText ? 'string' : 'number'))
    return new EntiaError('entityNotFound', details)
  // A text such as "1", from an address or a form, finds no number.
  const hint = `Its keys are ${isText ? 'texts' : 'numbers'}, and the key is ${describeFound(key)}.`
  return new EntiaError('entityNotFound', { ...details, hint })
}

/** A stamp that is not a whole number is an invalid argument, not a conflict. */
export function staleStamp(
  model: ClassModel,
  key: unknown,
  given: number,
  stored: number,
  recordNumber: number,
): EntiaError {
  if (!Number.isInteger(given))
    return refused('The option "stamp"', 'a whole number', describeFound(given))
  const details = { dataClass: model.name, key: String(key), given, stored, recordNumber }
  return writeError('stampChanged', details)
}

/**
 * The error for a new entity whose key is null or an empty text, neither of which can be part of an
 * address.
 */
export function keyMissing({ name, key }: ClassModel, given: null | ''): EntiaError {
  return writeError(given === null ? 'keyNull' : 'keyEmpty', {
    dataClass: name,
    attribute: key.name,
  })
}

export function keyTaken({ name }: ClassModel, key: StoredValue): EntiaError {
  return writeError('keyNotUnique', { dataClass: name, key: String(key) })
}

export function valueTaken({ owner, name }: StorageAttribute): EntiaError {
  return writeError('uniqueViolation', { dataClass: owner.name, attribute: name })
}

/** Takes all failures of one entity; `key` is null for a new one. */
export function entityInvalid(
  { name }: ClassModel,
  key: string | null,
  failures: readonly EntiaError[],
): EntiaError {
  return new EntiaError('validationFailed', { dataClass: name, key, failures })
}

/** Errors of bulk loads. */
export const LOAD_ERRORS: ErrorTexts<'loadRefused'> = {
  loadRefused: {
    errCode: 9042,
    message: ({ dataClass, rowNumber, problem, stored = 0 }) =>
      stored === 0
        ? `Nothing was loaded into the "${dataClass}" dataclass: row ${rowNumber} is refused. ${problem}`
        : `Row ${rowNumber} of a load into the "${dataClass}" dataclass is refused; the ${stored} rows of its earlier commits are stored. ${problem}`,
  },
}

export const loadError: ErrorFactory<keyof typeof LOAD_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, LOAD_ERRORS[code])

/** Errors of calls that the state of the store forbids. */
export const STORE_ERRORS: ErrorTexts<'storeBroken' | 'storeClosed' | 'notInTransaction'> = {
  storeBroken: {
    errCode: 9052,
    message: (d) =>
      `The store refuses every call since a change failed half-way and could not be undone: ${d.problem}`,
  },
  storeClosed: { errCode: 9053, message: (d) => `The store "${d.store}" is closed.` },
  notInTransaction: {
    errCode: 9054,
    message: (d) => `${d.operation} is not possible inside a transaction. ${d.remedy}`,
  },
}

export const storeError: ErrorFactory<keyof typeof STORE_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, STORE_ERRORS[code])

/** Errors of restoring a snapshot. */
export const SNAPSHOT_ERRORS: ErrorTexts<'snapshotForeign'> = {
  snapshotForeign: {
    errCode: 9051,
    message: (d) => `The snapshot cannot be restored: ${d.problem}`,
  },
}

export const snapshotError: ErrorFactory<keyof typeof SNAPSHOT_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, SNAPSHOT_ERRORS[code])

/**
 * Runs code of the application (a hook, a setter). Its own mistakes become `hookFailed`; other
 * errors of the store, such as refused writes, stay as they are. Throws `promiseReturned` for a
 * promise.
 */
export function callUserCode(model: ClassModel, hook: string, run: () => unknown): unknown {
  let result: unknown
  try {
    result = run()
  } catch (error) {
    if (error instanceof EntiaError && !isMisuse(error)) throw error
    const problem = error instanceof Error ? error.message : String(error)
    throw writeError('hookFailed', { dataClass: model.name, hook, problem }, { cause: error })
  }
  refusePromise(
    result,
    `The hook "${hook}" of the "${model.name}" dataclass`,
    'Await before the write, not inside it.',
  )
  return result
}

/** Runs the body of a transaction. Throws what it throws, and `promiseReturned` for a promise. */
export function runBody<T, R>(transaction: T, body: (transaction: T) => R): R {
  const result = body(transaction)
  refusePromise(result, 'The body of a transaction', 'Await before the transaction, not inside it.')
  return result
}

/**
 * Throws `promiseReturned` for a promise or another object with a `then` method. A rejection of the
 * promise is ignored.
 */
export function refusePromise(result: unknown, where: string, remedy: string): void {
  if (
    typeof result !== 'object' ||
    result === null ||
    !('then' in result) ||
    typeof result.then !== 'function'
  )
    return
  if (result instanceof Promise) result.catch(() => {})
  throw new EntiaError('promiseReturned', { where, remedy })
}
