import { overBudget } from '../errors.ts'
import { type ChangeList, ChangeRecorder } from '../storage/change-list.ts'
import type { Table } from '../storage/table.ts'
import { checkSizes } from '../storage/table-sizes.ts'
import type { StoredValue } from '../value/types.ts'
import { type HookRunner, hookContext } from './hooks.ts'
import { type PatchDraft, readGiven } from './patch.ts'
import type { WriteContext } from './port.ts'
import { type RecordRef, References, type Removal, removalOf } from './referential.ts'
import { isWithoutTrace, type StageSet, writeStage } from './stage-set.ts'
import { type Edit, EntityWriter } from './write-entity.ts'
import { entityInvalid } from './write-errors.ts'

/**
 * A transaction over the tables of one store. Every write is checked and staged. Columns change
 * when `commit` writes the stage, or `apply` before the first query inside. A transaction ends with
 * one `commit` or `rollback`.
 *
 * A refused write stages nothing, and the transaction may continue. If hooks of the refused write
 * had already written, the transaction can only be rolled back: `commit` throws the refusal again.
 */
export class Transaction {
  readonly stages: StageSet
  /** The changes that are written to the columns, but not committed. */
  readonly recorder = new ChangeRecorder()
  readonly port: WriteContext
  readonly references: References
  readonly writer: EntityWriter
  readonly #hooks: HookRunner
  /** Entities that `onDelete` rules have removed or changed so far. */
  #reached = 0
  #failure: { readonly error: unknown } | null = null

  /**
   * Takes the stages, which are empty, and the hook runner of the store, which may be running
   * hooks.
   */
  constructor(stages: StageSet, port: WriteContext, hooks: HookRunner) {
    this.port = port
    this.#hooks = hooks
    port.watch?.begin()
    stages.begin()
    this.stages = stages
    this.references = new References(stages)
    this.writer = new EntityWriter(stages, port, hooks, stages, this.references)
  }

  /**
   * Stages a new entity and returns its record number. Throws `attributeNotFound`,
   * `attributeReadOnly`, `valueInvalid`, `keyNull`, `keyEmpty`, `keyNotUnique`, `uniqueViolation`,
   * `sequenceExhausted`, `validationFailed`, and errors of hooks.
   */
  insert(table: Table, input: unknown): number {
    const given = readGiven(table.model, input)
    return this.write(table, () => this.writer.insert(table, given))
  }

  /**
   * Stages changes of an entity and returns its record number. Takes an input that was read, or a
   * function that edits a draft. Stages nothing where nothing changes. Throws `entityNotFound`,
   * `stampChanged` and the errors of `insert`.
   */
  update(table: Table, key: unknown, given: PatchDraft | Edit, stamp?: number): number {
    const { version } = this.stages
    try {
      return this.writer.update(table, key, given, stamp)
    } catch (error) {
      throw this.#refused(error, version)
    }
  }

  /**
   * Stages the removal of an entity, and its consequences by the `onDelete` rules. Throws
   * `entityNotFound`, `stampChanged`, `validationFailed`; the commit throws `removeRestricted`.
   */
  remove(table: Table, key: unknown, stamp?: number, maxCascade?: number): void {
    this.write(table, () => {
      const slot = this.writer.remove(table, key, stamp)
      if (slot < 0) return
      this.#removeCascading({ table, slot, birth: this.stages.of(table).birthOf(slot) }, maxCascade)
    })
  }

  /** Removes those of the entities that still exist; returns how many. Throws as `remove`. */
  removeAll(table: Table, keys: readonly (string | number)[]): number {
    let removed = 0
    for (const key of keys) {
      // An earlier removal may have removed it too.
      if (this.stages.of(table).locate(key) < 0) continue
      this.remove(table, key)
      removed++
    }
    return removed
  }

