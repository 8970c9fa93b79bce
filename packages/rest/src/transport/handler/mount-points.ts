import type { RenderOptions } from '../../render/entity.ts'
import type { OpenApiInfo } from '../../render/openapi/document.ts'
import type { OpenApiPlain } from '../../render/openapi/plain-site.ts'
import type { OptionalService } from '../../request/address.ts'
import { KnownParameters } from '../../request/known-parameters.ts'
import type { Limits } from '../../request/limits.ts'
import type { RequestOptions } from '../../request/request.ts'
import { type SessionCookie, sessionCookie } from '../session/session-cookie.ts'
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
  readonly #parameters: KnownParameters
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
    this.#parameters = new KnownParameters(limits)
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
      known: new WeakMap(),
    }
    const page = { basePath: asciiPath(path), dateOnlyFormat, layouts: new WeakMap(), openApi }
    const parsing = {
      basePath: path,
      limits: this.#limits,
      parameters: this.#parameters,
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
}: Pick<RestOptions, 'openapi' | 'metrics' | 'health'>): ReadonlySet<OptionalService> {
  const services = new Set<OptionalService>()
  if (openapi !== undefined && openapi !== false) services.add('openapi')
  if (typeof metrics === 'function') services.add('metrics')
  if (health === true) services.add('health')
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
