import type { EntiaError } from '@entia/core'
import type { Awaitable } from '../../engine/awaitable.ts'
import type { Engine } from '../../engine/engine.ts'
import type { HandlerHost } from '../../engine/host.ts'
import type { ServedMetrics } from '../../handle/permission/service-rules.ts'
import { renderMetrics } from '../../render/metrics.ts'
import type { RestResponse } from '../../render/serialize.ts'
import type { RestInput } from '../input/rest-input.ts'
import { RequestMetrics } from './request-metrics.ts'
import type { RestOptions } from './rest-options.ts'

type Answering = (input: RestInput) => Awaitable<RestResponse>

/** The metrics of a handler, as its options require. */
export class HandlerMetrics {
  /** Null if `$metrics` is not served. */
  readonly served: ServedMetrics | null
  readonly #engine: Engine
  /** Null if requests are not counted. */
  readonly #requests: RequestMetrics | null

  constructor(engine: Engine, { monotonic }: HandlerHost, rule: RestOptions['metrics'] = false) {
    this.#engine = engine
    this.#requests = rule === false ? null : new RequestMetrics(monotonic)
    this.served = typeof rule === 'function' ? { rule, text: () => this.text() } : null
  }

  async text(): Promise<string> {
    return renderMetrics(await this.#engine.metrics(), this.#requests?.figures ?? null)
  }

  /** The same handler, counted if its options require it. */
  counting(answer: Answering): Answering {
    return this.#requests === null ? answer : this.#requests.counting(answer)
  }

  refused(error: EntiaError): void {
    this.#requests?.refused(error)
  }
}
