import type { EntiaError } from '../errors.ts'
import type { StorageAttribute } from '../model/catalog.ts'
import type { AttributeIndex } from '../storage/attribute-index.ts'
import { type ChangeList, ChangeRecorder } from '../storage/change-list.ts'
import { checkSizes } from '../storage/check-sizes.ts'
import type { HashIndex } from '../storage/hash-index.ts'
import { nextStamp } from '../storage/stamp.ts'
import { storedKey } from '../storage/stored-key.ts'
import type { Table } from '../storage/table.ts'
import type { StoredValue } from '../value/types.ts'
import { fillNumbers, fillUuids, type Sequence } from './new-values.ts'
import { type Patch, type PatchDraft, refuseFixed } from './patch.ts'
import type { TransactionPort } from './port.ts'
import { targetMissing } from './referential.ts'
import { checkChanges, checkRules } from './rules.ts'
import type { Key } from './stage.ts'
import { entityInvalid, entityMissing, keyMissing, keyTaken, staleStamp, valueTaken } from './write-errors.ts'
import {
  createPlans,
  HAS_RULES,
  IS_COUNTED,
  IS_FIXED,
  IS_REFERENCE,
  IS_UNIQUE,
  passNumbers,
  sharedColumns,
  type WritePlan,
} from './write-plan.ts'
import { reserveRecords } from './write-stage.ts'

/**
 * Single writes that are transactions of their own, without a stage: for dataclasses that run no code of the application
 * (`isDirect`) this does what a transaction of one write does, at a third of the cost. Each write takes what was read already and asks
 * the host for ids and the time; from then on no code but this runs. It checks everything, then writes; what fails in between is undone
 * by `takeBack`.
 */
export class DirectWriter {
  /** The change list of the last write; null when it changed nothing. */
  list: ChangeList | null = null
  readonly #tables: readonly Table[]
  readonly #port: TransactionPort
  /** By `ClassModel.ordinal`. */
  readonly #plans: readonly WritePlan[]
  readonly #sequence: Sequence = { sequence: 1 }
  /** Empty between two writes. */
  readonly #recorder = new ChangeRecorder()
  readonly #nextStamp: () => number

  /** `nextStamp`: the global stamp of the next commit. */
  constructor(
    tables: readonly Table[],
    port: TransactionPort,
    nextStamp: () => number,
    plans: readonly WritePlan[] = createPlans(tables),
  ) {
    this.#tables = tables
    this.#port = port
    this.#nextStamp = nextStamp
    this.#plans = plans
  }

  isDirect(table: Table): boolean {
    // What is measured begins as a transaction.
    return this.#plans[table.model.ordinal].runsNoCode && this.#port.watch?.hearsCommits !== true
  }

