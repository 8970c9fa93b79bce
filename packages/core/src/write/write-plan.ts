import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { StoredValue } from '../value/types.ts'
import { lastNumberOf } from './port.ts'
import { hasRules } from './rules.ts'
import { storeError } from './write-errors.ts'

/** The checks that a changed value of a column needs, as bits. */
export const IS_FIXED = 1
export const HAS_RULES = 2
export const IS_UNIQUE = 4
export const IS_REFERENCE = 8
export const IS_COUNTED = 16

/**
 * What writes to one dataclass need, computed once, so that a write only does the checks that its
 * columns need.
 */
export interface WritePlan {
  /** By column: the bits above; 0 where a change needs no check. */
  readonly checks: Uint8Array
  /** Initial values of a new entity. */
  readonly defaults: readonly StoredValue[]
  readonly ruled: readonly StorageAttribute[]
  /** Unique attributes other than the key. */
  readonly unique: readonly StorageAttribute[]
  readonly references: readonly StorageAttribute[]
  /** Attributes with generated values: automatic numbers and UUIDs. */
  readonly generated: readonly StorageAttribute[]
  /** The last number of the sequence. */
  readonly lastNumber: number
  /** True when a save runs hooks, other than `init`. */
  readonly hasSaveHooks: boolean
  /** True when writes run neither hooks nor setters. */
  readonly runsNoCode: boolean
  /**
   * The columns of the last update. The next update usually has the same ones, so that history
   * keeps one list.
   */
  lastColumns: readonly number[]
  /** The checks that changes of these columns need. */
  lastChecks: number
}

export function createPlan(model: ClassModel): WritePlan {
  const { storage, hooks, attributes } = model
  const { init, beforeSave, validateSave, afterSave, validateRemove, afterRemove } = hooks
  const hasSaveHooks = [beforeSave, validateSave, afterSave].some((hook) => hook !== undefined)
  const hasHooks =
    hasSaveHooks || [init, validateRemove, afterRemove].some((hook) => hook !== undefined)
  const hasSetters = [...attributes.values()].some(
    (attribute) => attribute.kind === 'calculated' && attribute.set !== null,
  )
  return {
    checks: Uint8Array.from(storage, checkOf),
    defaults: storage.map((attribute) => attribute.defaultValue ?? null),
    ruled: storage.filter(hasRules),
    unique: storage.filter((attribute) => attribute.unique && !attribute.key),
    references: storage.filter((attribute) => attribute.relation !== null),
    generated: storage.filter(isGenerated),
    lastNumber: lastNumberOf(model),
    hasSaveHooks,
    runsNoCode: !hasHooks && !hasSetters,
    lastColumns: [],
    lastChecks: 0,
  }
}

/** The first `count` columns of a list, as a list that updates share and that must not change. */
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
  plan.lastChecks = checksOf(plan, plan.lastColumns)
  return plan.lastColumns
}

/** The checks that changes of some columns need, as bits. */
export function checksOf({ checks }: WritePlan, ordinals: readonly number[]): number {
  let all = 0
  for (let i = 0; i < ordinals.length; i++) all |= checks[ordinals[i]]
  return all
}

const checkOf = (attribute: StorageAttribute): number =>
  (attribute.key || attribute.readOnly ? IS_FIXED : 0) |
  (hasRules(attribute) ? HAS_RULES : 0) |
  (attribute.unique && !attribute.key ? IS_UNIQUE : 0) |
  (attribute.relation !== null ? IS_REFERENCE : 0) |
  (attribute.autoSequence && attribute.type !== 'uuid' ? IS_COUNTED : 0)

/** True for a column whose missing values the store generates. */
export const isGenerated = ({ type, key, autoSequence }: StorageAttribute): boolean =>
  autoSequence || (type === 'uuid' && key)

/** Whether a store can be used. A closed store cannot, nor one whose data may be inconsistent. */
export class StoreState {
  readonly #name: string
  #isClosed = false
  /** Why the store is unusable, or null. */
  #broken: string | null = null

  constructor(name: string) {
    this.#name = name
  }

  /** Throws `storeClosed` or `storeBroken`. Every method of the store calls it first. */
  guard(): void {
    if (this.#isClosed) throw storeError('storeClosed', { store: this.#name })
    if (this.#broken !== null) throw storeError('storeBroken', { problem: this.#broken })
  }

  close(): void {
    this.#isClosed = true
  }

  /** Marks the store as unusable after a failed rollback. Returns the error. */
  broke(error: unknown): unknown {
    this.#broken = error instanceof Error ? error.message : String(error)
    return error
  }
}
