import { EntiaError, isEntiaError, type Session } from '@entia/core'
import { afterStoring } from '../door/after-storing.ts'
import { type Awaitable, andThen, concluding, isPromise } from '../door/awaitable.ts'
import type { Caller } from '../door/caller.ts'
import type { EngineDoor } from '../door/engine-door.ts'
import { Names } from '../door/names.ts'
import { type NextTurn, refuseGone } from '../door/turns.ts'
import type { Answer } from '../handle/answer.ts'
import { resolveAccess } from '../handle/authorize.ts'
import { refuseGuest } from '../handle/guest.ts'
import { handle } from '../handle/handle.ts'
import { failuresIn, storedBy } from '../handle/stored.ts'
import { refuseUnread } from '../handle/unread.ts'
import { directoryOf } from '../handle/users.ts'
import { originOf, publicError } from '../render/error-stack.ts'
import { notModified } from '../render/not-modified.ts'
import { type Reply, renderAnswer, renderError } from '../render/render.ts'
import { isLarge, renderInTurns } from '../render/render-in-turns.ts'
import { byteLength, type RestResponse, serialize } from '../render/serialize.ts'
import { BAD_REQUEST, NOT_MODIFIED, statusOfError } from '../render/status.ts'
import type { RawBody } from '../request/body.ts'
import { type Limits, limitsOf } from '../request/limits.ts'
import { completeRequest, parseHead, type RequestHead } from '../request/request.ts'
import { isAborted, refuseAborted } from './aborted.ts'
import { refuseUnadmitted } from './admission.ts'
import { refuseForeignHost } from './allowed-hosts.ts'
import { BodyBudget } from './body-budget.ts'
import { openApiBelow, RoutedInput, routeOf } from './catalogs.ts'
import { checkOptions } from './check-options.ts'
import { type ClientErrorHandler, createClientErrorHandler } from './client-error.ts'
import { CookieSession } from './cookie-session.ts'
import { corsHeaders, type HeaderLookup, refuseCrossSite } from './cross-site.ts'
import { Durability } from './durability.ts'
import { answerFetch } from './fetch.ts'
import { HandlerMetrics } from './handler-metrics.ts'
import { lookupOf } from './header-lookup.ts'
import { isHeld } from './held-answer.ts'
import { type Home, Homes } from './homes.ts'
import { LiveStreams, streamed } from './live-streams.ts'
import { NO_BODY, readRequestBody } from './request-body.ts'
import { RequestContext, type Site } from './request-context.ts'
import { problemOf, type RestInput } from './rest-input.ts'
import type { RestOptions } from './rest-options.ts'

/** Carries a request out. The promise never rejects. */
export interface Handle {
  (input: RestInput): Promise<RestResponse>
  /**
   * For bridges: the same without a promise where nothing has to be waited for. It is of this very function, so that nobody passes by
   * one that a host puts around it.
   */
  readonly atOnce?: (input: RestInput) => Awaitable<RestResponse>
}

/** The whole interface, for any host. Requests never reject: what fails is answered. */
export interface RestHandler {
  readonly handle: Handle
  fetch(request: Request): Promise<Response>
  /** For `server.on('clientError', …)` of node:http: requests too broken to be handed over get a JSON answer too. */
  readonly onClientError: ClientErrorHandler
  /** For bridges: the answer to a failure outside of `handle`. `onError` is told as for any other. */
  answerError(error: unknown): RestResponse
  /** Ends every stream of `$live=true`: for a server that is about to close. */
  endStreams(): void
  /** What the store and, with the option `metrics`, the handler count, as text that Prometheus reads. */
  metrics(): Promise<string>
  readonly basePath: string
  readonly limits: Limits
}

