import { EntiaError } from '../errors.ts'
import type { StorageAttribute, ToOneAttribute } from '../model/catalog.ts'
import { nextStamp } from '../storage/stamp.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import { AfterHooks } from './after-hooks.ts'
import { editPatch } from './draft.ts'
import type { HookContext, HookRunner } from './hooks.ts'
import { fillNumbers, fillUuids } from './new-values.ts'
import { assignPatch, type Patch, PatchDraft, refuseFixed } from './patch.ts'
import type { TransactionPort } from './port.ts'
import { type RecordRef, References, type Removal, removalOf } from './referential.ts'
import { checkChanges, checkRules } from './rules.ts'
import type { Key } from './stage.ts'
import type { StageSet } from './stage-set.ts'
import { entityInvalid, entityMissing, keyMissing, keyTaken, staleStamp, valueTaken } from './write-errors.ts'
import {
  HAS_RULES,
  IS_COUNTED,
  IS_FIXED,
  IS_REFERENCE,
  IS_UNIQUE,
  passNumbers,
  sharedColumns,
  type WritePlan,
} from './write-plan.ts'

/** How an entity is removed. */
export interface RemoveOptions {
  /** The stamp the caller read; the removal is refused when the entity has another one by now. */
  readonly stamp?: number | undefined
  /** How many entities the removals of the transaction may take along or change by `onDelete`. */
  readonly maxCascade?: number | undefined
}

/** A function that changes a draft of an entity. */
export type Edit = (draft: never) => unknown

/** Checks writes of single entities and stages them: coercion, hooks, rules, uniqueness, in this order. */
export class EntityWriter {
  readonly references: References
  readonly after = new AfterHooks()
  readonly #stages: StageSet
  readonly #port: TransactionPort
  readonly #hooks: HookRunner
  /** Entities that removals took along or emptied so far. */
  #cascaded = 0
  /** Births from here on are of this transaction. */
  #firstBirth = Number.POSITIVE_INFINITY
  #timestamp: number | null = null

  constructor(stages: StageSet, port: TransactionPort, hooks: HookRunner) {
    this.#stages = stages
    this.#port = port
    this.#hooks = hooks
    this.references = new References(stages)
  }

  /**
   * Epoch milliseconds: one moment for all that is written. Whatever writes asks for it first: the clock is code of the host, which
   * may write in its turn.
   */
  get timestamp(): number {
    return this.askTime()
  }
  askTime(): number {
    this.#timestamp ??= this.#port.now()
    return this.#timestamp
  }

  /** Records from a birth on are of this transaction. */
  noteBirth(birth: number): void {
    this.#firstBirth = Math.min(this.#firstBirth, birth)
  }

