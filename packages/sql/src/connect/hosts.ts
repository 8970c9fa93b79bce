import { refused } from '@entia/core/internal'
import pg from 'pg'
import { HostWatch } from './host-watch.ts'
import { hostAfter } from './request-time.ts'

/** Which servers connections may lead to: `target_session_attrs` of libpq. */
const KINDS = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const
type HostKind = (typeof KINDS)[number]

/** Addresses of one server each, in the order in which they are tried. */
export interface HostList {
  readonly addresses: readonly string[]
  readonly kind: HostKind
}

const KIND = 'target_session_attrs'

/**
 * The hosts of an address in the form of libpq: `postgres://user@a:5432,b:5432/db`, or
 * `?host=a,b&port=5432,5433`. Null for one host of any kind, which needs no choice. Throws
 * `argumentInvalid` for an unknown `target_session_attrs`.
 */
export function hostsOf(connectionString: string): HostList | null {
  const [, scheme, authority = '', path = '', query = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?]*)([^?]*)\??(.*)$/s.exec(connectionString) ?? []
  if (scheme === undefined) return null
  const parameters = new URLSearchParams(query)
  const kind = kindOf(parameters.get(KIND))
  const [sockets, ports] = [listOf(parameters.get('host')), listOf(parameters.get('port'))]
  const user = authority.slice(0, authority.lastIndexOf('@') + 1)
  const hosts = authority.slice(user.length).split(',')
  const isNamed = hosts.length > 1 || sockets.length < 2
  const count = isNamed ? hosts.length : sockets.length
  if (count === 1 && kind === 'any') return null
  parameters.delete(KIND)
  const addresses = Array.from({ length: count }, (_, at) => {
    if (!isNamed) parameters.set('host', sockets[at]!)
    // One port is that of all hosts.
    const port = ports.length > 1 ? ports[at] : ports[0]
    if (port !== undefined) parameters.set('port', port)
    return `${scheme}${user}${isNamed ? hosts[at] : ''}${path}?${parameters}`
  })
  return { addresses, kind }
}

const listOf = (value: string | null): readonly string[] => value?.split(',') ?? []

function kindOf(given: string | null): HostKind {
  const kind = KINDS.find((each) => each === (given ?? 'any'))
  if (kind !== undefined) return kind
  throw refused(`The parameter ${KIND} of connectionString`, `one of ${KINDS.join(', ')}`, given!)
}

/** By what a server tells of itself. */
type Accepts = (isStandby: boolean, isReadOnly: boolean) => boolean
const ACCEPTS: { readonly [K in HostKind]: Accepts } = {
  any: () => true,
  'read-write': (_, isReadOnly) => !isReadOnly,
  'read-only': (_, isReadOnly) => isReadOnly,
  primary: (isStandby) => !isStandby,
  standby: (isStandby) => isStandby,
}

/** How long a host may take to say what it is, while statements of another one wait. */
const PROBE_MILLISECONDS = 1000

/**
 * The hosts of one pool. New connections go to the host that was accepted last. If it does not
 * answer, or is no longer of the wanted kind, the next one in the list is tried. While statements
 * wait, other hosts are asked again and again: see `HostWatch`.
 */
export class Hosts {
  readonly #list: HostList
  /** How many connections failed in a row at the host of the moment: the host is chosen by it. */
  #turn = 0
  #accepted: string | null = null
  /** Connections, and attempts to connect. */
  readonly #open = new Set<{ readonly address: string; drop(): void }>()
  readonly #watch = new HostWatch(() => this.#look(), hostAfter)
  /** What the pool gives to each connection. */
  #config: pg.ClientConfig = {}

  constructor(list: HostList) {
    this.#list = list
  }

  /** The result of work that waits for the server. Its connection breaks if another takes over. */
  during<R>(work: Promise<R>): Promise<R> {
    return this.#watch.during(work)
  }

  close(): void {
    this.#watch.close()
  }

