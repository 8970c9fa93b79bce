import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { StoredValue } from '../value/types.ts'
import { lastNumberOf, passNumber, type Sequence } from './new-values.ts'
import { hasRules } from './rules.ts'

/** What a changed value of a column asks for, as bits. */
export const IS_FIXED = 1
export const HAS_RULES = 2
export const IS_UNIQUE = 4
export const IS_REFERENCE = 8
export const IS_COUNTED = 16

/**
 * What writing to one dataclass asks for, worked out once, so that a write looks at nothing that its columns have no use for.
 */
export interface WritePlan {
  /** By column: the bits above; 0 where a change needs no check at all. */
  readonly asks: Uint8Array
  /** Values of a new entity before anything is given. */
  readonly defaults: readonly StoredValue[]
  readonly ruled: readonly StorageAttribute[]
  /** Unique attributes other than the key. */
  readonly unique: readonly StorageAttribute[]
  readonly references: readonly StorageAttribute[]
  /** Values are given by a sequence, or as UUIDs. */
  readonly generated: readonly StorageAttribute[]
  /** The last number that the sequence can give. */
  readonly lastNumber: number
  /** True when a save runs code of the application before it is staged or after it is committed. */
  readonly hasSaveHooks: boolean
  /** True when writes run no code of the application: neither hooks nor setters. */
  readonly runsNoCode: boolean
  /** The columns of the last update: the next one mostly has the same, and history then keeps one list. */
  lastColumns: readonly number[]
}

export function createPlan(model: ClassModel): WritePlan {
  const { storage, hooks, attributes } = model
  const { init, beforeSave, validateSave, afterSave, validateRemove, afterRemove } = hooks
  const hasSaveHooks = [beforeSave, validateSave, afterSave].some((hook) => hook !== undefined)
  const hasHooks = hasSaveHooks || [init, validateRemove, afterRemove].some((hook) => hook !== undefined)
  const hasSetters = [...attributes.values()].some(
    (attribute) => attribute.kind === 'calculated' && attribute.set !== null,
  )
  return {
    asks: Uint8Array.from(storage, askOf),
    defaults: storage.map((attribute) => attribute.defaultValue ?? null),
    ruled: storage.filter(hasRules),
    unique: storage.filter((attribute) => attribute.unique && !attribute.key),
    references: storage.filter((attribute) => attribute.relation !== null),
    generated: storage.filter(isGenerated),
    lastNumber: lastNumberOf(model),
    hasSaveHooks,
    runsNoCode: !hasHooks && !hasSetters,
    lastColumns: [],
  }
}

/** The first columns of a list, as a list that is shared with other updates and must not be changed. */
export function sharedColumns(
  plan: WritePlan,
  ordinals: readonly number[],
  count = ordinals.length,
): readonly number[] {
  const last = plan.lastColumns
  if (last === ordinals) return last
  if (last.length === count) {
    let i = 0
    while (i < count && last[i] === ordinals[i]) i++
    if (i === count) return last
  }
  plan.lastColumns = ordinals.slice(0, count)
  return plan.lastColumns
}

/** What changes of some columns ask for, as the bits above. */
export function askedBy({ asks }: WritePlan, ordinals: readonly number[]): number {
  let asked = 0
  for (let i = 0; i < ordinals.length; i++) asked |= asks[ordinals[i]]
  return asked
}

/** Moves the sequence beyond changed numbers of automatic attributes. Throws `sequenceWouldEnd`. */
export function passNumbers(
  { asks, lastNumber }: WritePlan,
  storage: readonly StorageAttribute[],
  sequence: Sequence,
  ordinals: readonly number[],
  values: readonly StoredValue[],
): void {
  for (let i = 0; i < ordinals.length; i++) {
    const value = values[i]
    if ((asks[ordinals[i]] & IS_COUNTED) !== 0 && value !== null)
      passNumber(sequence, storage[ordinals[i]], lastNumber, value as number)
  }
}

const askOf = (attribute: StorageAttribute): number =>
  (attribute.key || attribute.readOnly ? IS_FIXED : 0) |
  (hasRules(attribute) ? HAS_RULES : 0) |
  (attribute.unique && !attribute.key ? IS_UNIQUE : 0) |
  (attribute.relation !== null ? IS_REFERENCE : 0) |
  (attribute.autoSequence && attribute.type !== 'uuid' ? IS_COUNTED : 0)

const isGenerated = ({ type, key, autoSequence }: StorageAttribute): boolean => autoSequence || (type === 'uuid' && key)