  insert(table: Table, given: PatchDraft): number {
    const { model } = table
    const { timestamp } = this
    const { plan } = this.#stages.of(table)
    const values = plan.defaults.slice()
    assignPatch(values, this.#hooks.init(model, values))
    given.means().assignTo(values)
    this.#generate(table, plan, values)
    if (model.hooks.beforeSave !== undefined) {
      assignPatch(values, this.#hooks.beforeSave(model, values, this.#context(null)))
      this.#generate(table, plan, values)
    }
    const key = values[model.key.ordinal] as Key | null
    if (key === null || key === '') throw keyMissing(model, key)
    this.#validate(table, values, 1, timestamp, null, null)

    if (this.#stages.find(table, key) >= 0) throw keyTaken(model, key)
    for (const attribute of plan.unique) this.#checkUnique(table, attribute, values[attribute.ordinal], -1)
    const birth = this.#port.nextBirth()
    this.noteBirth(birth)
    const slot = this.#stages.insert(table, key, values, birth)
    for (const { relation, ordinal } of plan.references) {
      this.references.check(table, slot, relation as ToOneAttribute, values[ordinal])
    }
    if (model.hooks.afterSave !== undefined) this.after.saved({ table, slot, birth }, null)
    return slot
  }

  update(table: Table, key: unknown, given: PatchDraft | Edit, stamp: number | undefined): number {
    this.askTime()
    const stages = this.#stages
    const { model } = table
    let slot = this.#locate(table, key, stamp)
    const { version } = stages
    const draft =
      typeof given === 'function'
        ? new PatchDraft().copy(editPatch(model, stages.readAll(table, slot), given, this.#port.produce))
        : given.means()
    // An edit or a setter may have called the store, and written to this very entity.
    if (version !== stages.version) slot = this.#locate(table, key, undefined)
    const stage = stages.of(table)
    const staged = stage.at(slot)
    const count = draft.keepChanges(staged === undefined ? table : stage, slot)
    const ordinals = sharedColumns(stage.plan, draft.ordinals, count)
    if (count === 0) return slot
    const values = draft.takeValues()
    const { asks, hasSaveHooks } = stage.plan
    let asked = 0
    for (let i = 0; i < ordinals.length; i++) asked |= asks[ordinals[i]]
    if (asked !== 0 || hasSaveHooks) {
      const patch: Patch = { ordinals, values }
      if ((asked & IS_FIXED) !== 0) refuseFixed(model, patch, false)
      if (hasSaveHooks) return this.#updateWithHooks(table, key, slot, patch)
      if ((asked & HAS_RULES) !== 0) checkChanges(model, key, patch)
    }
    if ((asked & (IS_UNIQUE | IS_REFERENCE | IS_COUNTED)) !== 0) this.#stageUpdate(table, slot, ordinals, values)
    else {
      stage.update(slot, staged, ordinals, values)
      stages.version++
    }
    return slot
  }

  /** True when nobody is asked before a write, and no code of the application runs between the writes of a batch. */
  canAskFirst(table: Table): boolean {
    return this.#port.beforeWrite === undefined && this.#stages.of(table).plan.runsNoCode
  }

  remove(table: Table, key: unknown, { stamp, maxCascade }: RemoveOptions = {}): void {
    this.askTime()
    const stages = this.#stages
    const slot = this.#locate(table, key, stamp)
    const room = maxCascade === undefined ? Number.POSITIVE_INFINITY : maxCascade - this.#cascaded
    const removal = this.#agreedRemoval({ table, slot, birth: stages.birthOf(table, slot) }, room, maxCascade)
    this.#cascaded += Math.max(0, removal.removed.length + removal.emptied.length - 1)
    const { emptied, removed, restricted } = removal
    for (const { record, ordinals } of emptied) {
      stages.update(record.table, record.slot, ordinals, new Array<StoredValue>(ordinals.length).fill(null))
    }
    // Farthest first: nobody refers to what is gone.
    for (let i = removed.length - 1; i >= 0; i--) {
      const record = removed[i]
      const { hooks } = record.table.model
      if (hooks.afterRemove !== undefined || hooks.afterSave !== undefined) {
        this.after.removed(record, this.#entityAt(record), record.birth >= this.#firstBirth)
      }
      stages.remove(record.table, record.slot)
    }
    this.references.restrict(restricted)
  }

  #updateWithHooks(table: Table, key: unknown, located: number, patch: Patch): number {
    const stages = this.#stages
    const { model } = table
    const { version } = stages
    const old = stages.view(table, located, this.timestamp)
    const before = this.#port.entityOf(table, old.values.slice(), old.stamp, old.timestamp)
    const values = old.values.slice()
    assignPatch(values, patch)
    let made = this.#hooks.beforeSave(model, values, this.#context(before))
    if (made !== null) {
      const draft = new PatchDraft().copy(made)
      draft.keepChanges({ read: (_, ordinal) => values[ordinal] }, 0)
      made = draft.take()
      refuseFixed(model, made, true)
      assignPatch(values, made)
    }
    const timestamp = Math.max(this.timestamp, old.timestamp)
    this.#validate(table, values, nextStamp(old.stamp), timestamp, before, String(key))
    // A hook may have called the store, and written to this very entity.
    const slot = version === stages.version ? located : this.#locate(table, key, undefined)
    const ordinals: number[] = []
    for (let ordinal = 0; ordinal < values.length; ordinal++)
      if (patch.ordinals.includes(ordinal) || made?.ordinals.includes(ordinal)) ordinals.push(ordinal)
    const whole = new PatchDraft().copy({ ordinals, values: ordinals.map((ordinal) => values[ordinal]) })
    if (whole.keepChanges(stages.of(table), slot) === 0) return slot
    const changes = whole.take()
    this.#stageUpdate(table, slot, changes.ordinals, changes.values)
    this.after.saved({ table, slot, birth: stages.birthOf(table, slot) }, before)
    return slot
  }

  /** Stages changes that keep the rules; the values become the stage's own. */
  #stageUpdate(table: Table, slot: number, ordinals: readonly number[], values: StoredValue[]): void {
    const { storage } = table.model
    const count = ordinals.length
    for (let i = 0; i < count; i++) this.#checkUnique(table, storage[ordinals[i]], values[i], slot)
    const stage = this.#stages.of(table)
    passNumbers(stage.plan, storage, stage, { ordinals, values })
    this.#stages.update(table, slot, ordinals, values)
    for (let i = 0; i < count; i++) {
      const { relation } = storage[ordinals[i]]
      if (relation !== null) this.references.check(table, slot, relation, values[i])
    }
  }

  /** What a removal leads to, agreed to by every `validateRemove` concerned; nothing of it is staged yet. */
  #agreedRemoval(record: RecordRef, room: number, maxCascade: number | undefined): Removal {
    const asked = new Set<number>()
    for (;;) {
      const { version } = this.#stages
      const removal = removalOf(this.#stages, record, room)
      if (removal === null)
        throw new EntiaError('budgetExceeded', {
          what: 'entities reached by onDelete rules in one transaction',
          limit: maxCascade ?? 0,
          option: 'maxCascade',
        })
      for (const removed of removal.removed) {
        if (asked.has(removed.birth)) continue
        asked.add(removed.birth)
        this.#askRemove(removed)
        if (version !== this.#stages.version) break
      }
      if (version === this.#stages.version) this.#askEach(removal)
      if (version === this.#stages.version) return removal
      // A hook that wrote, or the clock that locks end by, may have changed who refers to whom, or removed the entity itself.
      if (!this.#stages.isLive(record.table, record.slot, record.birth))
        return { removed: [], emptied: [], restricted: [] }
    }
  }

  /** Locks of what goes along, or loses its relation, count as those of the entity itself. */
  #askEach({ removed, emptied }: Removal): void {
    const { beforeWrite } = this.#port
    if (beforeWrite === undefined) return
    for (const { table, slot, birth } of removed) beforeWrite(table, slot, birth)
    for (const { record } of emptied) beforeWrite(record.table, record.slot, record.birth)
  }

  #askRemove(record: RecordRef): void {
    const { model } = record.table
    if (model.hooks.validateRemove === undefined) return
    const refusal = this.#hooks.refusal(model, 'validateRemove', this.#entityAt(record), this.#context(null))
    if (refusal === null) return
    throw entityInvalid(model, String(this.#stages.keyOf(record.table, record.slot)), [refusal])
  }

  #locate(table: Table, key: unknown, stamp: number | undefined): number {
    let slot = this.#stages.locate(table, key)
    if (slot < 0) throw entityMissing(table.model, key)
    const { beforeWrite } = this.#port
    if (beforeWrite !== undefined) {
      beforeWrite(table, slot, this.#stages.birthOf(table, slot))
      // Locks end by the host's clock, which is code that may write.
      slot = this.#stages.locate(table, key)
      if (slot < 0) throw entityMissing(table.model, key)
    }
    if (stamp === undefined) return slot
    const stored = this.#stages.stampOf(table, slot)
    if (stamp === stored) return slot
    throw staleStamp(table.model, key, stamp, stored, slot)
  }

  /** Gives what is generated where nothing is given. */
  #generate(table: Table, { generated, lastNumber }: WritePlan, values: StoredValue[]): void {
    fillUuids(generated, values, this.#port)
    fillNumbers(generated, lastNumber, this.#stages.of(table), values)
  }

  #checkUnique(table: Table, attribute: StorageAttribute, value: StoredValue, slot: number): void {
    if (!attribute.unique || attribute.key || value === null) return
    if (this.#stages.of(table).holderOf(attribute.ordinal, value, slot) < 0) return
    throw valueTaken(attribute)
  }

  /** Throws `validationFailed` with every rule that the values break and what `validateSave` has against them. */
  #validate(
    table: Table,
    values: readonly StoredValue[],
    stamp: number,
    timestamp: number,
    before: object | null,
    key: string | null,
  ): void {
    const { model } = table
    let failures: EntiaError[] | null = null
    for (const attribute of this.#stages.of(table).plan.ruled) {
      failures = checkRules(attribute, values[attribute.ordinal], failures)
    }
    if (model.hooks.validateSave !== undefined) {
      const entity = this.#port.entityOf(table, values.slice(), stamp, timestamp)
      try {
        const refusal = this.#hooks.refusal(model, 'validateSave', entity, this.#context(before))
        if (refusal !== null) failures = [...(failures ?? []), refusal]
      } catch (error) {
        // A hook need not cope with values that break the rules; what they break is reported below.
        if (failures === null) throw error
      }
    }
    if (failures !== null) throw entityInvalid(table.model, key, failures)
  }

  #context(before: object | null): HookContext {
    return { before, session: this.#port.session, store: this.#port.store }
  }

  #entityAt({ table, slot }: RecordRef): object {
    const { values, stamp, timestamp } = this.#stages.view(table, slot, this.timestamp)
    return this.#port.entityOf(table, values, stamp, timestamp)
  }
}
