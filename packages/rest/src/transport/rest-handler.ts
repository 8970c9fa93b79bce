import { type AnyDataStore, EntiaError, isEntiaError, type Session } from '@entia/core'
import { createCoreDoor } from '../core-door/create-core-door.ts'
import { afterStoring } from '../door/after-storing.ts'
import type { Caller } from '../door/caller.ts'
import type { EngineDoor } from '../door/engine-door.ts'
import { Names } from '../door/names.ts'
import type { EntitySetScope } from '../door/selection-source.ts'
import { type Authorize, resolveAccess } from '../handle/authorize.ts'
import { refuseGuest } from '../handle/guest.ts'
import { handle } from '../handle/handle.ts'
import type { ImageConverter } from '../handle/image-types.ts'
import type { InfoRule } from '../handle/info-rule.ts'
import { failuresIn, storedBy } from '../handle/stored.ts'
import { directoryOf, type ListedUser, type UserDirectory } from '../handle/users.ts'
import type { DateOnlyFormat } from '../render/date-text.ts'
import type { RenderOptions } from '../render/entity.ts'
import { originOf, publicError } from '../render/error-stack.ts'
import { matchesAny, notModified } from '../render/not-modified.ts'
import { type Reply, renderAnswer, renderError } from '../render/render.ts'
import { byteLength, type RestResponse, serialize } from '../render/serialize.ts'
import { BAD_REQUEST, NOT_MODIFIED, statusOfError } from '../render/status.ts'
import type { RawBody } from '../request/body.ts'
import { type Limits, limitsOf } from '../request/limits.ts'
import { completeRequest, parseHead, type RequestHead, type RestRequest, takesMedia } from '../request/request.ts'
import { type Admission, refuseUnadmitted } from './admission.ts'
import { refuseForeignHost } from './allowed-hosts.ts'
import { readBody } from './body-reader.ts'
import { checkOptions, checkStore } from './check-options.ts'
import { type ClientErrorHandler, createClientErrorHandler } from './client-error.ts'
import { CookieSession } from './cookie-session.ts'
import { corsHeaders, type HeaderLookup, refuseCrossSite } from './cross-site.ts'
import { answerFetch } from './fetch.ts'
import { headerLookup } from './header-lookup.ts'
import type { RestInput } from './rest-input.ts'
import { sessionCookie } from './session-cookie.ts'

/** How the interface is served. Every option has a default. */
export interface RestOptions {
  /** What every path begins with; `/rest` by default. Every address that is emitted carries it. */
  readonly basePath?: string
  readonly dateOnlyFormat?: DateOnlyFormat
  readonly limits?: Partial<Limits>
  /** Origins whose pages may change state, for example `https://app.example`. None by default. */
  readonly allowedOrigins?: readonly string[]
  /**
   * Hosts that a request may be for, with a port or for all ports; any by default. Set it on a machine that browsers use
   * too: `['localhost', '127.0.0.1', '[::1]']`.
   */
  readonly allowedHosts?: readonly string[]
  /** Asked before anything of a request is read: a place to limit how many there may be. What is not admitted is 429. */
  readonly admit?: (input: RestInput) => Admission | Promise<Admission>
  /** Who may log in: a directory that checks names and passwords, or, for tests and small tools, a plain list. Nobody by default. */
  readonly users?: UserDirectory | readonly ListedUser[]
  /** What each caller may know, read and change: asked before the engine is entered. Everything exposed by default. */
  readonly authorize?: Authorize
  /** True: whoever has not logged in may read the catalog and log in, and nothing else. */
  readonly forceLogin?: boolean
  /** Whether browsers send the session's cookie over TLS only; `auto`, the default, is as the request that it answers came. */
  readonly secureCookies?: boolean | 'auto'
  /** `scope`: whether everybody who has the id of an entity set may use it (`store`, the default), or only the session that made it. */
  readonly entitySets?: { readonly scope?: EntitySetScope }
  /** Who is shown which entity sets and sessions by `$info`; by default everybody their own. */
  readonly info?: InfoRule
  /** Makes `$imageformat` another type than the stored one; without it that is the empty object. See `@entia/rest/sharp`. */
  readonly imageConverter?: ImageConverter
  /** Told of every failure that is ours or the application's own; the client learns only that there was one. */
  readonly onError?: (error: unknown) => void
}

