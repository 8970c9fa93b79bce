import type {
  AsyncClass,
  AsyncEntity,
  AttributesOf,
  BatchOutcome,
  ClassCallArguments,
  ClassCallResult,
  ClassModel,
  Condition,
  EntityArgument,
  FilterValue,
  FunctionName,
  HoldOutcome,
  KeyOf,
  Model,
  RemoveOutcome,
  SaveOutcome,
  Untyped,
} from '@entia/core'
import {
  type Access,
  checkChanges,
  checkInput,
  LocalClass,
  LocalEntityArgument,
  marksIn,
  marksOfChange,
} from '@entia/core/internal'
import type { Missing } from '@entia/engine'
import { isNumbered, predictedOfKey, predictedOfSave } from '../engine/predicted.ts'
import type { Decided } from '../write/decided.ts'
import { callOver } from './call.ts'
import { UNFILTERED } from './described.ts'
import { lockEntity, unlockEntity } from './locking.ts'
import { mirroredOr } from './mirrored.ts'
import { entitySetOf, SqlSelection } from './sql-selection.ts'
import type { AsyncRuns } from './sql-user.ts'

/** A dataclass of a store over a database. Writes are decided by core's own code. */
export class SqlClass<M extends Model, N extends keyof M> implements AsyncClass<M, N> {
  readonly name: N & string
  readonly #runs: AsyncRuns
  readonly #model: ClassModel

  constructor(runs: AsyncRuns, model: ClassModel) {
    this.#runs = runs
    this.#model = model
    this.name = model.name as N & string
  }

  all(): SqlSelection<M, N> {
    const whole = { ...UNFILTERED, dataClass: this.#model, setId: null }
    return new SqlSelection<M, N>(this.#runs, whole)
  }
  query(
    filter: TemplateStringsArray | Condition<N & string>,
    ...values: readonly FilterValue[]
  ): SqlSelection<M, N> {
    return this.all().query(filter, ...values)
  }
  search(words: string): SqlSelection<M, N> {
    return this.all().search(words)
  }
  get(key: KeyOf<AttributesOf<M, N>>): Promise<AsyncEntity<M, N> | undefined> {
    const predicted = predictedOfKey(this.#model, key)
    const read = (access: Access) => this.#over(access).get(key as string | number)
    return mirroredOr(this.#runs, this.#model, read, () => this.#runs.read({ predicted }, read))
  }

  async insert(values: object): Promise<AsyncEntity<M, N>> {
    checkInput(this.#model, values)
    const attempt = isNumbered(this.#model) ? 'read' : undefined
    return this.#write(this.#predicted(null, values), attempt, (local) => local.insert(values))
  }
  async update(entity: unknown, patch: object): Promise<SaveOutcome<AsyncEntity<M, N>>> {
    checkInput(this.#model, patch)
    const marks = marksIn(entity, this.#model)
    return this.#write(this.#predicted(marks.key, patch), 'read', (local) =>
      local.update(entity, patch),
    )
  }
  async saveAll(changes: readonly object[]): Promise<readonly BatchOutcome<AsyncEntity<M, N>>[]> {
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

  async call<K extends FunctionName<M[N]['functions'], 'dataClass'>>(
    name: K,
    ...args: ClassCallArguments<M, N, K>
  ): Promise<ClassCallResult<M, N, K>> {
    return this.#call(name, args, (local, given) => local.call(name as never, ...given))
  }
  async callOn<K extends FunctionName<M[N]['functions'], 'entity'>>(
    entity: unknown,
    name: K,
    ...args: ClassCallArguments<M, N, K>
  ): Promise<ClassCallResult<M, N, K>> {
    return this.#call(name, args, (local, given) => local.callOn(entity, name as never, ...given))
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
  #call<R>(
    name: unknown,
    args: readonly unknown[],
    call: (local: LocalClass, given: Untyped) => Promise<unknown>,
  ): Promise<R> {
    return callOver(this.#runs, {
      name: String(name),
      args,
      run: (access, given) => call(this.#over(access), given),
      setOf: entitySetOf(this.#runs),
    }) as Promise<R>
  }
}
