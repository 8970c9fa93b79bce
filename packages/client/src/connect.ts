import type { DataStore, Model, Untyped } from '@entia/core'
import { RemoteCatalog } from './remote-catalog.ts'
import { RemoteClass } from './remote-class.ts'
import { type ConnectOptions, Transport } from './transport.ts'

/** The model of a store's type. */
type ModelOfStore<S> = S extends DataStore<infer M, Untyped, Untyped> ? M : Untyped

/** A store on the server: its dataclasses by name, and the user who is logged in. */
export type Remote<M extends Model> = {
  readonly [N in keyof M & string]: RemoteClass<M, N>
} & RemoteMembers<M>

interface RemoteMembers<M extends Model> {
  /** For names that are known only at run time. */
  dataClass<N extends keyof M & string>(name: N): RemoteClass<M, N>
  /** Resolves to false for a wrong name or password. */
  login(name: string, password: string, lifetimeSeconds?: number): Promise<boolean>
  logout(): Promise<void>
  currentUser(): Promise<RemoteUser | null>
  /** Calls an exposed function of the datastore. */
  call(name: string, ...args: readonly unknown[]): Promise<unknown>
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
 */
export function connect<S = DataStore>(
  address: string,
  options: ConnectOptions = {},
): Remote<ModelOfStore<S>> {
  const transport = new Transport(address, options)
  const link = { transport, catalog: new RemoteCatalog(transport) }
  const classes = new Map<string, RemoteClass<Untyped, string>>()
  const dataClass = (name: string): RemoteClass<Untyped, string> => {
    const known = classes.get(name) ?? new RemoteClass<Untyped, string>(link, name)
    classes.set(name, known)
    return known
  }
  const members: RemoteMembers<Untyped> = {
    dataClass: dataClass as RemoteMembers<Untyped>['dataClass'],
    async login(name, password, lifetimeSeconds) {
      const body =
        lifetimeSeconds === undefined ? [name, password] : [name, password, lifetimeSeconds]
      const { status, body: answer } = await transport.request('POST', '$directory/login', {}, body)
      return status < 400 && (answer as { readonly result?: boolean }).result === true
    },
    async logout() {
      await transport.ask('POST', '$directory/logout', {}, [])
    },
    async currentUser() {
      const answer = (await transport.ask('GET', '$directory/currentUser')) as {
        readonly result: RemoteUser | null
      }
      return answer.result
    },
    async call(name, ...args) {
      const answer = (await transport.ask(
        'POST',
        `$catalog/${encodeURIComponent(name)}`,
        {},
        args,
      )) as {
        readonly result?: unknown
      }
      return answer.result
    },
  }
  return new Proxy(members, {
    get(target, name) {
      if (typeof name !== 'string' || name === 'then') return undefined
      return Object.hasOwn(target, name) ? target[name as keyof typeof target] : dataClass(name)
    },
  }) as unknown as Remote<ModelOfStore<S>>
}
