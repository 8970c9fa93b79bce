import { restError } from '../errors/rest-error.ts'
import { type Address, type DataAddress, type OptionalServices, parseAddress } from './address.ts'
import { mediaTypeOf, type RawBody } from './body.ts'
import { KnownParameters } from './known-parameters.ts'
import type { Limits } from './limits.ts'
import type { Parameters } from './parameters.ts'

/** HEAD asks as GET does. */
export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'

/** What is done with what an address names. What a path part means (attribute or function) only the model can tell. */
export type Action = 'retrieve' | 'update' | 'insert' | 'delete' | 'release'

/** What a request asks for, before the model is known. */
export interface RestRequest<A extends Address = Address> {
  readonly verb: Verb
  readonly action: Action
  readonly address: A
  readonly parameters: Parameters
  readonly body: RawBody
  readonly conditions: Conditions
}

export type DataRequest = RestRequest<DataAddress>

/** The conditional headers as sent; null when absent. */
export interface Conditions {
  readonly ifMatch: string | null
}

/** A request without its body: enough to refuse it before a byte of the body is read. */
export interface RequestHead {
  readonly verb: Verb
  readonly action: Action
  readonly address: Address
  readonly parameters: Parameters
  readonly takesBody: boolean
  /** Sent by a page of another site, it would do harm. Functions called by GET are judged when they are found. */
  readonly changesState: boolean
}

export interface RequestOptions {
  readonly basePath: string
  readonly limits: Limits
  /** Of requests before, under the same limits. */
  readonly parameters?: KnownParameters
  /** Addresses that there are beside the usual ones; none by default. */
  readonly services?: OptionalServices
}

const DATA_VERBS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']

/** The verbs of a resource, for `Allow`. */
export function allowedVerbs(address: Address): readonly string[] {
  switch (address.kind) {
    case 'data':
      return DATA_VERBS
    case 'catalog':
      // One name may be a function of the store.
      return Array.isArray(address.names) && address.names.length === 1
        ? ['GET', 'HEAD', 'POST', 'OPTIONS']
        : ['GET', 'HEAD', 'OPTIONS']
    case 'info':
    case 'openapi':
      return ['GET', 'HEAD', 'OPTIONS']
    case 'metrics':
      // To whom it is not told, it is not there, whatever the verb: the answer says which it takes.
      return DATA_VERBS
    case 'directory':
      return address.command === 'login' || address.command === 'currentUserBelongsTo'
        ? ['POST', 'OPTIONS']
        : ['GET', 'HEAD', 'POST', 'OPTIONS']
    case 'singleton':
      return ['GET', 'HEAD', 'POST', 'OPTIONS']
    case 'upload':
    case 'releaseSets':
      return ['POST', 'OPTIONS']
  }
}

const VERBS: ReadonlyMap<string, Verb> = new Map([
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
 * Takes   `url`: a path with parameters, or the absolute form of a proxy, whose host is not looked at.
 * Throws  what the parts throw, urlTooLong, verbNotAllowed.
 */
export function parseHead(method: string, url: string, options: RequestOptions): RequestHead {
  const { maxUrlCharacters } = options.limits
  if (url.length > maxUrlCharacters)
    throw restError('urlTooLong', { limit: maxUrlCharacters, option: 'limits.maxUrlCharacters' })
  if (!/^[!-~]*$/.test(url) && /\p{Cs}/u.test(url)) throw restError('urlMalformed', { problem: 'it is not Unicode' })
  const target = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const mark = target.indexOf('?')
  const address = parseAddress(mark < 0 ? target : target.slice(0, mark), options.basePath, options.services)
  const allowed = allowedVerbs(address)
  const verb = VERBS.get(method)
  if (verb === undefined || !allowed.includes(method))
    throw restError('verbNotAllowed', {
      verb: method.slice(0, 16),
      allowed,
      remedy: `Use ${allowed.join(', ')}.`,
    })
  // OPTIONS asks about the address alone.
  const query = mark < 0 || verb === 'OPTIONS' ? '' : target.slice(mark + 1)
  const parameters = (options.parameters ?? new KnownParameters(options.limits)).of(query)
  const changes = changesState(verb, address, parameters)
  if (changes && method === 'HEAD')
    throw restError('verbNotAllowed', {
      verb: 'HEAD',
      allowed: verbsThatChange(parameters, allowed),
      remedy: 'It would change something, and HEAD only looks: use GET.',
    })
  return {
    verb,
    action: actionOf(verb, parameters),
    address,
    parameters,
    takesBody: verb !== 'GET' && verb !== 'OPTIONS',
    changesState: changes,
  }
}

/** The only verb of `$lock`. */
export const LOCK_VERBS: readonly string[] = ['GET']
const KEEPING_VERBS: readonly string[] = ['GET', 'POST']

/** Verbs by which a request does what its parameters say, where that changes something. */
function verbsThatChange({ lock, method }: Parameters, allowed: readonly string[]): readonly string[] {
  if (lock !== null) return LOCK_VERBS
  if (method === 'entityset' || method === 'subentityset') return KEEPING_VERBS
  return allowed.filter((verb) => verb !== 'HEAD' && (method === null || verb !== 'OPTIONS'))
}

/** The verb's action, which `$method` overrides; a GET never writes. */
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
      return verb === 'DELETE' ? 'delete' : verb === 'GET' || verb === 'OPTIONS' ? 'retrieve' : 'update'
  }
}

function refuseVerb(verb: Verb, method: string, allowed: readonly string[], refused: readonly Verb[]): undefined {
  if (!refused.includes(verb) || (verb === 'PUT' && method === 'delete')) return undefined
  throw restError('verbNotAllowed', {
    verb,
    allowed,
    remedy: `$method=${method} is for ${allowed.join(' and ')}.`,
  })
}

/** Every request with a body, and the few GETs that the protocol lets change something. */
function changesState(verb: Verb, address: Address, parameters: Parameters): boolean {
  if (verb === 'OPTIONS') return false
  if (verb !== 'GET') return true
  if (address.kind === 'directory') return address.command === 'logout'
  const { method, lock, savedFilter } = parameters
  return method !== null || lock !== null || savedFilter !== null
}

/** Joins head and body. */
export function completeRequest(head: RequestHead, body: RawBody, conditions: Conditions): RestRequest {
  const { verb, action, address, parameters } = head
  return { verb, action, address, parameters, body, conditions }
}

/**
 * True when the body is an image or BLOB rather than JSON: `$upload`, `$rawPict`, `$binary`, or an attribute's address
 * with a media type.
 */
export function takesMedia({ verb, address, parameters }: RequestHead, contentType: string | null): boolean {
  if (verb !== 'POST' && verb !== 'PUT') return false
  if (address.kind === 'upload') return true
  if (address.kind !== 'data' || address.selector === null || address.parts.length !== 1) return false
  if (parameters.method === 'delete') return false
  if (parameters.rawPict !== null || parameters.binary) return true
  return isMediaType(mediaTypeOf(contentType ?? ''))
}

/** True for the content types of images and BLOBs: all that are neither text nor JSON nor a form. */
export function isMediaType(mediaType: string): boolean {
  if (/^(image|audio|video|font|model)\//.test(mediaType)) return true
  return mediaType.startsWith('application/') && !/[/+](json|xml|x-www-form-urlencoded)$/.test(mediaType)
}
