import type {
  AsyncChange,
  AsyncClass,
  AsyncPatch,
  AttributesOf,
  BatchOutcome,
  Condition,
  Conditional,
  EntityOrKey,
  FilterValue,
  FunctionName,
  KeyOf,
  LockHolder,
  Model,
  NewAsyncEntity,
  RemoveOutcome,
  SaveOutcome,
} from '@entia/core'
import { callFunction, type Link } from './call-function.ts'
import { checkChanges, checkInput } from './check-input.ts'
import { decodeEntity, type Wire } from './decode.ts'
import { encodeValues } from './encode.ts'
import { EntityArgument } from './function-argument.ts'
import type { CallArguments, CallResult } from './function-types.ts'
import { keyInAddress, nameInAddress } from './key-in-address.ts'
import { carriedMarks, type Marks, marksOf } from './marks.ts'
import { withUploads } from './media-upload.ts'
import type { RemoteModel } from './remote-catalog.ts'
import { storeEntry } from './remote-error.ts'
import { RemoteSelection } from './remote-selection.ts'
import type { LockOutcome, RemoteEntity } from './remote-types.ts'
import { type Answer, errorOf, type Parameters } from './transport.ts'

export type { AsyncChange as Change, EntityOrKey } from '@entia/core'

// `where(db.Employee)` infers the dataclass from it.
export interface RemoteClass<M extends Model, N extends keyof M> extends Conditional<M, N> {}
/** A dataclass on the server. Every method except `all`, `query` and `search` sends a request. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the interface adds a member that exists at compile time only
export class RemoteClass<M extends Model, N extends keyof M> implements AsyncClass<M, N> {
  readonly name: N & string
  readonly #link: Link

  constructor(link: Link, name: N & string) {
    this.name = name
    this.#link = link
  }

  /** Read at a request: tools that look into an object may read any name of it. */
  get #path(): string {
    return nameInAddress(this.name)
  }

  all(): RemoteSelection<M, N> {
    return new RemoteSelection<M, N>(this.#link, this.name, this.#path)
  }
  /**
   * ``query`salary > ${minimum} and employer.city === ${city}` ``: each value is sent as a
   * placeholder. Or a condition that the compiler checks:
   * `query(where(db.Employee)('salary', '>', 5))`.
   */
  query(
    filter: TemplateStringsArray | Condition<N & string>,
    ...values: readonly FilterValue[]
  ): RemoteSelection<M, N> {
    return this.all().query(filter, ...values)
  }
  /** Finds words: `search('night zurich*')`; see `search` of selections. */
  search(words: string): RemoteSelection<M, N> {
    return this.all().search(words)
  }
  async get(key: KeyOf<AttributesOf<M, N>>): Promise<RemoteEntity<M, N> | undefined> {
    const answer = await this.#link.transport.request('GET', this.#at(key as string | number))
    return isAbsent(answer) ? undefined : this.#entity(ok(answer))
  }

  /** Throws `RemoteError` if the server refuses the values. */
  async insert(values: NewAsyncEntity<M, N>): Promise<RemoteEntity<M, N>> {
    checkInput(this.name, values)
    const body = await this.#convert((model) => encodeValues(values, model))
    return this.#entity(ok(await this.#save({ $method: 'insert' }, body)))
  }
  /**
   * Changes an entity. With an entity as it was read, it succeeds only if the stamp is unchanged.
   * Throws `RemoteError` for errors that are not about the entity.
   */
  async update(
    entity: EntityOrKey<M, N>,
    patch: AsyncPatch<M, N>,
  ): Promise<SaveOutcome<RemoteEntity<M, N>>> {
    checkInput(this.name, patch)
    const body = await this.#convert((model) => ({
      ...encodeValues(patch, model),
      ...marksFor(marksIn(entity, model)),
    }))
    return this.#outcome(await this.#save({ $method: 'update' }, body))
  }
  /**
   * Saves many changes in one request, all or none. A change without a key inserts an entity. If
   * one change fails, those that did not fail are `undone`. Throws `RemoteError` for errors that
   * are not about one change.
   */
  async saveAll(
    changes: readonly AsyncChange<M, N>[],
  ): Promise<readonly BatchOutcome<RemoteEntity<M, N>>[]> {
    checkChanges(this.name, changes)
    const body = await this.#convert((model) => changes.map((change) => bodyOf(change, model)))
    const answer = await this.#save({ $method: 'update', $atomic: true }, body)
    const { __ENTITIES: items } = (answer.body ?? {}) as { readonly __ENTITIES?: readonly Wire[] }
    const isUndone = answer.status >= 400
    if (items === undefined || (isUndone && !items.some(isFailed))) throw errorOf(answer)
    return Promise.all(
      items.map((body): Promise<BatchOutcome<RemoteEntity<M, N>>> => {
        if (isFailed(body)) return this.#outcome({ status: answer.status, body })
        if (isUndone) return Promise.resolve({ kind: 'undone' })
        return this.#outcome({ status: 200, body })
      }),
    )
  }
  async remove(entity: EntityOrKey<M, N>): Promise<RemoveOutcome> {
    const body = marksFor(await this.#marks(entity))
    const answer = await this.#save({ $method: 'delete' }, body)
    if (answer.status < 400) return { kind: 'removed' }
    if (isAbsent(answer)) return { kind: 'absent' }
    const [item] =
      (answer.body as { readonly __ENTITIES?: readonly Wire[] } | null)?.__ENTITIES ?? []
    const holder = holderIn({ status: answer.status, body: item })
    if (holder !== null) return { kind: 'locked', holder }
    if (item === undefined) throw errorOf(answer)
    const { message, errors } = errorOf(answer)
    return { kind: 'refused', message, errors }
  }

  /** Locks the entity for this session, until `unlock` or the session's end. */
  async lock(entity: EntityOrKey<M, N>): Promise<LockOutcome> {
    const answer = await this.#link.transport.request(
      'GET',
      this.#at((await this.#marks(entity)).key),
      { $lock: true },
    )
    if (isAbsent(answer)) return { kind: 'absent' }
    const { result, __STATUS: status } = ok(answer) as {
      readonly result: boolean
      readonly __STATUS?: { readonly status?: number }
    }
    if (result) return { kind: 'held' }
    const holder = holderIn(answer)
    return holder === null || status?.status !== 3
      ? { kind: 'absent' }
      : { kind: 'alreadyLocked', holder }
  }
  async unlock(entity: EntityOrKey<M, N>): Promise<boolean> {
    const answer = await this.#link.transport.request(
      'GET',
      this.#at((await this.#marks(entity)).key),
      {
        $lock: false,
      },
    )
    return (answer.body as { readonly result?: boolean } | null)?.result === true
  }

  /** Calls an exposed function that works on the dataclass. */
  call<K extends FunctionName<M[N]['functions'], 'dataClass'>>(
    name: K,
    ...args: CallArguments<M, N, K>
  ): Promise<CallResult<M, N, K>> {
    return callFunction(this.#link, `${this.#path}/${nameInAddress(name)}`, args)
  }
  /** Calls an exposed function that works on one entity, as it is stored now. */
  async callOn<K extends FunctionName<M[N]['functions'], 'entity'>>(
    entity: EntityOrKey<M, N>,
    name: K,
    ...args: CallArguments<M, N, K>
  ): Promise<CallResult<M, N, K>> {
    const { key } = await this.#marks(entity)
    return callFunction(this.#link, `${this.#at(key)}/${nameInAddress(name)}`, args)
  }
  /**
   * An entity as the argument of a function, which gets it with the values of `patch`, unsaved.
   * With an entity as it was read, the call is refused if the entity was saved since.
   */
  asArgument(entity: EntityOrKey<M, N>, patch?: AsyncPatch<M, N>): EntityArgument {
    if (patch !== undefined) checkInput(this.name, patch)
    return new EntityArgument(this.name, async () => {
      const wire = await this.#convert((model) => ({
        __ENTITY: true,
        __DATACLASS: this.name,
        ...(patch === undefined ? {} : encodeValues(patch, model)),
        ...marksFor(marksIn(entity, model)),
      }))
      return withUploads(wire, this.#link.transport)
    })
  }

  #convert<T>(convert: (model: RemoteModel) => T): Promise<T> {
    return this.#link.catalog.use(this.name, convert)
  }
  async #save(parameters: Parameters, given: Wire | readonly Wire[]): Promise<Answer> {
    const { transport } = this.#link
    const body = Array.isArray(given)
      ? await Promise.all(given.map((each) => withUploads(each, transport)))
      : await withUploads(given as Wire, transport)
    const isDeletion = parameters.$method === 'delete'
    // Otherwise the timestamps of the answer are days.
    const all = isDeletion ? parameters : { ...parameters, $isoTimestamps: true }
    return transport.request('POST', this.#path, all, body)
  }
  /** A key alone needs no catalog. */
  async #marks(entity: EntityOrKey<M, N>): Promise<Marks> {
    return typeof entity === 'object'
      ? this.#convert((model) => marksIn(entity, model))
      : { key: entity as string | number }
  }
  #at(key: string | number): string {
    return `${this.#path}[${keyInAddress(key)}]`
  }
  #entity(body: unknown): Promise<RemoteEntity<M, N>> {
    return this.#convert((model) => decodeEntity(body as Wire, model) as RemoteEntity<M, N>)
  }
  async #outcome(answer: Answer): Promise<SaveOutcome<RemoteEntity<M, N>>> {
    const body = (answer.body ?? {}) as Wire
    const { __STATUS: status } = body as { readonly __STATUS?: { readonly status?: number } }
    if (answer.status < 400) return { kind: 'saved', entity: await this.#entity(body) }
    if (isAbsent(answer)) return { kind: 'absent' }
    const holder = holderIn(answer)
    if (holder !== null) return { kind: 'locked', holder }
    if (status?.status === 2) {
      // An entity that a batch inserted before it failed is gone again: the answer has no state.
      if (body.__STAMP === undefined) return { kind: 'absent' }
      return { kind: 'stampChanged', current: await this.#entity(body) }
    }
    const error = errorOf(answer)
    // An error without an entity status is about the request, for example a missing login.
    if (status === undefined) throw error
    return { kind: 'refused', message: error.message, errors: error.errors }
  }
}

