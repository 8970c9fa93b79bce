import type { EntiaError } from '../errors.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import { type Key, nextStamp } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import { editPatch } from './draft.ts'
import { AfterHooks, type HookRunner, hookContext } from './hooks.ts'
import { assignPatch, type Patch, PatchDraft } from './patch.ts'
import { newUuid, numberFor, passNumber, type WriteContext, type WriteTarget } from './port.ts'
import { hasTarget, type References, targetMissing } from './referential.ts'
import { checkChanges, checkRules, refuseFixed } from './rules.ts'
import type { TableStage } from './stage.ts'
import type { StageSet } from './stage-set.ts'
import {
  entityInvalid,
  entityMissing,
  keyMissing,
  keyTaken,
  staleStamp,
  valueTaken,
} from './write-errors.ts'
import {
  checksOf,
  HAS_RULES,
  IS_COUNTED,
  IS_FIXED,
  IS_REFERENCE,
  IS_UNIQUE,
  sharedColumns,
  type WritePlan,
} from './write-plan.ts'

/** A function that changes a draft of an entity. */
export type Edit = (draft: never) => unknown

/**
 * Checks writes of single entities and passes them to a target. It checks coercion, hooks, rules,
 * uniqueness and references, in this order. It reads the staged view, which is the tables
 * themselves for direct writes.
 */
export class EntityWriter {
  readonly after = new AfterHooks()
  readonly #stages: StageSet
  readonly #port: WriteContext
  readonly #hooks: HookRunner
  readonly #target: WriteTarget
  /**
   * Keeps relations without target until the transaction ends. Null for direct writes, which refuse
   * them at once.
   */
  readonly #references: References | null

  constructor(
    stages: StageSet,
    port: WriteContext,
    hooks: HookRunner,
    target: WriteTarget,
    references: References | null,
  ) {
    this.#stages = stages
    this.#port = port
    this.#hooks = hooks
    this.#target = target
    this.#references = references
  }

