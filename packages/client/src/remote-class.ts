import type { AttributesOf, KeyOf, Model, NewEntity, Patch } from '@entia/core'
import { decodeEntity, type Wire } from './decode.ts'
import { encodeValues } from './encode.ts'
import type { FilterValue } from './filter.ts'
import { keyInAddress } from './key-in-address.ts'
import { carriedMarks, type Marks, marksOf } from './marks.ts'
import type { RemoteModel } from './remote-catalog.ts'
import { type Link, RemoteSelection } from './remote-selection.ts'
import type {
  LockHolder,
  LockOutcome,
  RemoteEntity,
  RemoveOutcome,
  SaveOutcome,
} from './remote-types.ts'
import { type Answer, errorOf } from './transport.ts'

type Key<M extends Model, N extends keyof M> = KeyOf<AttributesOf<M, N>>
/** An entity as it was read, which makes the write conditional on its stamp; or a key alone. */
export type EntityOrKey<M extends Model, N extends keyof M> =
  | Key<M, N>
  | { readonly key: Key<M, N>; readonly stamp?: number }
  | RemoteEntity<M, N>

/**
 * One of many changes. If an attribute is called `key` or `stamp`, `__KEY` and `__STAMP` identify
 * the entity.
 */
export type Change<M extends Model, N extends keyof M> = Patch<M, N> &
  Omit<{ readonly key?: Key<M, N>; readonly stamp?: number }, Attributes<M, N>> & {
    readonly __KEY?: Key<M, N>
    readonly __STAMP?: number
  }
type Attributes<M extends Model, N extends keyof M> = string extends N | keyof AttributesOf<M, N>
  ? never
  : keyof AttributesOf<M, N>

/** A dataclass on the server. Every method except `all` and `query` sends a request. */
export class RemoteClass<M extends Model, N extends keyof M> {
  readonly name: N & string
  readonly #link: Link
  readonly #path: string

  constructor(link: Link, name: N & string) {
    this.name = name
    this.#link = link
    this.#path = encodeURIComponent(name)
  }

  all(): RemoteSelection<M, N> {
    return new RemoteSelection<M, N>(this.#link, this.name, this.#path)
  }
  /**
   * ``query`salary > ${minimum} and employer.city = ${city}` ``: each value is sent as a
   * placeholder.
   */
  query(strings: TemplateStringsArray, ...values: readonly FilterValue[]): RemoteSelection<M, N> {
    return this.all().query(strings, ...values)
  }
  async get(key: Key<M, N>): Promise<RemoteEntity<M, N> | undefined> {
    const answer = await this.#link.transport.request('GET', this.#at(key as string | number))
    return isAbsent(answer) ? undefined : this.#entity(ok(answer))
  }

  /** Throws `RemoteError` if the server refuses the values. */
  async insert(values: NewEntity<M, N>): Promise<RemoteEntity<M, N>> {
    const body = encodeValues(values, await this.#model())
    return this.#entity(
      await this.#link.transport.ask('POST', this.#path, { $method: 'insert' }, body),
    )
  }
  /**
   * Changes an entity. With an entity as it was read, it succeeds only if the stamp is unchanged.
   * Throws `RemoteError` for errors that are not about the entity.
   */
  async update(
    entity: EntityOrKey<M, N>,
    patch: Patch<M, N>,
  ): Promise<SaveOutcome<RemoteEntity<M, N>>> {
    const marks = await this.#marks(entity)
    const body = { ...encodeValues(patch, await this.#model()), ...marksFor(marks) }
    return this.#outcome(
      await this.#link.transport.request('POST', this.#path, { $method: 'update' }, body),
    )
  }
  /** Saves many changes in one request, all or none. A change without a key inserts an entity. */
  async saveAll(
    changes: readonly Change<M, N>[],
  ): Promise<readonly SaveOutcome<RemoteEntity<M, N>>[]> {
    const model = await this.#model()
    const body = changes.map((change) => bodyOf(change, model))
    const answer = await this.#link.transport.request(
      'POST',
      this.#path,
      { $method: 'update', $atomic: true },
      body,
    )
    const { __ENTITIES: items } = (answer.body ?? {}) as { readonly __ENTITIES?: readonly Wire[] }
    if (items === undefined) throw errorOf(answer)
    return Promise.all(
      items.map((body) =>
        this.#outcome({ status: body.__ERROR === undefined ? 200 : answer.status, body }),
      ),
    )
  }
  async remove(entity: EntityOrKey<M, N>): Promise<RemoveOutcome> {
    const body = marksFor(await this.#marks(entity))
    const answer = await this.#link.transport.request(
      'POST',
      this.#path,
      { $method: 'delete' },
      body,
    )
    if (answer.status < 400) return { kind: 'removed' }
    if (isAbsent(answer)) return { kind: 'absent' }
    const [item] =
      (answer.body as { readonly __ENTITIES?: readonly Wire[] } | null)?.__ENTITIES ?? []
    const holder = holderIn({ status: answer.status, body: item })
    if (holder !== null) return { kind: 'locked', holder }
    if (item === undefined) throw errorOf(answer)
    return { kind: 'refused', message: errorOf(answer).message }
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

  #model(): Promise<RemoteModel> {
    return this.#link.catalog.model(this.name)
  }
  async #marks(entity: EntityOrKey<M, N>): Promise<Marks> {
    if (typeof entity !== 'object' || entity === null) return { key: entity as string | number }
    return marksOf(entity, await this.#model())
  }
  #at(key: string | number): string {
    return `${this.#path}[${keyInAddress(key)}]`
  }
  async #entity(body: unknown): Promise<RemoteEntity<M, N>> {
    return decodeEntity(body as Wire, await this.#model()) as RemoteEntity<M, N>
  }
  async #outcome(answer: Answer): Promise<SaveOutcome<RemoteEntity<M, N>>> {
    const body = (answer.body ?? {}) as Wire
    const { __STATUS: status } = body as { readonly __STATUS?: { readonly status?: number } }
    if (answer.status < 400) return { kind: 'saved', entity: await this.#entity(body) }
    if (isAbsent(answer)) return { kind: 'absent' }
    const holder = holderIn(answer)
    if (holder !== null) return { kind: 'locked', holder }
    if (status?.status === 2) return { kind: 'stampChanged', current: await this.#entity(body) }
    const error = errorOf(answer)
    // An error without an entity status is about the request, for example a missing login.
    if (status === undefined) throw error
    return { kind: 'refused', message: error.message, errors: error.errors }
  }
}

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

/** Error codes of the interface for a missing entity. */
const ABSENT: ReadonlySet<number> = new Set([1542, 1543])
const isAbsent = (answer: Answer): boolean =>
  answer.status === 404 && errorOf(answer).errors.some(({ errCode }) => ABSENT.has(errCode))

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
