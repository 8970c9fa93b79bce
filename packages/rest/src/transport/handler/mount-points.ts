import type { RenderOptions } from '../../render/entity.ts'
import type { OpenApiInfo } from '../../render/openapi/document.ts'
import type { OpenApiPlain } from '../../render/openapi/plain-parameters.ts'
import { addressReader, type OptionalService } from '../../request/address.ts'
import type { Limits } from '../../request/limits.ts'
import { parameterReader } from '../../request/parameters.ts'
import type { RequestOptions } from '../../request/request.ts'
import { type SessionCookie, sessionCookie } from '../session/cookie-session.ts'
import type { RestOptions } from './rest-options.ts'

/** One base path with the objects that are created once per path. */
export interface MountPoint {
  readonly page: RenderOptions
  readonly cookie: SessionCookie
  readonly parsing: RequestOptions
}

/** Plain REST as a handler serves it. */
type ServedPlain = Pick<OpenApiPlain, 'basePath' | 'resources' | 'othersOf'> & {
  /** The path of session cookies, which is valid for both interfaces. */
  readonly cookieBase: string
}

/** The most base paths that are cached. */
const MAX_MOUNT_POINTS = 16

/**
 * The mount points of a handler, by the prefixes that hosts put before its base path. Created when
 * first needed; afterwards one lookup. `cookieBase` is the path of session cookies.
 */
export function mountPointsOf(
  options: RestOptions<unknown, object>,
  limits: Limits,
  storeName: string,
  plain: ServedPlain | null,
  cookieBase = plain?.cookieBase ?? normalizeBasePath(options.basePath),
): (mountPath: string) => MountPoint {
  const { dateOnlyFormat = '!!yyyy-mm-dd!!', users, identify, openapi } = options
  const basePath = normalizeBasePath(options.basePath)
  const services = servicesOf(options)
  const read = parameterReader(limits)
  const known = new Map<string, MountPoint>()

  const mountPointAt = (path: string, mountPath: string): MountPoint => {
    const cookie = sessionCookie(storeName, mountPath + cookieBase)
    const openApi = {
      info: openApiInfo(openapi),
      plain: plain && {
        mountPath: asciiPath(mountPath),
        entityPath: asciiPath(basePath),
        basePath: asciiPath(plain.basePath),
        resources: plain.resources,
        othersOf: plain.othersOf,
      },
      hasUsers: users !== undefined,
      // Users whom the application identifies have no cookie.
      cookie: identify === undefined ? cookie.name : null,
      services,
      known: new WeakMap(),
    }
    const page = { basePath: asciiPath(path), dateOnlyFormat, layouts: new WeakMap(), openApi }
    const addressOf = addressReader(path, services)
    return { page, cookie, parsing: { basePath: path, limits, read, addressOf, services } }
  }

  return (mountPath) => {
    const path = mountPath === '' ? basePath : mountPath + basePath
    let mountPoint = known.get(path)
    if (mountPoint === undefined) {
      mountPoint = mountPointAt(path, mountPath)
      // A prefix may contain a parameter, so their number is unbounded.
      if (known.size >= MAX_MOUNT_POINTS) known.clear()
      known.set(path, mountPoint)
    }
    return mountPoint
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
export function normalizeBasePath(path = '/rest'): string {
  const inner = path.replace(/^\/+|\/+$/g, '')
  return inner === '' ? '' : `/${inner}`
}

/** Percent-encodes a path that may start with a prefix from the client. */
function asciiPath(path: string): string {
  return path
    .toWellFormed()
    .replace(/%(?![\da-f]{2})|[^\w\-.~/!$&'()*+,;=:@%]+/gi, encodeURIComponent)
}
