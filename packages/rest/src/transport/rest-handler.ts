import { type AnyDataStore, EntiaError } from '@entia/core'
import { afterStoring, failuresIn, storedBy } from '../handle/after-storing.ts'
import { createCoreDoor } from '../handle/core-door.ts'
import type { EngineDoor } from '../handle/engine-door.ts'
import { handle } from '../handle/handle.ts'
import { Names } from '../handle/names.ts'
import { notApplicable } from '../handle/not-applicable.ts'
import type { RequestSession } from '../handle/request-session.ts'
import type { DateOnlyFormat } from '../render/date-text.ts'
import { originOf, publicError } from '../render/error-stack.ts'
import { renderAnswer, renderError } from '../render/render.ts'
import { byteLength, type RestResponse, serialize } from '../render/serialize.ts'
import { statusOfError } from '../render/status.ts'
import type { RawBody } from '../request/body.ts'
import { DEFAULT_LIMITS, type Limits } from '../request/limits.ts'
import { completeRequest, parseHead, type RequestHead, takesMedia } from '../request/request.ts'
import { type BodySource, readBody } from './body-reader.ts'
import { checkOptions, checkStore } from './check-options.ts'
import { answerClientError, type ClientErrorHandler } from './client-error.ts'
import { corsHeaders, type HeaderLookup, refuseCrossSite } from './cross-site.ts'
import { type HeaderSource, headerLookup } from './header-lookup.ts'

/** How the interface is served. Every option has a default. */
export interface RestOptions {
  /** What every path begins with; `/rest` by default. Every address that is emitted carries it. */
  readonly basePath?: string
  readonly dateOnlyFormat?: DateOnlyFormat
  readonly limits?: Partial<Limits>
  /** Origins whose pages may change state, for example `https://app.example`. None by default. */
  readonly allowedOrigins?: readonly string[]
  /** Told of every failure that is ours or the application's own; the client learns only that there was one. */
  readonly onError?: (error: unknown) => void
}

/** A request of any host. */
export interface RestInput {
  readonly method: string
  /** Path and parameters; the absolute form is accepted. */
  readonly url: string
  readonly headers?: HeaderSource
  /** Text, bytes, a stream of them, or a JSON value that was parsed already. */
  readonly body?: BodySource
  readonly remoteAddress?: string
  readonly signal?: AbortSignal
}

/** The whole interface, for any host. Requests never reject: what fails is answered. */
export interface RestHandler {
  handle(input: RestInput): Promise<RestResponse>
  fetch(request: Request): Promise<Response>
  /** For `server.on('clientError', …)` of node:http: requests too broken to be handed over get a JSON answer too. */
  readonly onClientError: ClientErrorHandler
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
  const limits: Limits = Object.freeze({ ...DEFAULT_LIMITS, ...given(options.limits) })
  const allowedOrigins = options.allowedOrigins ?? []
  const renderOptions = { basePath, dateOnlyFormat: options.dateOnlyFormat ?? '!!yyyy-mm-dd!!' } as const

  const carryOut = async (input: RestInput, header: HeaderLookup): Promise<RestResponse> => {
    const head = parseHead(input.method.toUpperCase(), input.url, { basePath, limits })
    if (head.changesState) refuseCrossSite(header, allowedOrigins)
    const raw = await readRequestBody(input, head, header, limits)
    const request = completeRequest(head, raw, {
      ifMatch: header('if-match'),
      ifNoneMatch: header('if-none-match'),
    })
    refuseAborted(input.signal)
    const names = new Names(door.catalog(), null)
    const answer = await handle(request, {
      door,
      caller: { session: null, access: null, names },
      session: NO_SESSION,
      limits,
      basePath,
      refuseCrossSite: () => refuseCrossSite(header, allowedOrigins),
      report: reportOne,
    })
    report(...failuresIn(answer))
    return afterStoring(storedBy(answer), () =>
      serialize(renderAnswer(answer, renderOptions), maxCharacters(head, limits)),
    )
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
    const header = headerLookup(input.headers)
    const response = await carryOut(input, header).catch(answerError)
    const headers = { ...response.headers, ...corsHeaders(header, allowedOrigins) }
    if (input.method.toUpperCase() !== 'HEAD') return { status: response.status, headers, body: response.body }
    const length = String(byteLength(response.body))
    return { status: response.status, headers: { ...headers, 'content-length': length }, body: '' }
  }

  return {
    handle: handleInput,
    fetch: (request) => answerFetch(request, handleInput),
    onClientError: answerClientError,
    basePath,
    limits,
  }
}

const noHeader: HeaderLookup = () => null

const NO_SESSION: RequestSession = {
  current: null,
  require: () => {
    throw notApplicable('A session', 'it is not supported by this version')
  },
  login: () => NO_SESSION.require(),
  close: () => undefined,
}

/** Nothing is read of a request that takes no body. */
function readRequestBody(input: RestInput, head: RequestHead, header: HeaderLookup, limits: Limits): Promise<RawBody> {
  const bound = takesMedia(head, header('content-type'))
    ? { maxBytes: limits.maxMediaBytes, option: 'limits.maxMediaBytes' }
    : { maxBytes: limits.maxBodyBytes, option: 'limits.maxBodyBytes' }
  return head.takesBody ? readBody(input.body, header, bound) : readBody(undefined, noHeader, bound)
}

/** What was written must be told, however long the answer. */
function maxCharacters(head: RequestHead, limits: Limits): number {
  return head.changesState ? Number.POSITIVE_INFINITY : limits.maxAnswerCharacters
}

/** A client that has gone before the engine was entered gets nothing done. */
function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new EntiaError('bodyMalformed', { problem: 'the request was aborted' })
}

/** Without what is `undefined`: it must not hide a default. */
function given(limits: Partial<Limits> = {}): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined))
}

function normalizeBasePath(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '')
  return inner === '' ? '' : `/${inner}`
}

async function answerFetch(
  request: Request,
  handleInput: (input: RestInput) => Promise<RestResponse>,
): Promise<Response> {
  const { method, headers, signal } = request
  // A fragment is for the client alone; in a Request it may still be there.
  const url = request.url.split('#', 1)[0]!
  const host = headers.get('host') ?? /^[^:]+:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
  const {
    status,
    headers: answered,
    body,
  } = await handleInput({
    method,
    url,
    headers: { get: (name: string) => (name === 'host' ? host : headers.get(name)) },
    body: request.bodyUsed ? undefined : request.body,
    signal,
  })
  return new Response(method === 'HEAD' ? null : (body as ArrayBuffer | string), { status, headers: { ...answered } })
}
