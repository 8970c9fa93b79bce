import { EntiaError } from '../errors.ts'
import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import { describeFound } from '../value/refusal.ts'
import type { StoredValue } from '../value/types.ts'

export function entityMissing({ name }: ClassModel, key: unknown): EntiaError {
  return new EntiaError('entityNotFound', { dataClass: name, key: String(key) })
}

/** A stamp that is no stamp at all is the caller's mistake, not another's save. */
export function staleStamp(model: ClassModel, key: unknown, given: number, stored: number, slot: number): EntiaError {
  if (!Number.isInteger(given)) {
    return new EntiaError('argumentInvalid', {
      argument: 'The option "stamp"',
      expected: 'a whole number',
      found: describeFound(given),
    })
  }
  const details = { dataClass: model.name, key: String(key), given, stored, recordNumber: slot }
  return new EntiaError('stampChanged', details)
}

/** The error for a new entity whose key is null or an empty text: neither can stand in an address. */
export function keyMissing({ name, key }: ClassModel, given: null | ''): EntiaError {
  return new EntiaError(given === null ? 'keyNull' : 'keyEmpty', { dataClass: name, attribute: key.name })
}

export function keyTaken({ name }: ClassModel, key: StoredValue): EntiaError {
  return new EntiaError('keyNotUnique', { dataClass: name, key: String(key) })
}

export function valueTaken({ owner, name }: StorageAttribute): EntiaError {
  return new EntiaError('uniqueViolation', { dataClass: owner.name, attribute: name })
}

/** Takes every failure of one entity; `key` is null for a new one. */
export function entityInvalid({ name }: ClassModel, key: string | null, failures: readonly EntiaError[]): EntiaError {
  return new EntiaError('validationFailed', { dataClass: name, key, failures })
}
