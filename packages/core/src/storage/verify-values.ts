import { isDangerousName, isWellFormed, MAX_JSON_DEPTH } from '../value/json.ts'
import { isMedia } from '../value/media.ts'
import type { StoredValue } from '../value/types.ts'
import type { Column } from './column.ts'
import type { Broken } from './verify-words.ts'

const UUID = /^[0-9A-F]{32}$/
/** The latest time a date can hold, and the last of its days. */
const LAST_TIME = 8.64e15
const LAST_DAY = 1e8

/**
 * Verifies that a column holds only values of its type, in their stored form. Rules are not
 * verified: they may change.
 */
export function verifyValues(column: Column, slots: Int32Array, broken: Broken): void {
  const { attribute } = column
  for (const slot of slots) {
    if (column.layout === 'bool' && column.data[slot] > 2)
      broken(`record ${slot} holds neither true nor false`)
    const value = column.read(slot)
    if (value === null) continue
    if (Object.is(value, -0)) broken(`record ${slot} holds -0`)
    if (!isOfType(column, value)) broken(`the value of record ${slot} is no ${attribute.type}`)
    if (column.layout === 'number' && column.isIntegral && !Number.isInteger(value))
      broken(`record ${slot} has a fraction in a column without`)
  }
}

function isOfType({ attribute: { type, dateOnly } }: Column, value: StoredValue): boolean {
  switch (type) {
    case 'bool':
      return typeof value === 'boolean'
    case 'long':
      return typeof value === 'number' && (value | 0) === value
    case 'long64':
      return Number.isSafeInteger(value)
    case 'number':
    case 'duration':
      return Number.isFinite(value)
    case 'date':
      return (
        Number.isInteger(value) && Math.abs(value as number) <= (dateOnly ? LAST_DAY : LAST_TIME)
      )
    case 'string':
      return typeof value === 'string' && isWellFormed(value)
    case 'uuid':
      return typeof value === 'string' && UUID.test(value)
    case 'object':
      return typeof value === 'object' && isKeptJson(value, 1)
    case 'image':
    case 'blob':
      return isMedia(value)
  }
}

/** Deep-frozen JSON as `copyJson` returns it. */
function isKeptJson(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isWellFormed(value)
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object' || value === null)
    return value === null || typeof value === 'boolean'
  if (depth > MAX_JSON_DEPTH || !Object.isFrozen(value)) return false
  return Object.entries(value).every(
    ([name, property]) =>
      !isDangerousName(name) && isWellFormed(name) && isKeptJson(property, depth + 1),
  )
}