  insert(table: Table, given: PatchDraft): number {
    const { model } = table
    const target = this.#target
    const timestamp = target.now()
    const stage = this.#stages.of(table)
    const { plan } = stage
    const values = plan.defaults.slice()
    assignPatch(values, this.#hooks.changes(model, 'init', values))
    given.resolve().assignTo(values)
    this.#generate(table, plan, values)
    if (model.hooks.beforeSave !== undefined) {
      const context = hookContext(this.#port, null)
      assignPatch(values, this.#hooks.changes(model, 'beforeSave', values, context))
      this.#generate(table, plan, values)
    }
    const key = values[model.key.ordinal] as Key | null
    if (key === null || key === '') throw keyMissing(model, key)
    this.#validate(stage, values, 1, timestamp, null, null)

    if (stage.find(key) >= 0) throw keyTaken(model, key)
    for (const attribute of plan.unique)
      this.#checkUnique(stage, attribute, values[attribute.ordinal], -1)
    const birth = this.#port.nextBirth()
    this.after.noteBirth(birth)
    const slot = target.nextSlot(table)
    for (const attribute of plan.references) {
      this.#checkTarget(table, slot, attribute, values[attribute.ordinal], key, birth)
    }
    target.insert(table, slot, key, values, birth, timestamp)
    if (model.hooks.afterSave !== undefined) this.after.saved({ table, slot, birth }, null)
    return slot
  }

  update(table: Table, key: unknown, given: PatchDraft | Edit, stamp: number | undefined): number {
    const timestamp = this.#target.now()
    const stages = this.#stages
    const stage = stages.of(table)
    const { model } = table
    let slot = this.#locate(stage, key, stamp)
    const { version } = stages
    const draft =
      typeof given === 'function'
        ? new PatchDraft().copy(editPatch(model, stage.readAll(slot), given, this.#port.produce))
        : given.resolve()
    // An edit or a setter may have written to this entity.
    if (version !== stages.version) slot = this.#locate(stage, key, undefined)
    const source = stage.isOpen && stage.at(slot) !== undefined ? stage : table
    if (draft.keepChanges(source, slot) === 0) return slot
    const { plan } = stage
    const ordinals = sharedColumns(plan, draft.ordinals, draft.count)
    const values = draft.values.slice(0, draft.count)
    const checks = plan.lastChecks
    if ((checks & IS_FIXED) !== 0) refuseFixed(model, ordinals, false)
    if (plan.hasSaveHooks)
      return this.#updateWithHooks(stage, key, slot, { ordinals, values }, timestamp)
    if ((checks & HAS_RULES) !== 0) checkChanges(model, key, ordinals, values)
    this.#change(stage, slot, ordinals, values, checks, timestamp)
    return slot
  }

  /**
   * True where no locks are checked, and no code of the application runs between the writes of a
   * batch.
   */
  canCheckFirst(table: Table): boolean {
    return this.#port.beforeWrite === undefined && this.#stages.of(table).plan.runsNoCode
  }

  /**
   * Removes an entity whose removal concerns no hook and no other entity, and returns -1. Otherwise
   * it only returns the record, to be removed with its consequences.
   */
  remove(table: Table, key: unknown, stamp: number | undefined): number {
    const timestamp = this.#target.now()
    const stage = this.#stages.of(table)
    const slot = this.#locate(stage, key, stamp)
    if (!stage.plan.runsNoCode || this.#stages.isReferred(table, slot)) return slot
    this.#target.remove(table, slot, timestamp)
    return -1
  }

  #updateWithHooks(
    stage: TableStage,
    key: unknown,
    located: number,
    patch: Patch,
    timestamp: number,
  ): number {
    const stages = this.#stages
    const { table } = stage
    const { model } = table
    const { version } = stages
    const old = stages.view(table, located)
    const before = this.#port.entityOf(table, old.values.slice(), old.stamp, old.timestamp)
    const values = old.values.slice()
    assignPatch(values, patch)
    const context = hookContext(this.#port, before)
    let made = this.#hooks.changes(model, 'beforeSave', values, context)
    if (made !== null) {
      const draft = new PatchDraft().copy(made)
      draft.keepChanges({ read: (_, ordinal) => values[ordinal] }, 0)
      made = draft.take()
      refuseFixed(model, made.ordinals, true)
      assignPatch(values, made)
    }
    this.#validate(
      stage,
      values,
      nextStamp(old.stamp),
      Math.max(timestamp, old.timestamp),
      before,
      String(key),
    )
    // A hook may have written to this entity.
    const slot = version === stages.version ? located : this.#locate(stage, key, undefined)
    const ordinals: number[] = []
    for (let ordinal = 0; ordinal < values.length; ordinal++)
      if (patch.ordinals.includes(ordinal) || made?.ordinals.includes(ordinal))
        ordinals.push(ordinal)
    const whole = new PatchDraft().copy({
      ordinals,
      values: ordinals.map((ordinal) => values[ordinal]),
    })
    if (whole.keepChanges(stage, slot) === 0) return slot
    const changes = whole.take()
    const checks = checksOf(stage.plan, changes.ordinals)
    this.#change(stage, slot, changes.ordinals, changes.values, checks, timestamp)
    this.after.saved({ table, slot, birth: stage.birthOf(slot) }, before)
    return slot
  }

  /**
   * Passes changes that satisfy the rules to the target, which takes over the values. `checks`:
   * those that the columns need.
   */
  #change(
    stage: TableStage,
    slot: number,
    ordinals: readonly number[],
    values: StoredValue[],
    checks: number,
    timestamp: number,
  ): void {
    const { table, plan } = stage
    const { storage } = table.model
    if ((checks & IS_UNIQUE) !== 0)
      for (let i = 0; i < ordinals.length; i++)
        this.#checkUnique(stage, storage[ordinals[i]], values[i], slot)
    if ((checks & IS_COUNTED) !== 0) {
      table.needSequence()
      const sequence = this.#target.sequenceFor(table)
      for (let i = 0; i < ordinals.length; i++)
        if ((plan.checks[ordinals[i]] & IS_COUNTED) !== 0 && values[i] !== null)
          passNumber(table, sequence, storage[ordinals[i]], plan.lastNumber, values[i] as number)
    }
    if ((checks & IS_REFERENCE) !== 0) {
      for (let i = 0; i < ordinals.length; i++)
        this.#checkTarget(table, slot, storage[ordinals[i]], values[i])
    }
    this.#target.update(table, slot, ordinals, values, timestamp)
  }

  #locate(stage: TableStage, key: unknown, stamp: number | undefined): number {
    const { table } = stage
    let slot = stage.locate(key)
    if (slot < 0) throw entityMissing(table.model, key)
    const { beforeWrite } = this.#port
    if (beforeWrite !== undefined) {
      beforeWrite(table, slot, stage.birthOf(slot))
      // Locks expire by the host's clock, which is code that may write.
      slot = stage.locate(key)
      if (slot < 0) throw entityMissing(table.model, key)
    }
    if (stamp === undefined) return slot
    const stored = stage.stampOf(slot)
    if (stamp === stored) return slot
    throw staleStamp(table.model, key, stamp, stored, table.recordNumber(slot))
  }

  /** Generates missing UUIDs and numbers. */
  #generate(table: Table, { generated, lastNumber }: WritePlan, values: StoredValue[]): void {
    if (generated.length === 0) return
    for (const { type, ordinal } of generated)
      if (type === 'uuid') values[ordinal] ??= newUuid(this.#port)
    table.needSequence()
    // Read the sequence only now: generating ids runs code of the host, which may write.
    const sequence = this.#target.sequenceFor(table)
    for (const attribute of generated) {
      const { type, ordinal } = attribute
      const given = values[ordinal] as number | null
      if (type !== 'uuid')
        values[ordinal] = numberFor(table, sequence, attribute, lastNumber, given)
    }
  }

  #checkUnique(
    stage: TableStage,
    attribute: StorageAttribute,
    value: StoredValue,
    slot: number,
  ): void {
    if (!attribute.unique || attribute.key || value === null) return
    if (stage.holderOf(attribute.ordinal, value, slot) >= 0) throw valueTaken(attribute)
  }

  /** `ownKey` and `birth` are those of a new entity, which may refer to itself. */
  #checkTarget(
    table: Table,
    slot: number,
    { relation }: StorageAttribute,
    key: StoredValue,
    ownKey: Key | null = null,
    birth: number | null = null,
  ): void {
    if (relation === null || key === null || hasTarget(this.#stages, relation, key)) return
    if (key === ownKey && relation.target === table.model) return
    if (this.#references === null) throw targetMissing(relation, key)
    this.#references.note(
      { table, slot, birth: birth ?? this.#stages.of(table).birthOf(slot) },
      relation,
    )
  }

  /**
   * Throws `validationFailed` with all rules that the values break, and the refusals of
   * `validateSave`.
   */
  #validate(
    { table, plan }: TableStage,
    values: readonly StoredValue[],
    stamp: number,
    timestamp: number,
    before: object | null,
    key: string | null,
  ): void {
    const { model } = table
    let failures: EntiaError[] | null = null
    for (const attribute of plan.ruled) {
      failures = checkRules(attribute, values[attribute.ordinal], failures)
    }
    if (model.hooks.validateSave !== undefined) {
      const entity = this.#port.entityOf(table, values.slice(), stamp, timestamp)
      try {
        const refusals = this.#hooks.refusals(
          model,
          'validateSave',
          entity,
          hookContext(this.#port, before),
        )
        if (refusals.length > 0) failures = [...(failures ?? []), ...refusals]
      } catch (error) {
        // A hook need not handle values that break the rules: those failures are thrown below.
        if (failures === null) throw error
      }
    }
    if (failures !== null) throw entityInvalid(table.model, key, failures)
  }
}
