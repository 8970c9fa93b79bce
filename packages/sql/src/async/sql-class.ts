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
  LocalClass,
  LocalEntityArgument,
  marksIn,
  marksOfChange,
  UNFILTERED,
} from '@entia/core/internal'
import type { Missing } from '@entia/engine'
import { isNumbered, predictedOfKey, predictedOfSave } from '../engine/predicted.ts'
import type { Decided } from '../write/decided.ts'
import { lockEntity, unlockEntity } from './locking.ts'
import { mirroredOr, SqlReads } from './sql-reads.ts'
import type { AsyncRuns } from './sql-user.ts'

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
    const whole = { ...UNFILTERED, dataClass: this.#model, setId: null }
    return new DescribedSelection(this.#reads, whole)
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

  async lock(entity: unknown): Promise<HoldOutcome> {
    return lockEntity(this.#runs, this.#model, marksIn(entity, this.#model).key)
  }
  async unlock(entity: unknown): Promise<boolean> {
    return unlockEntity(this.#runs, this.#model, marksIn(entity, this.#model).key)
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
