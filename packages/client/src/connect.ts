import type {
  ArgumentsOf,
  AsyncMembers,
  DataStore,
  Model,
  PlainFunctionName,
  ResultOf,
  Untyped,
} from '@entia/core'
import { callFunction, type Link } from './call-function.ts'
import { withExtras } from './dehydrated.ts'
import type { RemoteArguments, RemoteResult } from './function-types.ts'
import { nameInAddress } from './key-in-address.ts'
import { describeBy, RemoteCatalog } from './remote-catalog.ts'
import { RemoteClass } from './remote-class.ts'
import { RemoteEntitySet } from './remote-entity-set.ts'
import { type ConnectOptions, sendBy, Transport } from './transport.ts'

/** The client of a store's type. */
type RemoteOf<S> =
  S extends DataStore<infer M, infer F, infer G>
    ? Remote<M, F, G>
    : S extends AsyncMembers<infer M, Untyped, Untyped>
      ? Remote<M>
      : Remote<Untyped>

/** A store on the server: its dataclasses by name, and the user who is logged in. */
export type Remote<M extends Model, F = Untyped, S = Untyped> = {
  readonly [N in keyof M & string]: RemoteClass<M, N>
} & RemoteMembers<M, F, S>

interface RemoteMembers<M extends Model, F, S> {
  /** For names that are known only at run time. */
  dataClass<N extends keyof M & string>(name: N): RemoteClass<M, N>
  /** Resolves to false for a wrong name or password. */
  login(name: string, password: string, lifetimeSeconds?: number): Promise<boolean>
  logout(): Promise<void>
  currentUser(): Promise<RemoteUser | null>
  /** Calls an exposed function of the datastore. */
  call<K extends PlainFunctionName<F>>(
    name: K,
    ...args: RemoteArguments<ArgumentsOf<F, K>>
  ): Promise<RemoteResult<M, ResultOf<F, K>>>
  /** The exposed functions of a singleton. */
  singleton<K extends PlainFunctionName<S>>(
    name: K,
  ): RemoteSingleton<M, K extends keyof S ? S[K] : Untyped>
}
/** Functions of a singleton on the server. */
export interface RemoteSingleton<M extends Model, F> {
  call<K extends PlainFunctionName<F>>(
    name: K,
    ...args: RemoteArguments<ArgumentsOf<F, K>>
  ): Promise<RemoteResult<M, ResultOf<F, K>>>
}
export interface RemoteUser {
  readonly ID: string
  readonly userName: string
  readonly fullName: string
}

/**
 * Connects to a store that is served at an address:
 * `connect<typeof store>('https://api.example/rest')`. Import `store` as a type only. The first
 * method that needs the server sends the first request. The browser keeps the session's cookie;
 * elsewhere the connection does.
 *
 * @example
 * ```ts
 * const db = connect<typeof store>('http://hr.example/rest', { fetch: rest.fetch })
 * const ada = await db.Employee.get(1)
 * ada?.lastName // → Byron
 * ```
 */
export function connect<S = DataStore>(address: string, options: ConnectOptions = {}): RemoteOf<S> {
  const transport = new Transport(address, options)
  const catalog = new RemoteCatalog(transport)
  const classes = new Map<string, RemoteClass<Untyped, string>>()
  const dataClass = (name: string): RemoteClass<Untyped, string> => {
    const known = classes.get(name)
    if (known !== undefined) return known
    const created = new RemoteClass<Untyped, string>(link, name)
    classes.set(name, created)
    return created
  }
  const members: RemoteMembers<Untyped, Untyped, Untyped> = {
    dataClass: (name: string): Untyped => dataClass(name),
    async login(name, password, lifetimeSeconds) {
      const body =
        lifetimeSeconds === undefined ? [name, password] : [name, password, lifetimeSeconds]
      const { status, body: answer } = await transport.request('POST', '$directory/login', {}, body)
      catalog.forget()
      return status < 400 && (answer as { readonly result?: boolean }).result === true
    },
    async logout() {
      await transport.ask('POST', '$directory/logout', {}, [])
      catalog.forget()
    },
    async currentUser() {
      const answer = (await transport.ask('GET', '$directory/currentUser')) as {
        readonly result: RemoteUser | null
      }
      return answer.result
    },
    call: (name, ...args) => callFunction(link, `$catalog/${nameInAddress(name)}`, args),
    singleton: (singleton) => ({
      call: (name, ...args) =>
        callFunction(link, `$singleton/${nameInAddress(singleton)}/${nameInAddress(name)}`, args),
    }),
  }
  const remote: Untyped = new Proxy(members, {
    get(target, name) {
      if (typeof name !== 'string' || name === 'then') return undefined
      return Object.hasOwn(target, name) ? target[name as keyof typeof target] : dataClass(name)
    },
  })
  const link: Link = {
    origin: remote,
    transport,
    catalog,
    withExtras: (entity, extras) => withExtras(entity, extras, transport),
    entitySet: (dataClass, address) => new RemoteEntitySet(link, dataClass, address),
  }
  sendBy(remote, transport)
  describeBy(remote, catalog)
  return remote
}