/** The marks of an entity, or those of a key alone. */
const marksIn = (entity: unknown, model: RemoteModel): Marks =>
  typeof entity === 'object' && entity !== null
    ? marksOf(entity, model)
    : { key: entity as string | number }

/** True for an item of a batch that failed itself. */
const isFailed = (item: Wire): boolean => item.__ERROR !== undefined

const marksFor = ({ key, stamp }: Marks): Wire => ({
  __KEY: String(key),
  ...(stamp === undefined ? {} : { __STAMP: stamp }),
})

/** The wire form of one of many changes. Marks that are not attributes identify the entity. */
function bodyOf(change: object, model: RemoteModel): Wire {
  const given = new Map<string, unknown>(Object.entries(change))
  const mark = (name: string): unknown =>
    model.attributes.has(name) && model.key.name !== name ? undefined : given.get(name)
  const { key, stamp } = carriedMarks(change) ?? { key: mark('key'), stamp: mark('stamp') }
  return {
    ...encodeValues(change, model, true),
    ...(key === undefined ? {} : { __KEY: String(key) }),
    ...(stamp === undefined ? {} : { __STAMP: stamp }),
  }
}

function ok(answer: Answer): unknown {
  if (answer.status >= 400) throw errorOf(answer)
  return answer.body
}

/** Error codes of the interface for a missing entity, and for a key that no entity can have. */
const ABSENT: ReadonlySet<number> = new Set([1541, 1542, 1543])
const isAbsent = (answer: Answer): boolean =>
  answer.status >= 400 && ABSENT.has(storeEntry(errorOf(answer).errors)?.errCode ?? 0)

function holderIn({ body }: Answer): LockHolder | null {
  const { __STATUS: status } = (body ?? {}) as {
    readonly __STATUS?: {
      readonly lockInfo?: {
        readonly host: string
        readonly IPAddr: string
        readonly userAgent: string
      }
    }
  }
  if (status?.lockInfo === undefined) return null
  const { host, IPAddr: ipAddress, userAgent } = status.lockInfo
  return { host, ipAddress, userAgent }
}