/** The whole interface, for any host. Requests never reject: what fails is answered. */
export interface RestHandler {
  handle(input: RestInput): Promise<RestResponse>
  fetch(request: Request): Promise<Response>
  /** For `server.on('clientError', …)` of node:http: requests too broken to be handed over get a JSON answer too. */
  readonly onClientError: ClientErrorHandler
  /** For bridges: the answer to a failure outside of `handle`. `onError` is told as for any other. */
  answerError(error: unknown): RestResponse
  readonly basePath: string
  readonly limits: Limits
}

/**
 * Serves a store. Nothing is listened to: hand `handle`, `fetch` or `toNodeHandler` to a host.
 * Throws argumentInvalid for what is no store, and for options that are unknown or of the wrong kind.
 */
export function createRestHandler(store: AnyDataStore, options: RestOptions = {}): RestHandler {
  checkStore(store)
  return createHandlerOf(createCoreDoor(store), options)
}

/** Serves any engine behind the door. */
export function createHandlerOf(door: EngineDoor, options: RestOptions = {}): RestHandler {
  checkOptions(options)
  const basePath = normalizeBasePath(options.basePath ?? '/rest')
  const limits = limitsOf(options.limits)
  const allowedOrigins = options.allowedOrigins ?? []
  const dateOnlyFormat = options.dateOnlyFormat ?? '!!yyyy-mm-dd!!'

  const storeName = door.catalog().name
  const users = options.users === undefined ? null : directoryOf(options.users)
  const secureCookies = options.secureCookies ?? 'auto'

  /** Shared by all who may know everything exposed, and so are what was built of it. */
  const everything = new Names(door.catalog(), null)
  const pages = new Map<string, RenderOptions>()
  const pageOf = (home: string): RenderOptions => {
    let page = pages.get(home)
    if (page === undefined) {
      page = { basePath: home, dateOnlyFormat, layouts: new WeakMap() }
      // A prefix may hold a parameter: there can be any number of them.
      if (pages.size >= MAX_HOMES) pages.clear()
      pages.set(home, page)
    }
    return page
  }

  const homeOf = ({ mountPath = '' }: RestInput): string => mountPath + basePath

  const sessionOf = (input: RestInput, header: HeaderLookup): CookieSession =>
    new CookieSession(door.sessions, {
      cookie: sessionCookie(storeName, homeOf(input)),
      header,
      ipAddress: input.remoteAddress ?? '',
      isSecure: secureCookies === 'auto' ? input.isSecure === true : secureCookies,
    })

  const carryOut = async (input: RestInput, header: HeaderLookup, session: CookieSession): Promise<RestResponse> => {
    refuseForeignHost(header, options.allowedHosts)
    if (options.admit !== undefined) refuseUnadmitted(await options.admit(input))
    const home = homeOf(input)
    const head = parseHead(input.method.toUpperCase(), input.url, { basePath: home, limits })
    if (head.changesState) refuseCrossSite(header, allowedOrigins)
    session.resume()
    if (options.forceLogin === true) refuseGuest(head, session.current, everything)
    const raw = await readRequestBody(input, head, header, limits)
    const request = completeRequest(head, raw, {
      ifMatch: header('if-match'),
      ifNoneMatch: header('if-none-match'),
    })
    const caller = await callerOf(request, session.current)
    // A host may have to make the signal: what only reads can as well be carried out.
    if (head.takesBody || head.changesState) refuseAborted(input.signal)
    const answer = await handle(request, {
      door,
      caller,
      session,
      users,
      infoRule: options.info ?? 'own',
      header,
      limits,
      basePath: home,
      entitySetScope: options.entitySets?.scope ?? 'store',
      imageConverter: options.imageConverter ?? null,
      get signal() {
        return input.signal ?? null
      },
      refuseCrossSite: () => refuseCrossSite(header, allowedOrigins),
      report: reportOne,
    })
    report(...failuresIn(answer))
    return afterStoring(storedBy(answer), () => {
      const reply = renderAnswer(answer, pageOf(home))
      const response = serialize(reply, maxCharacters(head, limits))
      return isHeld(head, header, reply, caller) ? notModified(response) : response
    })
  }

  /** Who asks, with all that they may do: the one thing that is waited for before the engine is entered, beside the body. */
  const callerOf = async (request: RestRequest, current: Session | null): Promise<Caller> => {
    if (options.authorize === undefined) return { session: current, access: null, names: everything }
    const known = { session: current, names: everything, report: reportOne }
    const access = await resolveAccess(options.authorize, request, known)
    return { session: current, access, names: new Names(everything.catalog, access) }
  }

  /** A host that fails at being told is not our matter. */
  const reportOne = (error: unknown): void => {
    try {
      options.onError?.(error)
    } catch {}
  }

  /** Tells the host of what is ours or the application's, each failure once. */
  const report = (...errors: readonly EntiaError[]): void => {
    const failed = errors.filter((error) => statusOfError(error) >= 500)
    for (const origin of new Set(failed.map(originOf))) reportOne(origin)
  }

  const answerError = (error: unknown): RestResponse => {
    const known = publicError(error)
    report(known)
    return serialize(renderError(known), Number.POSITIVE_INFINITY)
  }

  const handleInput = async (input: RestInput): Promise<RestResponse> => {
    const problem = problemOf(input)
    if (problem !== null) return answerError(new EntiaError('requestMalformed', { problem }))
    const header = headerLookup(input.headers)
    const session = sessionOf(input, header)
    const response = await carryOut(input, header, session).catch(answerError)
    if (response.status >= BAD_REQUEST) session.abandon()
    const headers = {
      ...response.headers,
      ...session.headers,
      ...corsHeaders(header, allowedOrigins, response.headers.allow),
    }
    if (input.method.toUpperCase() !== 'HEAD' || response.status === NOT_MODIFIED)
      return { status: response.status, headers, body: response.body }
    const length = String(byteLength(response.body))
    return { status: response.status, headers: { ...headers, 'content-length': length }, body: '' }
  }

  return {
    handle: handleInput,
    fetch: (request) => answerFetch(request, handleInput),
    onClientError: createClientErrorHandler(),
    answerError,
    basePath,
    limits,
  }
}