  /** The class of the connections: each chooses a host when it is created. */
  get Client(): typeof pg.Client {
    const hosts = this
    return class HostClient extends pg.Client {
      readonly #address: string

      constructor(config: pg.ClientConfig) {
        const address = hosts.#current
        super({ ...config, connectionString: address })
        hosts.#config = config
        this.#address = address
        // It can fail while it asks the server for its kind: the pool does not listen yet.
        this.on('error', ignore)
      }

      override connect(): Promise<pg.Client>
      override connect(callback: Connected): void
      override connect(callback?: Connected): Promise<pg.Client> | undefined {
        const connected = this.#connect()
        if (callback === undefined) return connected
        const done = callback as (error: Error | null, client?: pg.Client) => void
        connected.then((client) => done(null, client), done)
        return undefined
      }

      async #connect(): Promise<pg.Client> {
        const entry = { address: this.#address, drop: () => dropClient(this) }
        hosts.#open.add(entry)
        this.once('end', () => hosts.#open.delete(entry))
        try {
          await super.connect()
          await hosts.#check(this)
        } catch (error) {
          hosts.#open.delete(entry)
          hosts.#failed(this.#address)
          await this.end().catch(() => {})
          throw error
        }
        hosts.#accept(this.#address)
        return this
      }
    }
  }

  /** A connection of the pool: tries each host at most once. Rejects with the last failure. */
  async connect(pool: pg.Pool): Promise<pg.PoolClient> {
    for (let tried = 1; ; tried++) {
      const turn = this.#turn
      try {
        return await pool.connect()
      } catch (error) {
        // No other host was chosen if all connections of the pool were busy.
        if (turn === this.#turn || tried >= this.#list.addresses.length) throw error
      }
    }
  }

  get #current(): string {
    const { addresses } = this.#list
    return addresses[this.#turn % addresses.length]!
  }

  /** Rejects if a server is not of the wanted kind. One round trip. */
  async #check(client: pg.Client): Promise<void> {
    const { rows } = await client.query({
      text: `SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'`,
      rowMode: 'array',
    })
    const [isStandby, isReadOnly] = rows[0] as [boolean, boolean]
    const { kind } = this.#list
    if (!ACCEPTS[kind](isStandby, isReadOnly))
      throw new Error(`The server is not of the kind ${kind}.`)
  }

  /**
   * Chooses another host of the wanted kind if the one of the moment does not answer. Its
   * connections are broken off: their statements would wait for their limit of time.
   */
  async #look(): Promise<void> {
    const current = this.#current
    const { addresses } = this.#list
    const others = addresses.filter((address) => address !== current)
    const found = await Promise.any(others.map((address) => this.#probe(address))).catch(() => null)
    if (found === null) return
    const isAlive = await this.#probe(current).then(
      () => true,
      () => false,
    )
    // A new connection may have chosen a host meanwhile.
    if (isAlive || current !== this.#current) return
    const from = this.#turn % addresses.length
    this.#turn += (addresses.indexOf(found) - from + addresses.length) % addresses.length
    this.#accept(found)
    for (const each of [...this.#open]) if (each.address === current) each.drop()
  }

  /** The address, if its server answers soon and is of the wanted kind. Rejects otherwise. */
  async #probe(address: string): Promise<string> {
    const client = new pg.Client({
      ...this.#config,
      connectionString: address,
      connectionTimeoutMillis: PROBE_MILLISECONDS,
      query_timeout: PROBE_MILLISECONDS,
    })
    client.on('error', ignore)
    try {
      await client.connect()
      await this.#check(client)
      return address
    } finally {
      void client.end().catch(ignore)
    }
  }

  /** Of several connections that fail at one host at the same time, one chooses the next host. */
  #failed(address: string): void {
    if (address === this.#current) this.#turn++
  }

  /**
   * Where there is one primary, the one before is no longer it. Its connections are broken off, so
   * that no request waits for a machine that is gone.
   */
  #accept(address: string): void {
    const isMoved = this.#accepted !== null && this.#accepted !== address
    this.#accepted = address
    const { kind } = this.#list
    if (!isMoved || (kind !== 'read-write' && kind !== 'primary')) return
    for (const each of [...this.#open]) if (each.address !== address) each.drop()
  }
}

function dropClient(client: pg.Client): void {
  ;(client as unknown as WithStream).connection.stream.destroy()
}

function ignore(): void {}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void)

/** The part of a connection of `pg` that its types leave out. */
interface WithStream {
  readonly connection: { readonly stream: { destroy(): void } }
}
