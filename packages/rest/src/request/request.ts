import type { EntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import { type Address, type DataAddress, type OptionalServices, parseAddress } from './address.ts'
import { mediaTypeOf, type RawBody } from './body.ts'
import type { Limits } from './limits.ts'
import { type Parameters, parseParameters } from './parameters.ts'

/** HEAD is treated as GET. */
export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'

/**
 * The action on the addressed resource. Only the model tells whether a path part is an attribute or
 * a function.
 */
export type Action = 'retrieve' | 'update' | 'insert' | 'delete' | 'release'

export type DataRequest = RestRequest<DataAddress>

/** The conditional headers as sent; null when absent. */
export interface Conditions {
  readonly ifMatch: string | null
  readonly ifNoneMatch: string | null
}

export const UNCONDITIONAL: Conditions = { ifMatch: null, ifNoneMatch: null }

export const conditionsOf = (header: (name: string) => string | null): Conditions => ({
  ifMatch: header('if-match'),
  ifNoneMatch: header('if-none-match'),
})

/** A request without its body: enough to refuse it before the body is read. */
export interface RequestHead<A extends Address = Address> {
  readonly verb: Verb
  readonly action: Action
  readonly address: A
  readonly parameters: Parameters
  readonly takesBody: boolean
  /**
   * True if the request must not come from a page of another site. Functions called by GET are
   * checked when they are resolved.
   */
  readonly changesState: boolean
}

/** A typed request, not resolved against the model. */
export interface RestRequest<A extends Address = Address> extends RequestHead<A> {
  readonly body: RawBody
  readonly conditions: Conditions
}

export interface RequestOptions {
  readonly basePath: string
  readonly limits: Limits
  /** A `parameterReader` for the same limits; without it nothing is cached. */
  readonly read?: (query: string) => Parameters
  /** An `addressReader` for the same base path and services; without it nothing is cached. */
  readonly addressOf?: (path: string) => Address
  /** Optional addresses that are enabled; none by default. */
  readonly services?: OptionalServices
}

/** What the kind of an address says about its requests. */
interface AddressKind {
  readonly verbs: readonly string[]
  /** With `forceLogin`, guests may use it. */
  readonly isForGuests?: true
  /** It reveals nothing about entities or the model. */
  readonly isWithoutData?: true
}

const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
const CALLING: readonly string[] = ['GET', 'HEAD', 'POST', 'OPTIONS']
const POSTING: readonly string[] = ['POST', 'OPTIONS']
const ALL: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']

export const KINDS: { readonly [K in Address['kind']]: AddressKind } = {
  data: { verbs: ALL },
  catalog: { verbs: READING },
  info: { verbs: READING },
  singleton: { verbs: CALLING },
  replica: { verbs: POSTING },
  openapi: { verbs: READING, isForGuests: true },
  // Login must work whatever the permission hook answers.
  directory: { verbs: CALLING, isForGuests: true, isWithoutData: true },
  // Proxies have no user.
  health: { verbs: READING, isForGuests: true, isWithoutData: true },
  // For callers who may not use it the address does not exist, whatever the verb. The handler
  // checks the verb for others.
  metrics: { verbs: ALL, isForGuests: true, isWithoutData: true },
  operator: { verbs: ALL, isWithoutData: true },
  upload: { verbs: POSTING, isWithoutData: true },
  releaseSets: { verbs: POSTING, isWithoutData: true },
  liveQuery: { verbs: ['DELETE', 'OPTIONS'], isWithoutData: true },
}

/** The verbs of a resource, for `Allow`. */
export function allowedVerbs(address: Address): readonly string[] {
  const isLogin =
    address.kind === 'directory' &&
    (address.command === 'login' || address.command === 'currentUserBelongsTo')
  if (isLogin) return POSTING
  // A single name may be a function of the store.
  const isCall =
    address.kind === 'catalog' && address.names !== 'all' && address.names?.length === 1
  return isCall ? CALLING : KINDS[address.kind].verbs
}

/** The refusal of a verb; `allowed` are those of the header `Allow`. */
export const verbNotAllowed = (
  verb: string,
  allowed: readonly string[],
  remedy = `Use ${allowed.join(', ')}.`,
): EntiaError => restError('verbNotAllowed', { verb: verb.slice(0, 16), allowed, remedy })

/** The verb of each method. */
export const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['GET', 'GET'],
  ['HEAD', 'GET'],
  ['POST', 'POST'],
  ['PUT', 'PUT'],
  ['DELETE', 'DELETE'],
  ['OPTIONS', 'OPTIONS'],
])

/**
 * Reads verb and address.
 *
 * Takes `url`: a path with parameters, or the absolute form of a proxy, whose host is ignored.
 *
 * Throws the errors of the parts, urlTooLong, verbNotAllowed.
 */
