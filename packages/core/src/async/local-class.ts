import { type EntiaError, isEntiaError } from '../errors.ts'
import type { EntityArgument } from '../model/async-call-types.ts'
import type {
  AsyncClass,
  BatchOutcome,
  FilterValue,
  HoldOutcome,
  LockHolder,
  RemoveOutcome,
  SaveOutcome,
} from '../model/async-store-types.ts'
import type { Condition } from '../model/condition-types.ts'
import type { Untyped } from '../model/definition.ts'
import { stampOf } from '../model/entity.ts'
import type { AnyEntity } from '../model/entity-types.ts'
import type { SessionInfo, LockOutcome as StoreLockOutcome } from '../model/session-types.ts'
import {
  type Access,
  callFunction,
  checkChanges,
  checkInput,
  LocalEntityArgument,
  storedEntity,
} from './call.ts'
import { copyOf, inputOf, type Marks, marksIn, marksOfChange } from './copy.ts'
import { type Described, DescribedSelection, wholeOf } from './described-selection.ts'
import { entitySetOf, LocalReads } from './local-reads.ts'

/** One write that was tried. */
type Attempt =
  | { readonly kind: 'done'; readonly entity: AnyEntity }
  | { readonly kind: 'failed'; readonly error: EntiaError; readonly key: Marks['key'] | null }

/** Thrown inside a transaction to roll it back. It never leaves this file. */
const UNDO = Symbol('undo')

/** A dataclass of a store in the process. Callers see it by the types of their model. */
export class LocalClass implements AsyncClass<Untyped, string> {
  readonly name: string
  readonly #access: Access
  #whole: Described | null = null

  constructor(access: Access, name: string) {
    this.#access = access
    this.name = name
  }

