import type { SessionUser, TextForm } from '@entia/core'
import {
  type Access,
  type Awaitable,
  afterStoring,
  andThen,
  type Caller,
  concluding,
  type Engine,
  isPromise,
  Names,
  type NextSlice,
  type Projection,
  refuseGone,
  visibilityOf,
} from '@entia/engine'
import { answerPlain } from '../../endpoints/answer-plain.ts'
import { type Answer, failuresIn, storedBy } from '../../endpoints/context/answer.ts'
import type { HandleContext, HandlerRules } from '../../endpoints/context/context.ts'
import { handle } from '../../endpoints/handle.ts'
import { type Authorize, resolveAccess } from '../../endpoints/permission/authorize.ts'
import { refuseEarly, refuseGuest } from '../../endpoints/permission/privileges.ts'
import { knownTextForm } from '../../render/entity.ts'
import { matchesAny, notModified } from '../../render/etag.ts'
import { renderPlain, renderPlainError } from '../../render/plain.ts'
import { renderAnswer, renderError, type WholeAnswer } from '../../render/render.ts'
import { isLarge, renderSliced, type Slicing } from '../../render/render-sliced.ts'
import { type Reply, type RestResponse, serialize } from '../../render/serialize.ts'
import { BAD_REQUEST, publicError } from '../../render/status.ts'
import type { RawBody } from '../../request/body.ts'
import type { Limits } from '../../request/limits.ts'
import { type PlainHead, parsePlainHead, refusePlain } from '../../request/plain-head.ts'
import {
  completeRequest,
  conditionsOf,
  parseHead,
  type RequestHead,
} from '../../request/request.ts'
import { type AnswerHold, PIECE } from '../body/answer-budget.ts'
import { NO_BODY, readRequestBody } from '../body/body-reader.ts'
import {
  admitted,
  corsHeaders,
  refuseCrossSite,
  refuseForeignHost,
} from '../input/request-origin.ts'
import {
  type HeaderLookup,
  isAborted,
  lookupOf,
  type RestInput,
  refuseAborted,
} from '../input/rest-input.ts'
import { CookieSession } from '../session/cookie-session.ts'
import { IdentifiedSession, identified, loginOrigin } from '../session/identity.ts'
import type { HandlerState, MountPoint } from './catalogs.ts'
import { abandon, completed, handedOver, maxCharacters, memoryOf } from './fetch.ts'
import { originOf, type PlainService } from './plain-service.ts'

/**
 * One request of a handler, from its address to its answer. One object in place of a closure per
 * step: most requests await nothing, and garbage costs as much as the work.
 */
export class RequestRun implements HandleContext {
  readonly header: HeaderLookup
  readonly session: CookieSession | IdentifiedSession
  readonly #state: HandlerState
  readonly #input: RestInput
  readonly #mountPoint: MountPoint
  /** Null for a request of the entity interface. */
  readonly #plain: PlainService | null
  readonly engine: Engine
  readonly nextSlice: NextSlice
  readonly limits: Limits
  readonly rules: HandlerRules
  /** Set before the request is handled. */
  caller!: Caller
  readonly #began: number
  #mayHaveChanged = false
  /** Of a long answer; null for others. */
  #hold: AnswerHold | null = null

