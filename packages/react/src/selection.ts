// The parts of a selection that the hooks use. They are structural, so the package depends on
// neither the engine nor the client.

/** Two selections with the same origin and text follow the same result. */
export interface LiveIdentity {
  readonly origin: object
  readonly text: string
}

/** A selection of a store in this process. It is read at once. */
export interface LocalSelection<E = unknown> extends Iterable<E> {
  liveIdentity(): LocalIdentity
  page(skip: number, top: number): LocalSelection<E>
  live(
    listener: (delta: LocalDelta<E>) => void,
    options?: { readonly select?: string },
  ): LocalLive<E>
}
export interface LocalIdentity extends LiveIdentity {
  readonly isPage: boolean
  keyOf(entity: object): string | number
  stampOf(entity: object): number
}
interface LocalDelta<E> {
  readonly entered: readonly E[]
  readonly changed: readonly E[]
  readonly left: readonly Key[]
  readonly order: readonly Key[] | null
}
export interface LocalLive<E> {
  readonly initial: readonly E[]
  readonly globalStamp: number
  stop(): void
}

/** A selection of a store on a server. */
export interface RemoteSelection<E = unknown> extends AsyncIterable<E> {
  liveIdentity(): RemoteIdentity
  live(options: RemoteLiveOptions): AsyncIterable<RemoteEvent>
}
export interface RemoteIdentity extends LiveIdentity {
  /** What JSON loses of an entity; null if nothing. */
  extrasOf(entity: object): object | null
  /** The entity that was JSON, with what it had lost. */
  withExtras(entity: object, extras: object): object
}
interface RemoteLiveOptions {
  readonly signal: AbortSignal
  readonly page: Page
  readonly onConnection: (isConnected: boolean) => void
}
type RemoteEvent =
  | { readonly kind: 'initial'; readonly entities: ReadonlyMap<Key, unknown> }
  | {
      readonly kind: 'delta'
      readonly entered: ReadonlyMap<Key, unknown>
      readonly changed: ReadonlyMap<Key, unknown>
      readonly left: readonly Key[]
      readonly order: readonly Key[] | null
    }

export type Key = string | number
export interface Page {
  /** The number of entities before the page. */
  readonly skip: number
  /** The largest number of entities of the page. */
  readonly top: number
}

/** A selection of `@entia/core` or of `@entia/client`. */
export type AnySelection = LocalSelection | RemoteSelection

/** The type of the items of a selection. */
export type ItemOf<S> =
  S extends Iterable<infer E> ? E : S extends AsyncIterable<infer E> ? E : never

export const isRemote = (selection: AnySelection): selection is RemoteSelection =>
  Symbol.asyncIterator in selection

/** A dataclass of a store in this process. */
interface LocalDataClass {
  get(key: never): unknown
  all(): LocalSelection
  query(filter: string, parameters: readonly unknown[]): LocalSelection
}
/** A dataclass of a store on a server. */
interface RemoteDataClass {
  get(key: never): unknown
  all(): RemoteSelection
  query(strings: TemplateStringsArray, ...values: readonly Key[]): RemoteSelection
}
/** A dataclass of `@entia/core` or of `@entia/client`. */
export type AnyDataClass = LocalDataClass | RemoteDataClass

/** The type of the keys of a dataclass. */
export type KeyIn<C extends AnyDataClass> = Parameters<C['get']>[0]
/** The type of the entities of a dataclass. */
export type EntityIn<C extends AnyDataClass> = ItemOf<ReturnType<C['all']>>

/** The selection of the entity with a key; empty if there is none. Throws a TypeError. */
export function withKey(dataClass: AnyDataClass, key: Key): AnySelection {
  if (typeof dataClass?.all !== 'function')
    throw new TypeError('useEntity follows an entity of a dataclass, such as store.Employee.')
  // As of a route without this parameter.
  if (typeof key !== 'string' && typeof key !== 'number')
    throw new TypeError(`The key of useEntity is a text or a number, not ${key}.`)
  if (isLocal(dataClass)) return dataClass.query('__KEY === :1', [key])
  return dataClass.query`__KEY === ${key}`
}

const isLocal = (dataClass: AnyDataClass): dataClass is LocalDataClass => !isRemote(dataClass.all())
