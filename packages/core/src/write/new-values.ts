import { EntiaError } from '../errors.ts'
import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { Table } from '../storage/table.ts'
import { describeFound } from '../value/check-options.ts'
import { coerceInput, Refusal } from '../value/coerce.ts'
import type { StoredValue } from '../value/types.ts'
import { writeError } from './write-errors.ts'

/** The ids of the host. */
interface UuidSource {
  uuid(): string
}

/** Generates the missing UUIDs of a new entity. Runs code of the host. Throws `argumentInvalid`. */
export function fillUuids(
  generated: readonly StorageAttribute[],
  values: StoredValue[],
  port: UuidSource,
): void {
  for (const { type, ordinal } of generated)
    if (type === 'uuid' && values[ordinal] === null) values[ordinal] = newUuid(port)
}

/**
 * Gives a new entity its missing automatic numbers, and moves the sequence beyond given ones.
 * `last` is the last number of the dataclass. Throws `sequenceExhausted` and `sequenceWouldEnd`.
 */
export function fillNumbers(
  table: Table,
  generated: readonly StorageAttribute[],
  last: number,
  sequence: Sequence,
  values: StoredValue[],
): void {
  for (const attribute of generated) {
    if (attribute.type === 'uuid') continue
    const value = values[attribute.ordinal] as number | null
    if (value === null) values[attribute.ordinal] = nextNumber(table, sequence, attribute, last)
    else passNumber(table, sequence, attribute, last, value)
  }
}

/** The position of an automatic sequence. */
export interface Sequence {
  sequence: number
}

/** The next number of an automatic sequence. Throws `sequenceExhausted`. */
export function nextNumber(
  table: Table,
  sequence: Sequence,
  { owner, name }: StorageAttribute,
  last: number,
): number {
  const number = table.numberFrom(sequence.sequence)
  if (number > last)
    throw writeError('sequenceExhausted', { dataClass: owner.name, attribute: name })
  sequence.sequence = number + 1
  return number
}

/**
 * Moves a sequence beyond a given number. Throws `sequenceWouldEnd` for a number that leaves no
 * later one, because one write would end the sequence permanently.
 */
export function passNumber(
  table: Table,
  sequence: Sequence,
  attribute: StorageAttribute,
  last: number,
  given: number,
): void {
  if (given < sequence.sequence) return
  const { owner, name, max } = attribute
  // For a number above `max` the error of that rule is more precise.
  if (given >= last && (max === null || given <= max))
    throw writeError('sequenceWouldEnd', { dataClass: owner.name, attribute: name, given, last })
  sequence.sequence = table.positionAfter(given, sequence.sequence)
}

/**
 * The last number of a dataclass's sequence: the highest that all of its automatic attributes can
 * hold.
 */
export function lastNumberOf({ storage }: ClassModel): number {
  let last = Number.MAX_SAFE_INTEGER
  for (const { type, autoSequence, max } of storage) {
    if (!autoSequence || type === 'uuid') continue
    if (type === 'long') last = Math.min(last, 2_147_483_647)
    if (max !== null) last = Math.min(last, Math.floor(max))
  }
  return last
}

/** A new UUID in its stored form. Throws `argumentInvalid` if the host returns something else. */
export function newUuid(port: UuidSource): StoredValue {
  const given: unknown = port.uuid()
  const value = coerceInput('uuid', false, typeof given === 'string' ? plainUuid(given) : given)
  if (value !== null && !(value instanceof Refusal)) return value
  const expected = 'a UUID of 32 hexadecimal digits'
  throw new EntiaError('argumentInvalid', {
    argument: 'The result of ids.uuid()',
    expected,
    found: describeFound(given),
  })
}

/** The stored form of a UUID: 32 upper-case digits. */
export function plainUuid(uuid: string): string {
  return uuid.replaceAll('-', '').toUpperCase()
}