  insert(table: Table, given: PatchDraft): number {
    const { model } = table
    const { defaults, generated, lastNumber, ruled, unique, references } = this.#plans[model.ordinal]
    const values = defaults.slice()
    given.means().assignTo(values)
    fillUuids(generated, values, this.#port)
    const timestamp = this.#port.now()
    this.#sequence.sequence = table.sequence
    fillNumbers(generated, lastNumber, this.#sequence, values)
    const key = values[model.key.ordinal] as Key | null
    if (key === null || key === '') throw keyMissing(model, key)
    let failures: EntiaError[] | null = null
    for (const attribute of ruled) failures = checkRules(attribute, values[attribute.ordinal], failures)
    if (failures !== null) throw entityInvalid(model, null, failures)
    if (table.findKey(key) >= 0) throw keyTaken(model, key)
    for (const attribute of unique) this.#checkUnique(table, attribute, values[attribute.ordinal], -1)
    for (const attribute of references) this.#checkTarget(table, attribute, values[attribute.ordinal], key)

    const birth = this.#port.nextBirth()
    const slot = table.lowestFree
    this.#port.allocation?.()
    reserveRecords(table, 1, slot + 1)
    for (let ordinal = 0; ordinal < values.length; ordinal++) {
      this.#port.allocation?.()
      table.admit(ordinal, values[ordinal])
    }
    const recorder = this.#begin()
    recorder.insert(table, slot, values, 1, timestamp, birth)
    recorder.setSequence(table, this.#sequence.sequence)
    this.#end(recorder, timestamp)
    return slot
  }

  update(table: Table, key: unknown, given: PatchDraft, stamp: number | undefined): number {
    const timestamp = this.#port.now()
    const slot = this.#locate(table, key, stamp)
    if (given.means().keepChanges(table, slot) === 0) {
      this.list = null
      return slot
    }
    const plan = this.#plans[table.model.ordinal]
    const ordinals = sharedColumns(plan, given.ordinals, given.count)
    const values = given.takeValues()
    const { asks } = plan
    let asked = 0
    for (let i = 0; i < ordinals.length; i++) asked |= asks[ordinals[i]]
    this.#sequence.sequence = table.sequence
    if (asked !== 0) this.#check(table, slot, key, { ordinals, values }, asked)

    for (let i = 0; i < ordinals.length; i++) {
      this.#port.allocation?.()
      table.admit(ordinals[i], values[i])
    }
    const recorder = this.#begin()
    const stored = table.timestamps[slot]
    recorder.update(
      table,
      slot,
      ordinals,
      values,
      nextStamp(table.stamps[slot]),
      timestamp > stored ? timestamp : stored,
    )
    recorder.setSequence(table, this.#sequence.sequence)
    this.#end(recorder, timestamp)
    return slot
  }

  /** Answers false, having done nothing, where the entity is referred to: what follows is a transaction's business. */
  remove(table: Table, key: unknown, stamp: number | undefined): boolean {
    // The transaction asks for the time itself: a write asks for it once.
    const referred = table.model.incoming.length === 0 ? -1 : table.findKey(storedKey(table.model, key))
    if (referred >= 0 && this.#isReferred(table, referred)) return false
    const timestamp = this.#port.now()
    const slot = this.#locate(table, key, stamp)
    // The clock may have written.
    if (this.#isReferred(table, slot)) return false
    const recorder = this.#begin()
    recorder.remove(table, slot)
    this.#end(recorder, timestamp)
    return true
  }

  #isReferred(table: Table, slot: number): boolean {
    const { key, incoming } = table.model
    for (const { owner, foreignKey } of incoming) {
      const index = this.#tables[owner.ordinal].indexes[foreignKey.ordinal]
      const list = index?.listOfValue(table.read(slot, key.ordinal) as Key) ?? 0
      if (list > 0 && index?.postings != null && index.postings.length(list) > 0) return true
    }
    return false
  }

  /** After a write that threw: undoes what it wrote. What this throws leaves the table in an unknown state. */
  takeBack(): void {
    this.list = null
    this.#recorder.rollback(this.#port.nextBirth)
  }

  #begin(): ChangeRecorder {
    this.#port.allocation?.()
    return this.#recorder
  }

  #end(recorder: ChangeRecorder, timestamp: number): void {
    this.#port.allocation?.()
    checkSizes(recorder.changes)
    this.list = recorder.finish(this.#nextStamp(), timestamp)
  }

  #locate(table: Table, key: unknown, stamp: number | undefined): number {
    let slot = table.findKey(storedKey(table.model, key))
    if (slot < 0) throw entityMissing(table.model, key)
    const { beforeWrite } = this.#port
    if (beforeWrite !== undefined) {
      beforeWrite(table, slot, table.births[slot])
      // Locks end by the host's clock, which is code that may write.
      slot = table.findKey(storedKey(table.model, key))
      if (slot < 0) throw entityMissing(table.model, key)
    }
    const stored = table.stamps[slot]
    if (stamp !== undefined && stamp !== stored) throw staleStamp(table.model, key, stamp, stored, slot)
    return slot
  }

  /** What changed columns ask for, `asked` in all. */
  #check(table: Table, slot: number, key: unknown, patch: Patch, asked: number): void {
    const { model } = table
    const { storage } = model
    const { ordinals, values } = patch
    if ((asked & IS_FIXED) !== 0) refuseFixed(model, patch, false)
    if ((asked & HAS_RULES) !== 0) checkChanges(model, key, patch)
    if ((asked & IS_UNIQUE) !== 0)
      for (let i = 0; i < ordinals.length; i++) this.#checkUnique(table, storage[ordinals[i]], values[i], slot)
    if ((asked & IS_REFERENCE) !== 0)
      for (let i = 0; i < ordinals.length; i++) this.#checkTarget(table, storage[ordinals[i]], values[i], null)
    if ((asked & IS_COUNTED) !== 0) passNumbers(this.#plans[model.ordinal], storage, this.#sequence, patch)
  }

  #checkUnique(table: Table, attribute: StorageAttribute, value: StoredValue, slot: number): void {
    if (!attribute.unique || attribute.key || value === null) return
    const index = table.indexes[attribute.ordinal] as AttributeIndex
    const holder = (index.unique as HashIndex).find(index.uniqueKey(value))
    if (holder >= 0 && holder !== slot) throw valueTaken(attribute)
  }

  /** `ownKey` is that of an entity about to be inserted, which may refer to itself. */
  #checkTarget(table: Table, { relation }: StorageAttribute, key: StoredValue, ownKey: Key | null): void {
    if (relation === null || key === null) return
    const target = this.#tables[relation.target.ordinal]
    if (target.findKey(key) >= 0 || (target === table && key === ownKey)) return
    throw targetMissing(relation, key)
  }
}
