import { numberedAttributes } from '../model/numbered.ts'
import type { Table } from '../storage/table.ts'

/** The value of a sequence that has given out the highest safe integer. */
const MAX_SEQUENCE = Number.MAX_SAFE_INTEGER + 1

/** True if a sequence can have this value of a dump or journal. */
export const isSequence = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_SEQUENCE

/**
 * Moves the sequences of tables beyond the numbers in their records. In a dump of a dataclass
 * without an automatic attribute the sequence never moved, and the option may have been added
 * since. Cost: O(data).
 */
export function adoptSequences(tables: readonly Table[]): void {
  for (const table of tables) {
    for (const { ordinal } of numberedAttributes(table.model)) {
      for (const slot of table.liveSlots()) {
        const number = table.read(slot, ordinal) as number | null
        if (number !== null && number >= table.sequence) table.sequence = number + 1
      }
    }
  }
}