  all(): DescribedSelection {
    this.#whole ??= wholeOf(this.#model)
    return new DescribedSelection(new LocalReads(this.#access), this.#whole)
  }
  query(
    filter: TemplateStringsArray | Condition,
    ...values: readonly FilterValue[]
  ): DescribedSelection {
    return this.all().query(filter, ...values)
  }
  search(words: string): DescribedSelection {
    return this.all().search(words)
  }
  async get(key: string | number): Promise<Untyped> {
    const entity = this.#table.get(key)
    return entity === undefined ? undefined : this.#copy(entity)
  }

  async insert(values: object): Promise<Untyped> {
    checkInput(this.#model, values)
    return this.#copy(this.#access.write(() => this.#save(null, values)))
  }
  async update(entity: unknown, patch: object): Promise<SaveOutcome<Untyped>> {
    checkInput(this.#model, patch)
    const marks = marksIn(entity, this.#model)
    return this.#outcome(this.#access.write(() => this.#attempt(marks, patch)))
  }
  async saveAll(changes: readonly object[]): Promise<readonly BatchOutcome<Untyped>[]> {
    checkChanges(this.#model, changes)
    let attempts: readonly Attempt[] = []
    let isStored = true
    try {
      this.#access.write(() =>
        this.#access.store.transact(() => {
          attempts = changes.map((change) =>
            this.#attempt(marksOfChange(change, this.#model), change, true),
          )
          if (attempts.some(({ kind }) => kind === 'failed')) throw UNDO
        }),
      )
    } catch (error) {
      isStored = false
      if (error !== UNDO) attempts = this.#attributed(error, attempts, changes)
    }
    return attempts.map((attempt) =>
      isStored || attempt.kind === 'failed' ? this.#outcome(attempt) : { kind: 'undone' },
    )
  }
  async remove(entity: unknown): Promise<RemoveOutcome> {
    const { key, stamp } = marksIn(entity, this.#model)
    try {
      this.#access.write(() => this.#table.remove(key, stamp === undefined ? undefined : { stamp }))
      return { kind: 'removed' }
    } catch (error) {
      if (!isEntiaError(error)) throw error
      return absentOrLocked(error) ?? refused(error)
    }
  }

  async lock(entity: unknown): Promise<HoldOutcome> {
    const { key } = marksIn(entity, this.#model)
    const { locks } = this.#access.store
    if (this.#access.session === null) {
      // A refused lock opens no session.
      const probed = locks.probe(this.name, key)
      if (probed.kind !== 'locked') return heldOutcome(probed)
    }
    return heldOutcome(locks.lock(this.name, key, this.#access.openSession()))
  }
  async unlock(entity: unknown): Promise<boolean> {
    const { key } = marksIn(entity, this.#model)
    const { store, session } = this.#access
    if (session === null) return store.locks.probe(this.name, key).kind === 'locked'
    return store.locks.unlock(this.name, key, session).kind === 'unlocked'
  }

  async call(name: string, ...args: readonly unknown[]): Promise<Untyped> {
    return this.#call((given) => this.#table.call(name, ...given), args)
  }
  async callOn(entity: unknown, name: string, ...args: readonly unknown[]): Promise<Untyped> {
    const { key } = marksIn(entity, this.#model)
    const stored = storedEntity(this.#access, this.name, key)
    return this.#call((given) => this.#table.callOn(stored, name, ...given), args)
  }
  asArgument(entity: unknown, patch: object = {}): EntityArgument {
    return new LocalEntityArgument(this.name, () => marksIn(entity, this.#model), patch)
  }

  #call(run: (args: readonly unknown[]) => unknown, given: readonly unknown[]): Promise<unknown> {
    return callFunction(this.#access, run, given, entitySetOf(this.#access))
  }

  get #table() {
    return this.#access.table(this.name)
  }
  get #model() {
    return this.#table.model
  }
  #copy(entity: AnyEntity): object {
    return copyOf(entity, this.#model)
  }

  /** Throws what `insert` and `update` of core throw. */
  #save(marks: Marks | null, values: object, withoutMarks?: boolean): AnyEntity {
    if (marks === null)
      return this.#table.insert(inputOf(values, this.#model, undefined, withoutMarks))
    const { key, stamp } = marks
    const before = this.#table.get(key)
    // A stale copy is refused before its values are compared: they are those of another version.
    const isCurrent = before === undefined || stamp === undefined || stamp === stampOf(before)
    const input = isCurrent ? inputOf(values, this.#model, before, withoutMarks) : {}
    return this.#table.update(key, input, stamp === undefined ? {} : { stamp })
  }
  #attempt(marks: Marks | null, values: object, withoutMarks?: boolean): Attempt {
    try {
      return { kind: 'done', entity: this.#save(marks, values, withoutMarks) }
    } catch (error) {
      if (isEntiaError(error) && !BROKEN.has(error.code))
        return { kind: 'failed', error, key: marks?.key ?? null }
      throw error
    }
  }
  #outcome(attempt: Attempt): SaveOutcome<Untyped> {
    if (attempt.kind === 'done') return { kind: 'saved', entity: this.#copy(attempt.entity) }
    const { error, key } = attempt
    if (isEntiaError(error, 'stampChanged')) {
      const current = this.#table.get(key ?? '')
      // An entity that a batch inserted before it failed is gone again.
      if (current === undefined) return { kind: 'absent' }
      return { kind: 'stampChanged', current: this.#copy(current) }
    }
    return absentOrLocked(error) ?? refused(error)
  }

  /**
   * The attempts of a batch that the commit refused. A missing related entity is the failure of the
   * changes that name it. Throws any other error.
   */
  #attributed(
    error: unknown,
    attempts: readonly Attempt[],
    changes: readonly object[],
  ): readonly Attempt[] {
    if (!isEntiaError(error, 'relationTargetMissing') || error.details.dataClass !== this.name)
      throw error
    const { attribute, key } = error.details
    const relation = this.#model.attributes.get(attribute)
    const names =
      relation?.kind === 'relatedEntity' ? [attribute, relation.foreignKey.name] : [attribute]
    const attributed = attempts.map((attempt, at): Attempt => {
      const change = changes[at] ?? {}
      const input = inputOf(change, this.#model, undefined, true)
      return names.some((name) => Object.hasOwn(input, name) && String(input[name]) === key)
        ? { kind: 'failed', error, key: marksOfChange(change, this.#model)?.key ?? null }
        : attempt
    })
    if (attributed.every(({ kind }) => kind === 'done')) throw error
    return attributed
  }
}

/** Errors that are not about the entity. */
const BROKEN: ReadonlySet<string> = new Set(['storeBroken', 'storeClosed', 'notInTransaction'])

function absentOrLocked(error: EntiaError) {
  if (isEntiaError(error, 'entityNotFound')) return { kind: 'absent' } as const
  if (!isEntiaError(error, 'entityLocked')) return null
  return { kind: 'locked', holder: holderOf(error.details.holder) } as const
}
function refused(error: EntiaError) {
  if (BROKEN.has(error.code)) throw error
  const { message, errors } = error
  return { kind: 'refused', message, errors } as const
}
const holderOf = ({
  host,
  ipAddress,
  userAgent,
}: Pick<SessionInfo, 'host' | 'ipAddress' | 'userAgent'>): LockHolder => ({
  host,
  ipAddress,
  userAgent,
})
/** The outcome of a lock as the asynchronous interface tells it. */
export function heldOutcome(outcome: StoreLockOutcome): HoldOutcome {
  if (outcome.kind === 'locked') return { kind: 'held' }
  return outcome.kind === 'alreadyLocked'
    ? { kind: 'alreadyLocked', holder: holderOf(outcome.holder) }
    : { kind: 'absent' }
}