  /**
   * Writes the stage to columns and indexes, so that queries see it; staging may continue. It also
   * closes stages without writes, because their next number and next slot are those of the columns
   * before.
   */
  apply(): void {
    if (this.#failure !== null) throw this.#failure.error
    if (this.stages.opened.length > 0) this.#writeStage()
  }

  /**
   * Checks references and writes the stage. Returns the change list, or null if nothing changed.
   * Throws `relationTargetMissing`, `removeRestricted`, `entityTooLarge`, `commitTooLarge`, or the
   * failure given to `fail`. The caller must then roll back.
   */
  commit(nextStamp: () => number): ChangeList | null {
    if (this.#failure !== null) throw this.#failure.error
    this.references.settle()
    const recorder = this.recorder
    const wasApplied = recorder.changes.length > 0
    // Void records have no effect, but their sequences count where other changes were applied.
    if (wasApplied || !this.stages.isEmpty) this.#writeStage()
    else this.stages.clear()
    if (recorder.changes.length === 0 || (wasApplied && isWithoutTrace(recorder))) {
      recorder.rollback(this.port.nextBirth)
      return null
    }
    checkSizes(recorder.changes)
    return recorder.finish(nextStamp(), this.stages.now())
  }

  /** Undoes everything. If it throws, the state of the tables is unknown. */
  rollback(): void {
    this.stages.clear()
    this.recorder.rollback(this.port.nextBirth)
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }

  /** Allows only a rollback from now on, because a part of the transaction failed. */
  fail(error: unknown): void {
    this.#failure ??= { error }
  }

  /**
   * Stages a write, of one entity or of many, completely or not at all. If it is refused after it
   * staged something (by hooks, or earlier rows), the transaction can only be rolled back.
   */
  write<R>(table: Table, write: () => R): R {
    const { version } = this.stages
    const stage = this.stages.of(table)
    const sequence = stage.isOpen ? stage.sequence : table.sequence
    try {
      return write()
    } catch (error) {
      if (version === this.stages.version) stage.sequence = sequence
      throw this.#refused(error, version)
    }
  }

  /**
   * Stages a removal with its hooks and the `onDelete` rules of relations that lead to the removed
   * entities. `maxCascade` limits how many entities the removals of the transaction reach. Throws
   * `budgetExceeded` and `validationFailed`.
   */
  #removeCascading(first: RecordRef, maxCascade: number | undefined): void {
    const { stages } = this
    const { emptied, removed, restricted } = this.#agreedRemoval(first, maxCascade)
    this.#reached += Math.max(0, removed.length + emptied.length - 1)
    for (const { record, ordinals } of emptied) {
      const nulls = new Array<StoredValue>(ordinals.length).fill(null)
      stages.update(record.table, record.slot, ordinals, nulls)
    }
    // Farthest first, so that no staged record refers to a removed one.
    for (const record of [...removed].reverse()) {
      const { table, slot } = record
      const { afterRemove, afterSave } = table.model.hooks
      if (afterRemove !== undefined || afterSave !== undefined)
        this.writer.after.removed(record, this.#entityAt(record))
      stages.remove(table, slot)
    }
    this.references.restrict(restricted)
  }

  /**
   * The consequences of a removal, accepted by all `validateRemove` hooks and locks concerned.
   * Stages nothing.
   */
  #agreedRemoval(record: RecordRef, maxCascade: number | undefined): Removal {
    const { stages } = this
    const room = maxCascade === undefined ? Number.POSITIVE_INFINITY : maxCascade - this.#reached
    const validated = new Set<number>()
    for (;;) {
      const { version } = stages
      const removal = removalOf(stages, record, room)
      if (removal === null)
        throw overBudget(
          'entities reached by onDelete rules in one transaction',
          maxCascade ?? 0,
          'maxCascade',
        )
      for (const removed of removal.removed) {
        if (validated.has(removed.birth)) continue
        validated.add(removed.birth)
        this.#validateRemove(removed)
        if (version !== stages.version) break
      }
      if (version === stages.version) this.#checkLocks(removal)
      if (version === stages.version) return removal
      // A hook, or the clock by which locks expire, may have changed references, or removed the
      // entity itself.
      if (!stages.of(record.table).isLive(record.slot, record.birth))
        return { removed: [], emptied: [], restricted: [] }
    }
  }

  /** Checks the locks of all records that the removal removes or changes. */
  #checkLocks({ removed, emptied }: Removal): void {
    const { beforeWrite } = this.port
    if (beforeWrite === undefined) return
    for (const { table, slot, birth } of removed) beforeWrite(table, slot, birth)
    for (const { record } of emptied) beforeWrite(record.table, record.slot, record.birth)
  }

  #validateRemove(record: RecordRef): void {
    const { model } = record.table
    if (model.hooks.validateRemove === undefined) return
    const context = hookContext(this.port, null)
    const entity = this.#entityAt(record)
    const refusals = this.#hooks.refusals(model, 'validateRemove', entity, context)
    if (refusals.length === 0) return
    throw entityInvalid(model, String(this.stages.of(record.table).keyOf(record.slot)), refusals)
  }

  #entityAt({ table, slot }: RecordRef): object {
    const { values, stamp, timestamp } = this.stages.view(table, slot)
    return this.port.entityOf(table, values, stamp, timestamp)
  }

  #refused(error: unknown, version: number): unknown {
    if (version !== this.stages.version) this.fail(error)
    return error
  }

  #writeStage(): void {
    try {
      writeStage(this.stages, this.recorder, this.stages.now(), this.port.allocation ?? noPoint)
    } catch (error) {
      this.fail(error)
      throw error
    }
  }
}

const noPoint = (): void => {}