  constructor(state: HandlerState, input: RestInput, plain: PlainService | null = null) {
    this.#state = state
    this.#input = input
    this.#plain = plain
    this.#began = state.host.monotonic()
    this.engine = state.engine
    this.nextSlice = state.host.nextSlice
    this.limits = plain === null ? state.limits : plain.limits
    this.rules = state.rules
    this.header = lookupOf(input)
    this.#mountPoint = state.mountPoints.of(input.mountPath ?? '')
    this.session = sessionOf(state, this.#mountPoint, this.header, input)
  }

  /** Executes the request. Failures become answers: this neither throws nor rejects. */
  answer(): Awaitable<RestResponse> {
    try {
      const { allowedHosts, admit } = this.#state.options
      if (allowedHosts !== undefined) refuseForeignHost(this.header, allowedHosts)
      const response =
        admit === undefined ? this.#enter() : admitted(admit, this.#input, () => this.#enter())
      if (!isPromise(response)) return this.#complete(response)
      return response.then(
        (response) => this.#complete(response),
        (error) => this.#refuse(error),
      )
    } catch (error) {
      return this.#refuse(error)
    }
  }

  #enter(): Awaitable<RestResponse> {
    const head = this.#parseHead()
    if (head.changesState) refuseCrossSite(this.header, this.#state.allowedOrigins)
    const { session } = this
    const proceed = () => this.#proceed(head)
    if (session instanceof CookieSession) return andThen(session.resume(), proceed)
    // A preflight request of a browser carries no credentials.
    if (head.verb === 'OPTIONS') return proceed()
    return andThen(this.#identified(), (user) => andThen(session.enter(user), proceed))
  }

  /** The user whom the application identifies; null for a guest. */
  #identified(): Awaitable<SessionUser | null> {
    const { options, failures } = this.#state
    const identify: typeof options.identify = (request) => options.identify!(request)
    return identified(identify, this.#input, this.header, failures.notify)
  }

  #proceed(head: RequestHead): Awaitable<RestResponse> {
    const { options, durability, everything } = this.#state
    if (options.forceLogin === true)
      refuseGuest(head, this.session.current, everything, this.#loginBy)
    if (durability === null) return this.#authorize(head)
    return durability.hold(
      () => this.#authorize(head),
      () => this.#mayHaveChanged,
    )
  }

  #parseHead(): RequestHead {
    const { method, url, mountPath = '' } = this.#input
    return this.#plain === null
      ? parseHead(method.toUpperCase(), url, this.#mountPoint.parsing)
      : parsePlainHead(method.toUpperCase(), url, this.#plain.parsingAt(mountPath))
  }

  /** Determines the permissions of the caller, before the body is read. */
  #authorize(head: RequestHead): Awaitable<RestResponse> {
    const { options, everything } = this.#state
    if (options.authorize === undefined) return this.#proceedAs(null, everything, head)
    return this.#access(head, options.authorize).then((access) =>
      this.#proceedAs(access, new Names(everything.catalog, access), head),
    )
  }

  #access(head: RequestHead, authorize: Authorize<unknown, object>): Promise<Access> {
    const { everything: names, failures } = this.#state
    const { current: session } = this.session
    const asking = { session, context: this.#input.context, names, report: failures.notify }
    return resolveAccess((question) => authorize(question), head, asking)
  }

  #proceedAs(access: Access | null, names: Names, head: RequestHead): Awaitable<RestResponse> {
    const caller: Caller = {
      session: this.session.current,
      access,
      names,
      loginBy: this.#loginBy,
      isGone: () => isAborted(this.#input),
      waited: () => this.#state.host.monotonic() - this.#began,
    }
    if (this.#plain !== null) refusePlain(head as PlainHead, caller.names)
    return head.takesBody
      ? this.#readAndDispatch(head, caller)
      : this.#dispatch(head, NO_BODY, caller)
  }

  get #loginBy(): 'directory' | 'host' {
    return this.#state.options.identify === undefined ? 'directory' : 'host'
  }

  /** Reads the body after the caller is known. */
  #readAndDispatch(head: RequestHead, caller: Caller): Awaitable<RestResponse> {
    const { bodies } = this.#state
    if (caller.access !== null) refuseEarly(head, caller)
    const hold = bodies.begin()
    return concluding(
      () =>
        andThen(readRequestBody(this.#input.body, head, this.header, this.limits, hold), (body) =>
          this.#dispatch(head, body, caller),
        ),
      () => hold.end(),
    )
  }

  #dispatch(head: RequestHead, body: RawBody, caller: Caller): Awaitable<RestResponse> {
    // Reads do not check the signal, since the host may have to create it.
    if (head.takesBody || head.changesState) refuseAborted(this.#input)
    this.caller = caller
    const { answers } = this.#state
    // The address of a request with a body does not say what it asks for.
    const isRead = !head.takesBody && !head.changesState
    if (isRead && answers.hasRefused) answers.refuseKnown(this.#address)
    this.#mayHaveChanged = head.changesState
    if (this.#plain !== null) return this.#answerPlain(head as PlainHead, body, this.#plain)
    const request = completeRequest(head, body, conditionsOf(this.header))
    return andThen(handle(request, this), (answer) => this.#conclude(answer, head))
  }

  #answerPlain(head: PlainHead, body: RawBody, plain: PlainService): Awaitable<RestResponse> {
    return andThen(answerPlain(head, body, plain, this), (answer) => {
      const { path, query } = head.plain
      const { othersOf } = plain
      const origin = originOf(this.#input, this.header)
      const { basePath } = this
      const site = { basePath, origin, path, query, othersOf, ...this.#slicing(head) }
      const respond = (): Awaitable<RestResponse> =>
        andThen(renderPlain(answer, site), (reply) => this.#respond(reply, head))
      if (!head.changesState || answer.kind !== 'part') return respond()
      return this.#afterChange(answer.part.answer, respond)
    })
  }

  #conclude(answer: Answer, head: RequestHead): Awaitable<RestResponse> {
    if (answer.kind === 'feed') {
      const visibility = visibilityOf(this.caller)
      return this.#state.replicas.open(answer, this.caller, () =>
        this.#seesTheSame(head, visibility),
      )
    }
    if (answer.kind === 'live') {
      const { session } = this
      const isStillKnown =
        session instanceof IdentifiedSession ? () => this.#isStillKnown(session) : null
      // HEAD must add nothing to a shared stream.
      const live = this.#input.method === 'HEAD' ? { ...answer, sharing: null } : answer
      return this.#state.streams.open(live, this.#mountPoint.page, this.caller, isStillKnown)
    }
    // Without a change, no errors of items have to be reported.
    if (!head.changesState) return this.#render(answer, head)
    return this.#afterChange(answer, () => this.#render(answer, head))
  }

  /** Whether the application still identifies the caller as before. Never rejects. */
  #isStillKnown(session: IdentifiedSession): Promise<boolean> {
    return session.isStill(
      () => this.#identified(),
      (error) => this.#state.failures.report([publicError(error)]),
    )
  }

  /** Whether the caller is still the same and may see the same. Never rejects. */
  async #seesTheSame(head: RequestHead, visibility: string): Promise<boolean> {
    const { session } = this
    try {
      if (session instanceof IdentifiedSession && !(await this.#isStillKnown(session))) return false
      if (this.#state.options.authorize === undefined) return true
      const access = await this.#access(head, this.#state.options.authorize)
      const names = new Names(this.#state.everything.catalog, access)
      return visibilityOf({ access, names }) === visibility
    } catch (error) {
      this.#state.failures.notify(error)
      return false
    }
  }

  /** Reports the errors of items, and responds to a change. */
  #afterChange(answer: Answer, respond: () => Awaitable<RestResponse>): Awaitable<RestResponse> {
    this.#state.failures.report(failuresIn(answer))
    const stored = storedBy(answer)
    return stored.count === 0 ? respond() : afterStoring(stored, respond)
  }

  #render(answer: WholeAnswer, head: RequestHead): Awaitable<RestResponse> {
    const { page } = this.#mountPoint
    if (!isLarge(answer)) return this.#respond(renderAnswer(answer, page), head)
    return renderSliced(answer, page, this.#slicing(head)).then((reply) =>
      this.#respond(reply, head),
    )
  }

  #respond(reply: Reply, head: RequestHead): RestResponse {
    const response = serialize(reply, maxCharacters(head, this.limits))
    if (response.body.length > PIECE) this.#grow(memoryOf(response.body), head)
    const { etag } = reply.headers
    if (etag === undefined || head.verb !== 'GET' || head.changesState) return response
    // The client has this answer already: its ETag identifies each byte.
    return matchesAny(this.header('if-none-match'), etag) ? notModified(response) : response
  }

  /** Reserves the bytes of a long answer. Throws serverBusy, except for answers to changes. */
  #grow(bytes: number, { changesState }: RequestHead): void {
    this.#hold ??= this.#state.answers.begin(this.#address, changesState)
    this.#hold.grow(bytes)
  }

  /** Of what is read: callers who may see the same get answers of the same length. */
  get #address(): string {
    const { method, url } = this.#input
    const seen = this.caller.access === null ? '' : visibilityOf(this.caller)
    return `${method} ${this.basePath} ${url} ${seen}`
  }

  /** Answers to changes are rendered to the end, even if the client has disconnected. */
  #slicing(head: RequestHead): Slicing {
    const { nextSlice } = this
    const orEnd = (): Promise<void> => nextSlice().then(() => refuseGone(this.caller))
    return {
      nextSlice: head.changesState ? nextSlice : orEnd,
      maxCharacters: maxCharacters(head, this.limits),
      grow: (characters) => this.#grow(characters, head),
    }
  }

