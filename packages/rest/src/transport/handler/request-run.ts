import type { SessionUser, TextForm } from '@entia/core'
import type { BatchCall } from '@entia/core/internal'
import {
  type Access,
  type Awaitable,
  afterStoring,
  andThen,
  type Caller,
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
import { resolveAccess, resolveCalls } from '../../endpoints/permission/authorize.ts'
import { refuseEarly, refuseGuest } from '../../endpoints/permission/privileges.ts'
import type { Authorize } from '../../endpoints/permission/questions.ts'
import type { RunningRequest } from '../../operator/running-requests.ts'
import { knownTextForm } from '../../render/entity.ts'
import { matchesAny, notModified } from '../../render/etag.ts'
import { isLarge, listingOf, type Slicing, textsInSlices } from '../../render/listing.ts'
import { renderPlain, renderPlainError } from '../../render/plain.ts'
import { renderAnswer, renderError, type WholeAnswer } from '../../render/render.ts'
import { type Reply, type RestResponse, serialize } from '../../render/serialize.ts'
import { BAD_REQUEST, publicError } from '../../render/status.ts'
import type { RawBody } from '../../request/body.ts'
import type { Limits } from '../../request/limits.ts'
import {
  type PlainHead,
  parsePlainHead,
  preflightOf,
  refusePlain,
} from '../../request/plain-head.ts'
import { conditionsOf, parseHead, type RequestHead, UNCONDITIONAL } from '../../request/request.ts'
import { type AnswerHold, PIECE } from '../body/answer-budget.ts'
import type { BodyHold } from '../body/body-budget.ts'
import { NO_BODY, readRequestBody } from '../body/body-reader.ts'
import {
  admitted,
  corsHeaders,
  isPreflight,
  refuseCrossSite,
  refuseForeignHost,
} from '../input/request-origin.ts'
import { positionHeader, positionIn } from '../input/request-position.ts'
import {
  type HeaderLookup,
  isAborted,
  lookupOf,
  type RestInput,
  refuseAborted,
} from '../input/rest-input.ts'
import { CookieSession } from '../session/cookie-session.ts'
import { IdentifiedSession, identified, loginOrigin } from '../session/identity.ts'
import { abandon, completed, handedOver, maxCharacters, memoryOf } from './fetch.ts'
import type { HandlerState } from './handler-state.ts'
import type { MountPoint } from './mount-points.ts'
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
  readonly #method: string
  /** Set before anything else is done. */
  #head!: RequestHead
  readonly #began: number
  /** How often the permissions of replicas had changed before the caller was permitted. */
  readonly #permissionChanges: number
  #mayHaveChanged = false
  /** Of a body that is read; null for requests without one. */
  #bodyHold: BodyHold | null = null
  /** Null without the option `operator`. */
  #running: RunningRequest | null = null
  /** Of a long answer; null for others. */
  #hold: AnswerHold | null = null

  constructor(state: HandlerState, input: RestInput, plain: PlainService | null = null) {
    this.#state = state
    this.#input = input
    this.#plain = plain
    this.#began = state.host.monotonic()
    this.#permissionChanges = state.replicas.changes
    this.engine = state.engine
    this.nextSlice = state.host.nextSlice
    this.limits = plain === null ? state.limits : plain.limits
    this.rules = state.rules
    this.header = lookupOf(input)
    this.#mountPoint = state.mountPointAt(input.mountPath ?? '')
    this.#method = input.method.toUpperCase()
    const { sessions } = state.engine
    const { cookie } = this.#mountPoint
    this.session =
      state.options.identify === undefined
        ? new CookieSession(sessions, cookie, this.header, input, state.secureCookies)
        : new IdentifiedSession(sessions, loginOrigin(this.header, input))
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

  /** Reads the address, and finds the session of the caller. */
  #enter(): Awaitable<RestResponse> {
    const { session } = this
    const { url, mountPath = '' } = this.#input
    const head =
      this.#plain === null
        ? parseHead(this.#method, url, this.#mountPoint.parsing)
        : this.#plainHead(parsePlainHead(this.#method, url, this.#plain.parsingAt(mountPath)))
    this.#head = head
    if (head.changesState) refuseCrossSite(this.header, this.#state.allowedOrigins)
    if (session instanceof CookieSession) return andThen(session.resume(), () => this.#permit())
    // A preflight request of a browser carries no credentials.
    if (head.verb === 'OPTIONS') return this.#permit()
    return andThen(this.#identified(), (user) => andThen(session.enter(user), () => this.#permit()))
  }

  /** The resources that a guest knows say nothing about those of the user behind a preflight. */
  #plainHead(head: PlainHead): PlainHead {
    const { options, allowedOrigins } = this.#state
    const hasUsers = options.users !== undefined || options.identify !== undefined
    return hasUsers && isPreflight(this.#method, this.header, allowedOrigins)
      ? preflightOf(head)
      : head
  }

  /** The user whom the application identifies; null for a guest. */
  #identified(): Awaitable<SessionUser | null> {
    const { options, failures } = this.#state
    const identify: typeof options.identify = (request) => options.identify!(request)
    return identified(identify, this.#input, this.header, failures.notify)
  }

  #permit(): Awaitable<RestResponse> {
    const { options, durability, everything, loginBy } = this.#state
    if (options.forceLogin === true)
      refuseGuest(this.#head, this.session.current, everything, loginBy)
    if (durability === null) return this.#authorize()
    return durability.hold(
      () => this.#authorize(),
      () => this.#mayHaveChanged,
    )
  }

  /** Determines the permissions of the caller, before the body is read. */
  #authorize(): Awaitable<RestResponse> {
    const { options, everything } = this.#state
    if (options.authorize === undefined) return this.#proceed(null, everything)
    return this.#access(options.authorize).then((access) =>
      this.#proceed(access, new Names(everything.catalog, access)),
    )
  }

  #access(authorize: Authorize<unknown, object>): Promise<Access> {
    return resolveAccess((question) => authorize(question), this.#head, this.#asking)
  }

  get #asking() {
    const { everything: names, failures } = this.#state
    const { current: session } = this.session
    return { session, context: this.#input.context, names, report: failures.notify }
  }

  callerOf(calls: readonly BatchCall[]): Awaitable<Caller> {
    const { authorize } = this.#state.options
    const { caller } = this
    const { access } = caller
    if (authorize === undefined || access === null || calls.length === 0) return caller
    return resolveCalls((question) => authorize(question), calls, this.#asking).then(
      ({ mayCall }) => ({ ...caller, access: { ...access, mayCall } }),
    )
  }

  /** Reads the body, now that the caller is known. */
  #proceed(access: Access | null, names: Names): Awaitable<RestResponse> {
    const head = this.#head
    const { host, bodies, loginBy, running } = this.#state
    if (running !== null && head.address.kind !== 'operator') {
      const { current, origin } = this.session
      this.#running = running.begin(this.#method, head, current, origin.ipAddress)
    }
    this.caller = {
      session: this.session.current,
      access,
      names,
      loginBy,
      isGone: () => isAborted(this.#input),
      stop: this.#running ?? undefined,
      waited: () => host.monotonic() - this.#began,
      position: this.engine.position === null ? null : positionIn(this.header),
    }
    if (this.#plain !== null) refusePlain(head as PlainHead, names)
    if (!head.takesBody) return this.#dispatch(NO_BODY)
    if (access !== null) refuseEarly(head, this.caller)
    this.#bodyHold = bodies.begin()
    const source = this.#input.body
    const body = readRequestBody(source, head, this.header, this.limits, this.#bodyHold)
    return isPromise(body) ? body.then((body) => this.#dispatch(body)) : this.#dispatch(body)
  }

  #dispatch(body: RawBody): Awaitable<RestResponse> {
    const head = this.#head
    const { answers } = this.#state
    // Reads do not check the signal, since the host may have to create it.
    if (head.takesBody || head.changesState) refuseAborted(this.#input)
    // The address of a request with a body does not say what it asks for.
    else if (answers.hasRefused) answers.refuseKnown(this.#address)
    this.#mayHaveChanged = head.changesState
    if (this.#plain !== null) return this.#answerPlain(head as PlainHead, body, this.#plain)
    const conditions = head.changesState ? conditionsOf(this.header) : UNCONDITIONAL
    const { verb, action, address, parameters, takesBody, changesState } = head
    // Member by member: an object that is spread would have a hidden class of its own.
    const request = { verb, action, address, parameters, takesBody, changesState, body, conditions }
    return andThen(handle(request, this), (answer) => this.#conclude(answer))
  }

  #answerPlain(head: PlainHead, body: RawBody, plain: PlainService): Awaitable<RestResponse> {
    return andThen(answerPlain(head, body, plain, this), (answer) => {
      const { path, query } = head.plain
      const { othersOf } = plain
      const origin = originOf(this.#input, this.header)
      const { basePath } = this
      const site = { basePath, origin, path, query, othersOf, ...this.#slicing() }
      const respond = (): Awaitable<RestResponse> =>
        andThen(renderPlain(answer, site), (reply) => this.#respond(reply))
      if (!head.changesState || answer.kind !== 'part') return respond()
      return this.#afterChange(answer.part.answer, respond)
    })
  }

  #conclude(answer: Answer): Awaitable<RestResponse> {
    if (answer.kind === 'feed') {
      const visibility = visibilityOf(this.caller)
      const isSame = (): Promise<boolean> => this.#seesTheSame(visibility)
      return this.#state.replicas.open(answer, this.caller, isSame, this.#permissionChanges)
    }
    if (answer.kind === 'live') {
      const { session } = this
      const isStillKnown =
        session instanceof IdentifiedSession ? () => this.#isStillKnown(session) : null
      // HEAD must add nothing to a shared stream.
      const live = this.#method === 'HEAD' ? { ...answer, sharing: null } : answer
      return this.#state.streams.open(live, this.#mountPoint.page, this.caller, isStillKnown)
    }
    // Without a change, no errors of items have to be reported.
    if (!this.#head.changesState) return this.#render(answer)
    return this.#afterChange(answer, () => this.#render(answer))
  }

  /** Whether the application still identifies the caller as before. Never rejects. */
  #isStillKnown(session: IdentifiedSession): Promise<boolean> {
    return session.isStill(
      () => this.#identified(),
      (error) => this.#state.failures.report([publicError(error)]),
    )
  }

  /** Whether the caller is still the same and may see the same. Never rejects. */
  async #seesTheSame(visibility: string): Promise<boolean> {
    const { session } = this
    try {
      if (session instanceof IdentifiedSession && !(await this.#isStillKnown(session))) return false
      if (this.#state.options.authorize === undefined) return true
      const access = await this.#access(this.#state.options.authorize)
      const names = new Names(this.#state.everything.catalog, access)
      return visibilityOf({ access, names }) === visibility
    } catch (error) {
      this.#state.failures.notify(error)
      return false
    }
  }

  /** Reports the errors of items, and responds to a change. */
  #afterChange(answer: Answer, respond: () => Awaitable<RestResponse>): Awaitable<RestResponse> {
    const stored = storedBy(answer)
    if (stored.count < stored.of) this.#state.failures.report(failuresIn(answer))
    return stored.count === 0 ? respond() : afterStoring(stored, respond)
  }

  #render(answer: WholeAnswer): Awaitable<RestResponse> {
    const { page } = this.#mountPoint
    const listing = listingOf(answer, page)
    if (listing === null || !isLarge(listing))
      return this.#respond(renderAnswer(answer, page, listing?.items.map(listing.textOf) ?? []))
    return textsInSlices(answer, listing, this.#slicing()).then((texts) =>
      this.#respond(renderAnswer(answer, page, texts)),
    )
  }

  #respond(reply: Reply): RestResponse {
    const head = this.#head
    const response = serialize(reply, maxCharacters(head, this.limits))
    if (response.body.length > PIECE) this.#grow(memoryOf(response.body))
    const { etag } = reply.headers
    if (etag === undefined || head.verb !== 'GET' || head.changesState) return response
    // The client has this answer already: its ETag identifies each byte.
    return matchesAny(this.header('if-none-match'), etag) ? notModified(response) : response
  }

  /** Reserves the bytes of a long answer. Throws serverBusy, except for answers to changes. */
  #grow(bytes: number): void {
    this.#hold ??= this.#state.answers.begin(this.#address, this.#head.changesState)
    this.#hold.grow(bytes)
  }

  /** Of what is read: callers who may see the same get answers of the same length. */
  get #address(): string {
    const { method, url } = this.#input
    const seen = this.caller.access === null ? '' : visibilityOf(this.caller)
    return `${method} ${this.basePath} ${url} ${seen}`
  }

  /** Answers to changes are rendered to the end, even if the client has disconnected. */
  #slicing(): Slicing {
    const { nextSlice } = this
    const orEnd = (): Promise<void> => nextSlice().then(() => refuseGone(this.caller))
    return {
      nextSlice: this.#head.changesState ? nextSlice : orEnd,
      maxCharacters: maxCharacters(this.#head, this.limits),
      grow: (characters) => this.#grow(characters),
    }
  }

  #refuse(error: unknown): Awaitable<RestResponse> {
    const render = this.#plain === null ? renderError : renderPlainError
    return this.#complete(this.#state.failures.answer(error, render))
  }

  /** Releases what the request holds. Whatever failed, its session must not stay open. */
  #complete(response: RestResponse): Awaitable<RestResponse> {
    this.#bodyHold?.end()
    if (this.#running !== null) this.#state.running?.end(this.#running)
    if (response.status < BAD_REQUEST) return this.#withHeaders(response)
    const abandoned = abandon(this.session, this.#state.failures.notify)
    return andThen(abandoned, () => this.#withHeaders(response))
  }

  /** Adds the headers of the session and of the request's origin. */
  #withHeaders(response: RestResponse): RestResponse {
    const { allowedOrigins } = this.#state
    const { position } = this.engine
    const cors =
      allowedOrigins.length === 0
        ? null
        : corsHeaders(this.header, allowedOrigins, response.headers.allow)
    const others = position === null ? cors : { ...cors, ...positionHeader(position) }
    const whole = completed(response, this.#method, this.session.headers, others)
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
