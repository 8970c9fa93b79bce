import type { Catalog } from '@entia/core'
import { refused } from '@entia/core/internal'
import type { Caller, Engine, HandlerHost, Names } from '@entia/engine'
import type { HandlerRules } from '../../endpoints/context/context.ts'
import type { RunningRequests } from '../../operator/running-requests.ts'
import type { RenderOptions } from '../../render/entity.ts'
import type { OpenApiInfo } from '../../render/openapi/document.ts'
import type { OpenApiPlain } from '../../render/openapi/plain-parameters.ts'
import { addressReader, type OptionalService } from '../../request/address.ts'
import type { Limits } from '../../request/limits.ts'
import { parameterReader } from '../../request/parameters.ts'
import { decodePercent } from '../../request/percent.ts'
import type { RequestOptions } from '../../request/request.ts'
import type { AnswerBudget } from '../body/answer-budget.ts'
import type { BodyBudget } from '../body/body-budget.ts'
import { lookupOf, type RestInput } from '../input/rest-input.ts'
import type { Durability } from '../live/durability.ts'
import type { LiveStreams } from '../live/live-streams.ts'
import type { ReplicaStreams } from '../live/replica-streams.ts'
import { type SessionCookie, sessionCookie } from '../session/cookie-session.ts'
import type { Failures } from './client-error.ts'
import type { RestOptions } from './rest-options.ts'

/** One base path with the objects that are created once per path. */
export interface MountPoint {
  readonly path: string
  readonly page: RenderOptions
  readonly cookie: SessionCookie
  readonly parsing: RequestOptions
}

/** Plain REST as a handler serves it. */
type ServedPlain = Pick<OpenApiPlain, 'basePath' | 'resources' | 'othersOf'> & {
  /** The path of session cookies, which is valid for both interfaces. */
  readonly cookieBase: string
}

export const DEFAULT_BASE_PATH = '/rest'

/** The most base paths that are cached. */
const MAX_MOUNT_POINTS = 16

/**
 * The base paths that requests have used: hosts may put prefixes before the base path of the
 * options.
 */
export class MountPoints {
  readonly basePath: string
  readonly #options: RestOptions<unknown, object>
  readonly #limits: Limits
  readonly #storeName: string
  readonly #cookieBase: string
  readonly #plain: ServedPlain | null
  readonly #services: ReadonlySet<OptionalService>
  readonly #read: ReturnType<typeof parameterReader>
  readonly #mountPoints = new Map<string, MountPoint>()

  /** `cookieBase`: the path of session cookies, if plain REST and the base path do not set it. */
  constructor(
    options: RestOptions<unknown, object>,
    limits: Limits,
    storeName: string,
    plain: ServedPlain | null,
    cookieBase: string | null = null,
  ) {
    this.basePath = normalizeBasePath(options.basePath ?? DEFAULT_BASE_PATH)
    this.#cookieBase = cookieBase ?? plain?.cookieBase ?? this.basePath
    this.#plain = plain
    this.#options = options
    this.#limits = limits
    this.#storeName = storeName
    this.#services = servicesOf(options)
    this.#read = parameterReader(limits)
  }

