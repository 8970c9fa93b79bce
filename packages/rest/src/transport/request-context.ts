import type { TextForm } from '@entia/core'
import type { Caller } from '../door/caller.ts'
import type { EngineDoor } from '../door/engine-door.ts'
import type { Projection } from '../door/projection.ts'
import type { EntitySetScope } from '../door/selection-source.ts'
import type { HandleContext } from '../handle/context.ts'
import type { ImageConverter } from '../handle/image-types.ts'
import type { InfoRule } from '../handle/info-rule.ts'
import type { StreamRule } from '../handle/live-answer.ts'
import type { ServedMetrics } from '../handle/metrics-rule.ts'
import type { UserDirectory } from '../handle/users.ts'
import { type RenderOptions, textFormOf } from '../render/entity.ts'
import type { Limits } from '../request/limits.ts'
import type { CookieSession } from './cookie-session.ts'
import { type HeaderLookup, refuseCrossSite } from './cross-site.ts'
import type { RestInput } from './rest-input.ts'

/** What all requests of a handler have in common. */
export interface Site {
  readonly door: EngineDoor
  readonly users: UserDirectory | null
  readonly infoRule: InfoRule
  readonly limits: Limits
  readonly entitySetScope: EntitySetScope
  readonly imageConverter: ImageConverter | null
  readonly streams: StreamRule | null
  readonly metrics: ServedMetrics | null
  readonly allowedOrigins: readonly string[]
  report(error: unknown): void
}

/** The context of one request; `signal` is made when somebody asks for it. */
export class RequestContext implements HandleContext {
  readonly door: EngineDoor
  readonly limits: Limits
  readonly basePath: string
  readonly caller: Caller
  readonly session: CookieSession
  readonly header: HeaderLookup
  readonly report: (error: unknown) => void
  readonly #site: Site
  readonly #input: RestInput
  readonly #page: RenderOptions

  constructor(
    site: Site,
    input: RestInput,
    page: RenderOptions,
    header: HeaderLookup,
    session: CookieSession,
    caller: Caller,
  ) {
    this.door = site.door
    this.limits = site.limits
    this.basePath = page.basePath
    this.caller = caller
    this.session = session
    this.header = header
    this.report = site.report
    this.#site = site
    this.#input = input
    this.#page = page
  }

  get users(): UserDirectory | null {
    return this.#site.users
  }
  get infoRule(): InfoRule {
    return this.#site.infoRule
  }
  get entitySetScope(): EntitySetScope {
    return this.#site.entitySetScope
  }
  get imageConverter(): ImageConverter | null {
    return this.#site.imageConverter
  }
  get streams(): StreamRule | null {
    return this.#site.streams
  }
  get metrics(): ServedMetrics | null {
    return this.#site.metrics
  }
  get signal(): AbortSignal | null {
    return this.#input.signal ?? null
  }

  textForm(projection: Projection, isArray: boolean): TextForm | null {
    return textFormOf(this.#page, projection, isArray ? 'plain' : 'read')
  }
  refuseCrossSite(): void {
    refuseCrossSite(this.header, this.#site.allowedOrigins)
  }
}
