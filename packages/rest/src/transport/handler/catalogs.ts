import type { Catalog } from '@entia/core'
import { refused } from '@entia/core/internal'
import { decodePercent } from '../../request/percent.ts'
import type { RestInput } from '../input/rest-input.ts'
import type { RestOptions } from './rest-options.ts'

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

/** The request with the address of its store. Its other members are read from it on demand. */
export const routedInput = (input: RestInput, url: string): RestInput =>
  // Not over the request itself: a proxy must show the values of a frozen object.
  new Proxy({} as RestInput, {
    get(_, name) {
      if (name === 'url') return url
      const value: unknown = Reflect.get(input, name)
      // Its methods may need what only the request itself has.
      return typeof value === 'function' ? value.bind(input) : value
    },
  })
