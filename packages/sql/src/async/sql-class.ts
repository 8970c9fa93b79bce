import type {
  AsyncClass,
  BatchOutcome,
  ClassModel,
  Condition,
  EntityArgument,
  FilterValue,
  HoldOutcome,
  RemoveOutcome,
  SaveOutcome,
  Untyped,
} from '@entia/core'
import {
  type Access,
  checkChanges,
  checkInput,
  DescribedSelection,
  heldOutcome,
  LocalClass,
  LocalEntityArgument,
  marksIn,
  marksOfChange,
  wholeOf,
} from '@entia/core/internal'
import type { Caller, LockQuery, Missing } from '@entia/engine'
import { withPublicErrors } from '../engine/bounded-calls.ts'
import { isNumbered, predictedOfKey, predictedOfSave } from '../engine/predicted.ts'
import { sqlLocking } from '../engine/sql-locking.ts'
import type { Decided } from '../write/decided.ts'
import { mirroredOr, SqlReads } from './sql-reads.ts'
import { type AsyncRuns, portOf } from './sql-user.ts'

type Locking = ReturnType<typeof sqlLocking>

/** A dataclass of a store over a database. Writes are decided by core's own code. */
export class SqlClass implements AsyncClass<Untyped, string> {
  readonly name: string
  readonly #runs: AsyncRuns
  readonly #reads: SqlReads
  readonly #model: ClassModel

  constructor(runs: AsyncRuns, model: ClassModel) {
    this.#runs = runs
    this.#reads = new SqlReads(runs)
    this.#model = model
    this.name = model.name
  }

  all(): DescribedSelection {
    return new DescribedSelection(this.#reads, wholeOf(this.#model))
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
  get(key: string | number): Promise<Untyped> {
    const predicted = predictedOfKey(this.#model, key)
    const read = (access: Access) => this.#over(access).get(key)
    return mirroredOr(this.#runs, this.#model, read, () => this.#runs.read({ predicted }, read))
  }

  async insert(values: object): Promise<Untyped> {
    checkInput(this.#model, values)
    const attempt = isNumbered(this.#model) ? 'read' : undefined
    return this.#write(this.#predicted(null, values), attempt, (local) => local.insert(values))
  }
  async update(entity: unknown, patch: object): Promise<SaveOutcome<Untyped>> {
    checkInput(this.#model, patch)
    const marks = marksIn(entity, this.#model)
    return this.#write(this.#predicted(marks.key, patch), 'read', (local) =>
      local.update(entity, patch),
    )
  }
  async saveAll(changes: readonly object[]): Promise<readonly BatchOutcome<Untyped>[]> {
    checkChanges(this.#model, changes)
    const predicted = changes.flatMap((change) =>
      this.#predicted(marksOfChange(change, this.#model)?.key ?? null, change),
    )
    return this.#write(predicted, undefined, (local) => local.saveAll(changes))
  }
  async remove(entity: unknown): Promise<RemoveOutcome> {
    const { key } = marksIn(entity, this.#model)
    const predicted = predictedOfKey(this.#model, key)
    return this.#runs.write('a deletion', { predicted, attempt: 'known' }, (access) =>
      this.#over(access).remove(entity),
    )
  }

  /** Locks for the user's session. A refused lock opens no session. */
  async lock(entity: unknown): Promise<HoldOutcome> {
    const outcome = await this.#locking(entity, ({ lock }, query, caller) =>
      lock(query, caller, () => this.#runs.openSession()),
    )
    return outcome === null ? { kind: 'absent' } : heldOutcome(outcome)
  }
  async unlock(entity: unknown): Promise<boolean> {
    const outcome = await this.#locking(entity, ({ unlock }, query, caller) =>
      unlock(query, caller),
    )
    return outcome?.kind === 'unlocked'
  }

  async call(name: string, ...args: readonly unknown[]): Promise<Untyped> {
    return this.#reads.callOver(name, args, (access, given) =>
      this.#over(access).call(name, ...given),
    )
  }
  async callOn(entity: unknown, name: string, ...args: readonly unknown[]): Promise<Untyped> {
    return this.#reads.callOver(name, args, (access, given) =>
      this.#over(access).callOn(entity, name, ...given),
    )
  }
  asArgument(entity: unknown, patch: object = {}): EntityArgument {
    return new LocalEntityArgument(this.name, () => marksIn(entity, this.#model), patch)
  }

  /** Null for a value that no entity has as its key. */
  async #locking<R>(
    entity: unknown,
    call: (locking: Locking, query: LockQuery, caller: Caller) => Promise<R>,
  ): Promise<R | null> {
    const { key } = marksIn(entity, this.#model)
    const remedy = 'Lock before the transaction, with the store itself.'
    const { context, state, runs, names } = portOf(this.#runs, 'A lock', remedy)
    if (predictedOfKey(this.#model, key).length === 0) return null
    const reference = { kind: 'key', dataClass: this.#model, key } as const
    return withPublicErrors(async () => {
      const caller = { session: await this.#runs.session(), access: null, names }
      const locking = sqlLocking(context.model, state.locks, runs, null)
      return call(locking, { reference, precondition: null }, caller)
    })
  }
  #over(access: Access): LocalClass {
    return new LocalClass(access, this.name)
  }
  #write<R>(
    predicted: readonly Missing[],
    attempt: Decided<R>['attempt'],
    body: (local: LocalClass) => Promise<R>,
  ): Promise<R> {
    return this.#runs.write('a save', { predicted, attempt }, (access) => body(this.#over(access)))
  }
  #predicted(key: unknown, values: object): readonly Missing[] {
    return predictedOfSave(this.#model, key, new Map(Object.entries(values)))
  }
}