export function parseHead(method: string, url: string, options: RequestOptions): RequestHead {
  const { path, query: sent } = targetOf(url, options.limits)
  const address =
    options.addressOf?.(path) ?? parseAddress(path, options.basePath, options.services)
  const allowed = allowedVerbs(address)
  const verb = VERBS.get(method)
  if (verb === undefined || !allowed.includes(method)) throw verbNotAllowed(method, allowed)
  // OPTIONS ignores parameters.
  const query = verb === 'OPTIONS' ? '' : sent
  const parameters = options.read?.(query) ?? parseParameters(query, options.limits)
  const changes = changesState(verb, address, parameters)
  if (changes && method === 'HEAD')
    throw verbNotAllowed(
      'HEAD',
      verbsThatChange(parameters, allowed),
      'It would change something, and HEAD only looks: use GET.',
    )
  return {
    verb,
    action: actionOf(verb, parameters),
    address,
    parameters,
    takesBody: verb !== 'GET' && verb !== 'OPTIONS',
    changesState: changes,
  }
}

/**
 * The path and the parameters of an address as sent, without the host. Throws urlTooLong,
 * urlMalformed.
 */
export function targetOf(
  url: string,
  { maxUrlCharacters }: Limits,
): { readonly path: string; readonly query: string } {
  if (url.length > maxUrlCharacters)
    throw restError('urlTooLong', { limit: maxUrlCharacters, option: 'limits.maxUrlCharacters' })
  if (!/^[!-~]*$/.test(url) && /\p{Cs}/u.test(url))
    throw restError('urlMalformed', { problem: 'it is not Unicode' })
  const target = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** The only verb of `$lock`. */
export const LOCK_VERBS: readonly string[] = ['GET']
const KEEPING_VERBS: readonly string[] = ['GET', 'POST']

/** The verbs that a request which changes state can use. */
function verbsThatChange(
  { lock, method }: Parameters,
  allowed: readonly string[],
): readonly string[] {
  if (lock !== null) return LOCK_VERBS
  if (method === 'entityset' || method === 'subentityset') return KEEPING_VERBS
  return allowed.filter((verb) => verb !== 'HEAD' && (method === null || verb !== 'OPTIONS'))
}

/** The action of the verb, which `$method` overrides. A GET never writes. */
function actionOf(verb: Verb, { method }: Parameters): Action {
  switch (method) {
    case 'entityset':
    case 'subentityset':
      return refuseVerb(verb, method, KEEPING_VERBS, ['PUT', 'DELETE']) ?? 'retrieve'
    case 'release':
      return 'release'
    case 'delete':
      return refuseVerb(verb, method, ['POST', 'DELETE'], ['GET', 'PUT']) ?? 'delete'
    case 'update':
    case 'insert':
      return refuseVerb(verb, method, ['POST', 'PUT'], ['GET', 'DELETE']) ?? method
    case null:
      return verb === 'DELETE'
        ? 'delete'
        : verb === 'GET' || verb === 'OPTIONS'
          ? 'retrieve'
          : 'update'
  }
}

function refuseVerb(
  verb: Verb,
  method: string,
  allowed: readonly string[],
  refused: readonly Verb[],
): undefined {
  if (!refused.includes(verb) || (verb === 'PUT' && method === 'delete')) return undefined
  throw verbNotAllowed(verb, allowed, `$method=${method} is for ${allowed.join(' and ')}.`)
}

/** True for every request with a body, and the GETs that change state. */
function changesState(verb: Verb, address: Address, parameters: Parameters): boolean {
  if (verb === 'OPTIONS') return false
  if (verb !== 'GET') return true
  if (address.kind === 'directory') return address.command === 'logout'
  const { method, lock, savedFilter } = parameters
  return method !== null || lock !== null || savedFilter !== null
}

/**
 * True if the body is an image or BLOB rather than JSON: for `$upload`, `$rawPict`, `$binary`, or
 * the address of an attribute with a media type.
 */
export function takesMedia(
  { verb, address, parameters }: RequestHead,
  contentType: string | null,
): boolean {
  if (verb !== 'POST' && verb !== 'PUT') return false
  if (address.kind === 'upload') return true
  if (address.kind !== 'data' || address.selector === null || address.parts.length !== 1)
    return false
  if (parameters.method === 'delete') return false
  if (parameters.rawPict !== null || parameters.binary) return true
  return isMediaType(mediaTypeOf(contentType ?? ''))
}

/** True for the content types of images and BLOBs: all except text, JSON, XML and forms. */
function isMediaType(mediaType: string): boolean {
  if (/^(image|audio|video|font|model)\//.test(mediaType)) return true
  return (
    mediaType.startsWith('application/') && !/[/+](json|xml|x-www-form-urlencoded)$/.test(mediaType)
  )
}
