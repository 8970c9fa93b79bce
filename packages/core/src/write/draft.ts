import type {
  AliasAttribute,
  ClassModel,
  ComputedAttribute,
  StorageAttribute,
} from '../model/catalog.ts'
import { Refusal } from '../value/check-options.ts'
import { coerceInput } from '../value/coerce.ts'
import { present, sameValue } from '../value/compare.ts'
import { isMedia, type Json, type StoredValue } from '../value/types.ts'
import { type Patch, readPatch } from './patch.ts'
import { refusePromise } from './write-errors.ts'

/**
 * Lets a hook change a plain object of one entity and returns the changes. The object has the
 * storage values as users read them, foreign keys under the names they are written by, and mutable
 * copies of object values.
 */
export function draftPatch(
  model: ClassModel,
  values: readonly StoredValue[],
  change: (draft: object) => void,
): Patch {
  const draft = plainOf(model, values, thaw)
  change(draft)
  return readChanges(model, plainOf(model, values, keep), draft)
}

/**
 * Lets `change` edit a draft of an object and returns the changed object, which shares its
 * unchanged parts.
 */
export type Produce = (base: object, change: (draft: object) => void) => object

/**
 * Lets `edit` change a draft of one entity and returns the changes. Without `produce` the draft is
 * a deep copy. Throws `promiseReturned`, the errors of `edit` and those of `readPatch`. Cost: some
 * microseconds.
 */
export function editPatch(
  model: ClassModel,
  values: readonly StoredValue[],
  edit: (draft: never) => unknown,
  produce: Produce | undefined,
): Patch {
  const change = (draft: object): void => {
    const result = edit(draft as never)
    refusePromise(
      result,
      `The edit of an entity of "${model.name}"`,
      'Await before the update, not inside it.',
    )
  }
  if (produce === undefined) return draftPatch(model, values, change)
  const base = plainOf(model, values, keep)
  return readChanges(model, base, produce(base, change))
}

/** The difference of two plain entities as a patch. Deleted properties become null. */
function readChanges(model: ClassModel, base: object, edited: object): Patch {
  const before = new Map<string, unknown>(Object.entries(base))
  const after = new Map<string, unknown>(Object.entries(edited))
  const changed: [string, unknown][] = []
  for (const [name, value] of before) {
    const now = after.get(name) ?? null
    if (now !== value) changed.push([name, now])
  }
  for (const [name, value] of after) if (!before.has(name)) changed.push([name, value])
  return readPatch(model, Object.fromEntries(changed))
}

/** A deep, mutable copy of frozen JSON. */
function thaw(value: Json): unknown {
  if (typeof value !== 'object' || value === null || isMedia(value)) return value
  if (Array.isArray(value)) return value.map(thaw)
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, thaw(property)]))
}

function plainOf(
  model: ClassModel,
  values: readonly StoredValue[],
  objectOf: (value: Json) => unknown,
): object {
  const entries = model.storage.map(({ name, type, dateOnly, ordinal }): [string, unknown] => {
    const value = values[ordinal]
    return [name, type === 'object' ? objectOf(value as Json) : present(type, dateOnly, value)]
  })
  return Object.fromEntries(entries)
}

const keep = (value: Json): Json => value

/** A value of an entity as JSON has it. Computed values may have any form. */
export function inJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'object' && value !== null
    ? JSON.parse(JSON.stringify(value) ?? 'null')
    : (value ?? null)
}

/**
 * True if a given value equals what reads show, in any form of the attribute's type: a `Date`
 * equals its text, and a UUID its other spellings. `value` is no image or BLOB.
 *
 * @internal For other packages of Entia.
 */
export function isSameAsShown(
  attribute: StorageAttribute | ComputedAttribute | AliasAttribute,
  given: unknown,
  value: unknown,
): boolean {
  const shown = inJson(value)
  // Computed values may be of another type than their attribute.
  if (isSameJson(given, shown)) return true
  const { type, dateOnly } = attribute.kind === 'alias' ? attribute.target : attribute
  const left = coerceInput(type, dateOnly, given)
  const right = coerceInput(type, dateOnly, shown)
  return !(left instanceof Refusal) && !(right instanceof Refusal) && sameValue(left, right)
}

/** Instances, such as a `Date`, equal nothing but themselves. */
function isSameJson(a: unknown, b: unknown): boolean {
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
