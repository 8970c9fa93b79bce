import { isMedia } from '../value/media.ts'

/** A value of an entity as JSON has it. Computed values may have any form. */
export function inJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'object' && value !== null
    ? JSON.parse(JSON.stringify(value) ?? 'null')
    : (value ?? null)
}

/** Instances, such as a `Date`, equal nothing but themselves. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (!isJson(a) || !isJson(b)) return a === b
  const left = Object.entries(a)
  const right = new Map(Object.entries(b))
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left.length === right.size &&
    left.every(([name, value]) => right.has(name) && isSameJson(value, right.get(name)))
  )
}

const isJson = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isMedia(value) && !(value instanceof Date)