  /** Cost: one lookup. */
  of(mountPath: string): MountPoint {
    const path = mountPath === '' ? this.basePath : mountPath + this.basePath
    let mountPoint = this.#mountPoints.get(path)
    if (mountPoint === undefined) {
      mountPoint = this.#make(path, mountPath)
      // A prefix may contain a parameter, so their number is unbounded.
      if (this.#mountPoints.size >= MAX_MOUNT_POINTS) this.#mountPoints.clear()
      this.#mountPoints.set(path, mountPoint)
    }
    return mountPoint
  }

  #make(path: string, mountPath: string): MountPoint {
    const { dateOnlyFormat = '!!yyyy-mm-dd!!', users, identify, openapi } = this.#options
    const cookie = sessionCookie(this.#storeName, mountPath + this.#cookieBase)
    const plain = this.#plain
    const openApi = {
      info: openApiInfo(openapi),
      plain: plain && {
        mountPath: asciiPath(mountPath),
        entityPath: asciiPath(this.basePath),
        basePath: asciiPath(plain.basePath),
        resources: plain.resources,
        othersOf: plain.othersOf,
      },
      hasUsers: users !== undefined,
      // Users whom the application identifies have no cookie.
      cookie: identify === undefined ? cookie.name : null,
      services: this.#services,
      known: new WeakMap(),
    }
    const page = { basePath: asciiPath(path), dateOnlyFormat, layouts: new WeakMap(), openApi }
    const parsing = {
      basePath: path,
      limits: this.#limits,
      read: this.#read,
      addressOf: addressReader(path, this.#services),
      services: this.#services,
    }
    return { path, page, cookie, parsing }
  }
}

const openApiInfo = (openapi: RestOptions['openapi']): OpenApiInfo =>
  typeof openapi === 'object' ? openapi : {}

function servicesOf({
  openapi,
  metrics,
  health,
  replicas,
  operator,
}: RestOptions<unknown, object>): ReadonlySet<OptionalService> {
  const services = new Set<OptionalService>()
  if (openapi !== undefined && openapi !== false) services.add('openapi')
  if (typeof metrics === 'function') services.add('metrics')
  if (health === true) services.add('health')
  if (replicas !== undefined && replicas !== false) services.add('replica')
  if (operator !== undefined) services.add('operator')
  return services
}

/** With a slash at the start and none at the end; '' for the root. */
export function normalizeBasePath(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '')
  return inner === '' ? '' : `/${inner}`
}

/** Percent-encodes a path that may start with a prefix from the client. */
function asciiPath(path: string): string {
  return path
    .toWellFormed()
    .replace(/%(?![\da-f]{2})|[^\w\-.~/!$&'()*+,;=:@%]+/gi, encodeURIComponent)
}

/** State that all requests of a handler share. */
export interface HandlerState {
  readonly engine: Engine
  readonly host: HandlerHost
  readonly options: Pick<
    RestOptions<unknown, object>,
    'admit' | 'allowedHosts' | 'authorize' | 'forceLogin' | 'identify' | 'users'
  >
  readonly mountPoints: MountPoints
  readonly limits: Limits
  readonly rules: HandlerRules
  readonly failures: Failures
  readonly bodies: BodyBudget
  readonly answers: AnswerBudget
  /** Null if answers do not wait for durability. */
  readonly durability: Durability | null
  readonly streams: LiveStreams
  /** Null without the option `operator`. */
  readonly running: RunningRequests | null
  readonly replicas: ReplicaStreams
  /**
   * The names for callers who may know everything exposed; shared with the projections built from
   * them.
   */
  readonly everything: Names
  /** How a caller without a user gets one. */
  readonly loginBy: NonNullable<Caller['loginBy']>
  readonly allowedOrigins: readonly string[]
  readonly secureCookies: boolean | 'auto'
}

/**
 * A request for one of the additional stores, with the address that the store's handler expects.
 */
export interface Routed {
  readonly name: string
  readonly url: string
}

const NAME = /^[A-Za-z_]\w*$/

/** Throws argumentInvalid for a name that a path cannot contain, or that the first store uses. */
export function checkCatalogNames(
  catalogs: { readonly [name: string]: unknown },
  first: Catalog,
): void {
  for (const name of Object.keys(catalogs)) {
    const isTaken = first.byName.has(name) || first.functions.has(name)
    if (NAME.test(name) && !isTaken) continue
    throw refused(
      `The option "catalogs" of "${name}"`,
      'a name of letters, digits and _ that no dataclass and no function of the first store has',
      isTaken ? 'a name that is taken' : `"${name}"`,
    )
  }
}

/**
 * The additional store that an address is for; null for the first one. The complete interface of a
 * store is below `<base>/<name>`. `<base>/$catalog/<name>` is its catalog: alone, with `$all` or
 * with a list of dataclasses. Other addresses below it are read as below `<base>/<name>`, so that
 * clients need only one form.
 *
 * Takes `base`: the path of the first store; `catalogs`: by name.
 */
export function routeOf(
  { method, url }: RestInput,
  base: string,
  catalogs: ReadonlyMap<string, Catalog>,
): Routed | null {
  const target = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  if (!target.startsWith(`${base}/`)) return null
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = mark < 0 ? '' : target.slice(mark)
  const [, first = '', second = ''] =
    /^\/+([^/]*)(?:\/+([^/]*))?/.exec(path.slice(base.length)) ?? []
  const named = nameOf(first)
  if (catalogs.has(named)) {
    const below = path.slice(path.indexOf(first, base.length) + first.length)
    return { name: named, url: withQuestionMark(`${base}/${named}${below}`, query) }
  }
  const name = nameOf(second)
  const catalog = catalogs.get(name)
  if (catalog === undefined || named !== '$catalog') return null
  const inner = path.slice(path.indexOf(second, base.length + 1 + first.length) + second.length)
  const below = isCatalogRequest(method, inner, query, catalog) ? '/$catalog' : ''
  return { name, url: withQuestionMark(`${base}/${name}${below}${inner}`, query) }
}

/** A decoded segment. A malformed one is returned as it is, for the handler to refuse. */
function nameOf(segment: string): string {
  try {
    return decodePercent(segment)
  } catch {
    return segment
  }
}

/** True if the catalog is requested, or a function of the store is called. */
function isCatalogRequest(
  method: string,
  inner: string,
  query: string,
  { byName, functions }: Catalog,
): boolean {
  const [, called = ''] = /^\/+(\w+)(?:\(|%28)/i.exec(inner) ?? []
  if (functions.has(called) && !byName.has(called)) return true
  const segments = inner.split('/').filter((segment) => segment !== '')
  const [only] = segments
  if (only === undefined) return true
  if (segments.length > 1 || /[([]|%28|%5b/i.test(only)) return false
  if (/^(?:\$|%24)/.test(only)) return /^(?:\$|%24)all$/i.test(only)
  const isReading = method.toUpperCase() === 'GET' || method.toUpperCase() === 'HEAD'
  return !byName.has(only) || (isReading && (query === '' || /^\?(?:\$|%24)metadata=/i.test(query)))
}

/**
 * Clients that detect entity sets by `/rest/<dataclass>/$entityset/<id>` assume that a longer
 * address has parameters already, and append `&`.
 */
function withQuestionMark(path: string, query: string): string {
  return query === '' ? path.replace(/(\/(?:\$|%24)entityset\/[\da-f]{32})&/i, '$1?') : path + query
}

/**
 * The option `openapi` of an additional store: the servers in its document include the store's
 * path, after `basePath` if the servers of the option do not include that.
 */
export function openApiBelow(
  openapi: RestOptions['openapi'],
  basePath: string,
  name: string,
): Pick<RestOptions, 'openapi'> {
  if (typeof openapi !== 'object' || openapi.servers === undefined) return {}
  const servers = openapi.servers.map((server) => ({
    ...server,
    url: `${server.url.replace(/\/$/, '')}${basePath}/${name}`,
  }))
  return { openapi: { ...openapi, servers } }
}

/** A request with another address. Getters compute each member only if it is read. */
export class RoutedInput implements RestInput {
  readonly url: string
  readonly #input: RestInput

  constructor(input: RestInput, url: string) {
    this.url = url
    this.#input = input
  }

  get method(): string {
    return this.#input.method
  }
  get mountPath(): string {
    return this.#input.mountPath ?? ''
  }
  get headers(): RestInput['headers'] & object {
    return this.#input.headers ?? {}
  }
  get body(): RestInput['body'] {
    return this.#input.body
  }
  get remoteAddress(): string {
    return this.#input.remoteAddress ?? ''
  }
  get context(): unknown {
    return this.#input.context
  }
  get isSecure(): boolean {
    return this.#input.isSecure === true
  }
  get signal(): AbortSignal {
    return this.#input.signal ?? new AbortController().signal
  }
  get reportsSending(): boolean {
    return this.#input.reportsSending === true
  }
  get isAborted(): boolean {
    return this.#input.isAborted ?? this.#input.signal?.aborted === true
  }
  header(name: string): string | null {
    return lookupOf(this.#input)(name)
  }
}