  #refuse(error: unknown): Awaitable<RestResponse> {
    const render = this.#plain === null ? renderError : renderPlainError
    return this.#complete(this.#state.failures.answer(error, render))
  }

  #complete(response: RestResponse): Awaitable<RestResponse> {
    if (response.status < BAD_REQUEST) return this.#withHeaders(response)
    const abandoned = abandon(this.session, this.#state.failures.notify)
    return andThen(abandoned, () => this.#withHeaders(response))
  }

  /** Adds the headers of the session and of the request's origin. */
  #withHeaders(response: RestResponse): RestResponse {
    const { allowedOrigins } = this.#state
    const cors = corsHeaders(this.header, allowedOrigins, response.headers.allow)
    const whole = completed(response, this.#input.method, this.session.headers, cors)
    return this.#hold === null ? whole : handedOver(whole, this.#hold, this.#input)
  }

  get basePath(): string {
    return this.#mountPoint.page.basePath
  }
  /** Created on demand. */
  get signal(): AbortSignal | null {
    return this.#input.signal ?? null
  }

  textForm(projection: Projection, isArray: boolean): TextForm | null {
    if (this.#plain !== null) return null
    return knownTextForm(this.#mountPoint.page, projection, isArray ? 'plain' : 'read')
  }
  refuseCrossSite(): void {
    refuseCrossSite(this.header, this.#state.allowedOrigins)
  }
}

/** The session of a request: by cookie, or of the user whom the application identifies. */
function sessionOf(
  { engine, options, secureCookies }: HandlerState,
  { cookie }: MountPoint,
  header: HeaderLookup,
  input: RestInput,
): CookieSession | IdentifiedSession {
  const { sessions } = engine
  return options.identify === undefined
    ? new CookieSession(sessions, cookie, header, input, secureCookies)
    : new IdentifiedSession(sessions, loginOrigin(header, input))
}
