import { EntiaError } from '@entia/core'
import { type Address, type DataAddress, parseAddress } from './address.ts'
import { type Body, parseBody, type RawBody } from './body.ts'
import type { Limits } from './limits.ts'
import { type Parameters, parseParameters } from './parameters.ts'

/** What a request asks for, before the model is known. */
export type RestRequest =
  | { readonly kind: 'options'; readonly address: Address }
  | { readonly kind: 'catalog'; readonly names: readonly string[] | 'all' | null }
  | { readonly kind: 'read'; readonly address: DataAddress; readonly parameters: Parameters }
  | {
      readonly kind: 'write'
      readonly address: DataAddress
      readonly parameters: Parameters
      readonly mode: 'update' | 'insert'
      readonly body: Body
      readonly ifMatch: string | null
    }
  | {
      readonly kind: 'delete'
      readonly address: DataAddress
      readonly parameters: Parameters
      readonly body: Body
      readonly ifMatch: string | null
    }

/** A request without its body: enough to refuse it before a byte of the body is read. */
export interface RequestHead {
  readonly action: 'options' | 'catalog' | 'read' | 'write' | 'delete'
  readonly address: Address
  readonly parameters: Parameters
  readonly takesBody: boolean
  /** Sent by a page of another site, it would do harm. */
  readonly changesState: boolean
}

export interface RequestOptions {
  readonly basePath: string
  readonly limits: Limits
}

/** The verbs of a resource, for `Allow`. */
export function allowedVerbs(address: Address): readonly string[] {
  return address.kind === 'catalog' ? ['GET', 'HEAD', 'OPTIONS'] : ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']
}

/**
 * Reads verb and address.
 *
 * Takes   `url`: a path with parameters, or the absolute form of a proxy, whose host is not looked at.
 * Throws  what the parts throw, urlTooLong, verbNotAllowed.
 */
export function parseHead(verb: string, url: string, options: RequestOptions): RequestHead {
  const { maxUrlCharacters } = options.limits
  if (url.length > maxUrlCharacters)
    throw new EntiaError('urlTooLong', { limit: maxUrlCharacters, option: 'limits.maxUrlCharacters' })
  if (/\p{Cs}/u.test(url)) throw new EntiaError('urlMalformed', { problem: 'it is not Unicode' })
  const target = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const mark = target.indexOf('?')
  const address = parseAddress(mark < 0 ? target : target.slice(0, mark), options.basePath)
  const allowed = allowedVerbs(address)
  if (!allowed.includes(verb))
    throw new EntiaError('verbNotAllowed', { verb: verb.slice(0, 16), allowed, remedy: `Use ${allowed.join(', ')}.` })
  if (address.kind === 'reserved')
    throw new EntiaError('methodNotApplicable', { what: address.name, problem: 'it is not supported by this version' })
  if (verb === 'OPTIONS') return headOf('options', address, parseParameters('', options.limits))
  const parameters = parseParameters(mark < 0 ? '' : target.slice(mark + 1), options.limits)
  return headOf(address.kind === 'catalog' ? 'catalog' : actionOf(verb, parameters), address, parameters)
}

function headOf(action: RequestHead['action'], address: Address, parameters: Parameters): RequestHead {
  const changesState = action === 'write' || action === 'delete'
  return { action, address, parameters, takesBody: changesState, changesState }
}

/** The verb's action, which `$method` overrides; a GET never writes. */
function actionOf(verb: string, { method }: Parameters): 'read' | 'write' | 'delete' {
  if (method === 'entityset' || method === 'subentityset' || method === 'release')
    throw new EntiaError('methodNotApplicable', {
      what: `$method=${method}`,
      problem: 'it is not supported by this version',
    })
  if (verb === 'GET' || verb === 'HEAD') {
    if (method === null) return 'read'
    const allowed = method === 'delete' ? ['POST', 'DELETE'] : ['POST', 'PUT']
    throw new EntiaError('verbNotAllowed', {
      verb,
      allowed,
      remedy: `$method=${method} changes state: use ${allowed.join(' or ')}.`,
    })
  }
  if (verb === 'DELETE') {
    if (method === null || method === 'delete') return 'delete'
    throw new EntiaError('verbNotAllowed', {
      verb,
      allowed: ['POST', 'PUT'],
      remedy: `$method=${method} is no deletion: use POST or PUT.`,
    })
  }
  return method === 'delete' ? 'delete' : 'write'
}

/** Joins head and body. Throws what `parseBody` throws. */
export function completeRequest(head: RequestHead, raw: RawBody, ifMatch: string | null, limits: Limits): RestRequest {
  const { address, parameters } = head
  if (address.kind === 'reserved' || head.action === 'options') return { kind: 'options', address }
  if (address.kind === 'catalog') return { kind: 'catalog', names: address.names }
  switch (head.action) {
    case 'write':
      return {
        kind: 'write',
        address,
        parameters,
        mode: parameters.method === 'insert' ? 'insert' : 'update',
        body: parseBody(raw, limits),
        ifMatch,
      }
    case 'delete':
      return { kind: 'delete', address, parameters, body: parseBody(raw, limits), ifMatch }
    default:
      return { kind: 'read', address, parameters }
  }
}
