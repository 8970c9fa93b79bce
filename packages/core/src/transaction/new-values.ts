import { EntiaError } from '../errors.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import type { StoredValue } from '../value/types.ts'
import type { TransactionPort } from './port.ts'

/**
 * Gives the attributes that generate theirs a value where none is given: UUID keys and automatic UUIDs, and the next number of the sequence, which
 * stays above every number given. Throws `sequenceExhausted`.
 */
export function fillSequences(
  generated: readonly StorageAttribute[],
  sequence: Sequence,
  values: StoredValue[],
  port: Pick<TransactionPort, 'uuid'>,
): void {
  for (const attribute of generated) {
    const value = values[attribute.ordinal]
    if (attribute.type === 'uuid') {
      if (value === null) values[attribute.ordinal] = plainUuid(port.uuid())
    } else if (attribute.autoSequence) {
      if (value === null) values[attribute.ordinal] = nextNumber(sequence, attribute)
      else if ((value as number) >= sequence.sequence) sequence.sequence = (value as number) + 1
    }
  }
}

/** What counts up; a stage, or a load that has none. */
export interface Sequence {
  sequence: number
}

/** The next number of an automatic sequence. Throws `sequenceExhausted`. */
export function nextNumber(sequence: Sequence, attribute: StorageAttribute): number {
  const last = attribute.type === 'long' ? 2_147_483_647 : Number.MAX_SAFE_INTEGER
  if (sequence.sequence > last) {
    throw new EntiaError('sequenceExhausted', { dataClass: attribute.owner.name, attribute: attribute.name })
  }
  return sequence.sequence++
}

/** As UUIDs are kept: 32 upper-case digits. */
export function plainUuid(uuid: string): string {
  return uuid.replaceAll('-', '').toUpperCase()
}
