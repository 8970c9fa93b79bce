import { formatDate } from './date.ts'
import type { AttributeType, StoredValue } from './types.ts'

/** A stored value as the API returns it: dates as ISO 8601 text, everything else unchanged. */
export function present(type: AttributeType, dateOnly: boolean, stored: StoredValue): unknown {
  return type === 'date' && typeof stored === 'number' ? formatDate(stored, dateOnly) : stored
}