/** Base paths whose layouts are kept. */
const MAX_HOMES = 16

const NO_BODY: RawBody = { kind: 'text', text: '', contentType: '' }

/** Nothing is read of a request that takes no body. */
async function readRequestBody(
  input: RestInput,
  head: RequestHead,
  header: HeaderLookup,
  limits: Limits,
): Promise<RawBody> {
  if (!head.takesBody) return NO_BODY
  const bound = takesMedia(head, header('content-type'))
    ? { maxBytes: limits.maxMediaBytes, option: 'limits.maxMediaBytes' }
    : { maxBytes: limits.maxBodyBytes, option: 'limits.maxBodyBytes' }
  return readBody(input.body, header, bound)
}

/** What was written must be told, however long the answer; a set that was kept may also be read again. */
function maxCharacters(head: RequestHead, limits: Limits): number {
  return head.changesState && head.action !== 'retrieve' ? Number.POSITIVE_INFINITY : limits.maxAnswerCharacters
}

/**
 * True when a reader has this very answer already. `If-Modified-Since`, which browsers send along, only speaks against
 * it: a store that was made anew begins its stamps again.
 */
function isHeld(
  head: RequestHead,
  header: HeaderLookup,
  { headers, body, isDatedByEtag = true }: Reply,
  { access }: Caller,
): boolean {
  // What is shown of one entity changes with the caller, by a login for example; the content of an image does not.
  if (access !== null && typeof body === 'string') return false
  if (head.verb !== 'GET' || head.changesState || headers.etag === undefined || !isDatedByEtag) return false
  const since = header('if-modified-since')
  if (since !== null && headers['last-modified'] !== undefined && since !== headers['last-modified']) return false
  return matchesAny(header('if-none-match'), headers.etag)
}

/** What a host of one's own gets wrong, in words; null for a request. */
function problemOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return 'it is no object of method, url, headers and body'
  const { method, url, headers } = input as { [name in keyof RestInput]?: unknown }
  if (typeof method !== 'string' || method === '') return 'it has no method'
  if (typeof url !== 'string') return 'it has no url'
  return headers === undefined || (typeof headers === 'object' && headers !== null) ? null : 'its headers are no object'
}

/** A client that has gone before the engine was entered gets nothing done. */
function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return
  if (isEntiaError(signal.reason)) throw signal.reason
  throw new EntiaError('bodyMalformed', { problem: 'the request was aborted' })
}

function normalizeBasePath(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '')
  return inner === '' ? '' : `/${inner}`
}