/** Serves any engine behind the door. */
export function createHandlerOf(
  door: EngineDoor,
  options: RestOptions = {},
  further: ReadonlyMap<string, EngineDoor> = new Map(),
  shared: Shared | null = null,
): RestHandler {
  checkOptions(options)
  const limits = limitsOf(options.limits)
  const allowedOrigins = options.allowedOrigins ?? []

  const { durable } = options
  const durability = durable === undefined ? null : new Durability(durable, () => door.globalStamp())
  const bodies = shared?.bodies ?? new BodyBudget(limits.maxPendingBodyBytes, () => door.monotonic())
  const isLive = options.live !== undefined && options.live !== false
  const streams = new LiveStreams(door, options.live, durability, (error) => report([publicError(error)]))

  const metrics = new HandlerMetrics(door, options.metrics)
  const homes = new Homes(options, limits, shared?.cookieName ?? door.catalog().name, shared?.cookieBase)
  const catalogs = new Map([...further].map(([name, { catalog }]) => [name, catalog()]))
  const handlers = new Map(
    [...further].map(([name, inner]) => {
      const own = { ...options, ...openApiBelow(options.openapi, name), basePath: `${homes.basePath}/${name}` }
      return [
        name,
        createHandlerOf(inner, own, new Map(), {
          bodies,
          cookieName: `${door.catalog().name}_${name}`,
          cookieBase: homes.basePath,
        }),
      ]
    }),
  )
  const users = options.users === undefined ? null : directoryOf(options.users)
  const secureCookies = options.secureCookies ?? 'auto'

  /** Shared by all who may know everything exposed, and so are what was built of it. */
  const everything = new Names(door.catalog(), null)

  const carryOut = (
    input: RestInput,
    home: Home,
    header: HeaderLookup,
    session: CookieSession,
  ): Awaitable<RestResponse> => {
    refuseForeignHost(header, options.allowedHosts)
    let mayHaveChanged = false
    const enter = (): Awaitable<RestResponse> => {
      const head = parseHead(input.method.toUpperCase(), input.url, home.parsing)
      if (head.changesState) refuseCrossSite(header, allowedOrigins)
      session.resume()
      if (options.forceLogin === true) refuseGuest(head, session.current, everything)
      const answer = (): Awaitable<RestResponse> =>
        andThen(callerOf(head, session.current, input), (caller) =>
          head.takesBody ? readAndAsk(head, caller) : ask(head, NO_BODY, caller),
        )
      return durability === null ? answer() : durability.hold(answer, () => mayHaveChanged)
    }
    /** Nothing of a body is read before it is known who sends it. */
    const readAndAsk = (head: RequestHead, caller: Caller): Awaitable<RestResponse> => {
      refuseUnread(head, caller)
      const hold = bodies.begin()
      return concluding(
        () => andThen(readRequestBody(input, head, header, limits, hold), (body) => ask(head, body, caller)),
        () => hold.end(),
      )
    }
    const ask = (head: RequestHead, body: RawBody, caller: Caller): Awaitable<RestResponse> => {
      const request = completeRequest(head, body, { ifMatch: header('if-match') })
      // A host may have to make the signal: what only reads can as well be carried out.
      if (head.takesBody || head.changesState) refuseAborted(input)
      const context = new RequestContext(site, input, home.page, header, session, caller)
      mayHaveChanged = head.changesState
      return andThen(handle(request, context), (answer) => tell(answer, head, header, home, caller))
    }
    if (options.admit === undefined) return enter()
    return andThen(options.admit(input), (admission) => {
      refuseUnadmitted(admission)
      return enter()
    })
  }

  const tell = (
    answer: Answer,
    head: RequestHead,
    header: HeaderLookup,
    home: Home,
    caller: Caller,
  ): Awaitable<RestResponse> => {
    if (answer.kind === 'live') return streams.open(answer, home.page, caller)
    report(failuresIn(answer))
    return afterStoring(storedBy(answer), () => {
      const longest = maxCharacters(head, limits)
      const reply = isLarge(answer)
        ? renderInTurns(answer, home.page, { turn: turnsOf(head, caller), maxCharacters: longest })
        : renderAnswer(answer, home.page)
      return andThen<Reply, RestResponse>(reply, (reply) => {
        const response = serialize(reply, longest)
        return isHeld(head, header, reply) ? notModified(response) : response
      })
    })
  }

  /** What was changed is told to the end, whether anybody waits for it or not. */
  const turnsOf = ({ changesState }: RequestHead, caller: Caller): NextTurn =>
    changesState ? door.nextTurn : () => door.nextTurn().then(() => refuseGone(caller))

  /** Who asks, with all that they may do: what is waited for before the body is read. */
  const callerOf = (head: RequestHead, current: Session | null, input: RestInput): Awaitable<Caller> => {
    const isGone = (): boolean => isAborted(input)
    if (options.authorize === undefined) return { session: current, access: null, names: everything, isGone }
    const known = { session: current, names: everything, report: reportOne }
    return resolveAccess(options.authorize, head, known).then((access) => ({
      session: current,
      access,
      names: new Names(everything.catalog, access),
      isGone,
    }))
  }

  /** A host that fails at being told is not our matter. */
  const reportOne = (error: unknown): void => {
    try {
      options.onError?.(error)
    } catch {}
  }

  /** Tells the host of what is ours or the application's, each failure once. */
  const report = (errors: readonly EntiaError[]): void => {
    if (errors.length === 0) return
    // Too many requests are not a failure of the host's, and would fill its log.
    const failed = errors.filter((error) => statusOfError(error) >= 500 && !isEntiaError(error, 'serverBusy'))
    for (const origin of new Set(failed.map(originOf))) reportOne(origin)
  }

  const answerError = (error: unknown): RestResponse => {
    const known = publicError(error)
    report([known])
    metrics.refused(known)
    return serialize(renderError(known), Number.POSITIVE_INFINITY)
  }

  const site: Site = {
    door,
    users,
    infoRule: options.info ?? 'own',
    limits,
    entitySetScope: options.entitySets?.scope ?? 'store',
    imageConverter: options.imageConverter ?? null,
    streams: isLive ? streams : null,
    metrics: metrics.served,
    allowedOrigins,
    report: reportOne,
  }

  const handleInput = metrics.counting((input: RestInput): Awaitable<RestResponse> => {
    const problem = problemOf(input)
    if (problem !== null) return answerError(new EntiaError('requestMalformed', { problem }))
    if (catalogs.size > 0) {
      const routed = routeOf(input, (input.mountPath ?? '') + homes.basePath, catalogs)
      const handler = routed === null ? undefined : handlers.get(routed.name)
      if (routed !== null && handler?.handle.atOnce !== undefined)
        return handler.handle.atOnce(new RoutedInput(input, routed.url))
    }
    const header = lookupOf(input)
    const home = homes.of(input.mountPath ?? '')
    const session = new CookieSession(door.sessions, { cookie: home.cookie, header, input, secureCookies })
    const finish = (response: RestResponse): RestResponse => complete(response, input, header, session)
    const refuse = (error: unknown): RestResponse => finish(answerError(error))
    try {
      const response = carryOut(input, home, header, session)
      return isPromise(response) ? response.then(finish, refuse) : finish(response)
    } catch (error) {
      return refuse(error)
    }
  })

  /** An answer with what the session and the sender's origin add to it. */
  const complete = (
    { status, headers: own, body, stream }: RestResponse,
    { method }: RestInput,
    header: HeaderLookup,
    session: CookieSession,
  ): RestResponse => {
    if (status >= BAD_REQUEST) session.abandon()
    const cookie = session.headers
    const cors = corsHeaders(header, allowedOrigins, own.allow)
    const headers = cookie === null && cors === null ? own : { ...own, ...cookie, ...cors }
    if (stream !== undefined) return streamed({ status, headers, body, stream }, method)
    if (method.toUpperCase() !== 'HEAD' || status === NOT_MODIFIED) return { status, headers, body }
    return { status, headers: { ...headers, 'content-length': String(byteLength(body)) }, body: '' }
  }

  return {
    handle: Object.assign(async (input: RestInput) => handleInput(input), { atOnce: handleInput }),
    fetch: (request) => answerFetch(request, handleInput),
    onClientError: createClientErrorHandler(),
    answerError,
    endStreams: () => {
      streams.endAll()
      for (const handler of handlers.values()) handler.endStreams()
    },
    metrics: () => metrics.text(),
    basePath: homes.basePath,
    limits,
  }
}

/** What handlers of one host have in common. */
interface Shared {
  readonly bodies: BodyBudget
  /** What the session's cookie is named by. */
  readonly cookieName: string
  /** The path that the cookie is for. */
  readonly cookieBase: string
}

/** What was written must be told, however long the answer; a set that was kept may also be read again. */
function maxCharacters(head: RequestHead, limits: Limits): number {
  return head.changesState && head.action !== 'retrieve' ? Number.POSITIVE_INFINITY : limits.maxAnswerCharacters
}
