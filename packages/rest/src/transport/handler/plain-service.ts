import type { Catalog, Ids } from '@entia/core'
import { refused } from '@entia/core/internal'
import {
  type PlainInterface,
  type PlainRestOptions,
  resourcesOf,
} from '../../endpoints/plain/resources.ts'
import type { Limits } from '../../request/limits.ts'
import { type PlainOptions, type PlainResource, WHOLE_STORE } from '../../request/plain-head.ts'
import { isWithin } from '../input/request-origin.ts'
import type { HeaderLookup, RestInput } from '../input/rest-input.ts'
import { normalizeBasePath } from './mount-points.ts'
import type { RestOptions } from './rest-options.ts'

/** The host's cryptographic source. */
const hostIds: Pick<Ids, 'uuid'> = {
  uuid: () =>
    [...crypto.getRandomValues(new Uint8Array(16))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join(''),
}

/** The plain interface of a handler. */
export class PlainService implements PlainInterface {
  readonly basePath: string
  readonly resources: ReadonlyMap<string, PlainResource>
  readonly ids: Pick<Ids, 'uuid'>
  /** Those of the handler; a list without `_limit` has all entities that one answer may have. */
  readonly limits: Limits
  /** The path of session cookies, which is valid for both interfaces. */
  readonly cookieBase: string
  readonly #others: ReadonlyMap<string, string | null>

  /** Throws argumentInvalid. */
  constructor(options: PlainRestOptions, catalog: Catalog, limits: Limits, entityPath = '/rest') {
    this.basePath = (options.basePath ?? '').replace(/\/+$/, '')
    this.resources = resourcesOf(catalog, options)
    this.ids = options.ids ?? hostIds
    // One more is refused, so that no list is cut silently.
    this.limits = { ...limits, defaultTop: limits.maxEntitiesPerAnswer + 1 }
    refuseOverlap(normalizeBasePath(entityPath), this)
    this.cookieBase = isWithin(this.basePath, entityPath) ? this.basePath : ''
    this.#others = new Map([...this.resources.values()].map((one) => [one.dataClass, one.others]))
  }

  readonly othersOf = (dataClass: string): string | null => this.#others.get(dataClass) ?? null

  parsingAt(mountPath: string): PlainOptions {
    return {
      basePath: mountPath + this.basePath,
      limits: this.limits,
      resources: this.resources,
    }
  }

  /** The first segments of all addresses, percent-encoded. */
  get segments(): readonly string[] {
    return [...this.resources.keys(), WHOLE_STORE].map(encodeURIComponent)
  }
}

/** Throws argumentInvalid if an address would belong to both interfaces. */
function refuseOverlap(entityPath: string, { basePath, segments }: PlainService): void {
  const taken = segments.find((segment) => isWithin(`${basePath}/${segment}`, entityPath))
  if (taken === undefined && !isWithin(entityPath, basePath)) return
  throw refused(
    'The option "plain"',
    'addresses outside the basePath of the entity interface',
    `"${basePath}${taken === undefined ? '' : `/${taken}`}" next to "${entityPath}"`,
  )
}

/** Scheme and host as the client named them, for addresses in headers; '' without a valid host. */
export function originOf({ isSecure }: RestInput, header: HeaderLookup): string {
  const host = header('host') ?? ''
  return /^[\w.:[\]-]+$/.test(host) ? `${isSecure === true ? 'https' : 'http'}://${host}` : ''
}

/**
 * The plain interface that the options ask for; null if it is not served. Throws argumentInvalid.
 */
export function plainServiceOf(
  { plain, basePath }: Pick<RestOptions<unknown, object>, 'plain' | 'basePath'>,
  catalog: Catalog,
  limits: Limits,
): PlainService | null {
  if (plain === undefined || plain === false) return null
  return new PlainService(plain === true ? {} : plain, catalog, limits, basePath)
}
