import { type EntiaError, isEntiaError } from '@entia/core'
import { originOf, publicError } from '../../render/error-stack.ts'
import { renderError } from '../../render/render.ts'
import { type RestResponse, serialize } from '../../render/serialize.ts'
import { statusOfError } from '../../render/status.ts'
import type { HandlerMetrics } from './handler-metrics.ts'

/** The failures of a handler: what the client is answered, and what the host is told. */
export class Failures {
  readonly #onError: ((error: unknown) => void) | undefined
  readonly #metrics: HandlerMetrics

  constructor(onError: ((error: unknown) => void) | undefined, metrics: HandlerMetrics) {
    this.#onError = onError
    this.#metrics = metrics
  }

  /** Tells the host of one failure. A function, so that it can be handed on. A host that fails at being told is not our matter. */
  readonly notify = (error: unknown): void => {
    try {
      this.#onError?.(error)
    } catch {}
  }

  /** Tells the host of what is ours or the application's, each failure once. */
  report(errors: readonly EntiaError[]): void {
    if (errors.length === 0) return
    // Too many requests are not a failure of the host's, and would fill its log.
    const failed = errors.filter((error) => statusOfError(error) >= 500 && !isEntiaError(error, 'serverBusy'))
    for (const origin of new Set(failed.map(originOf))) this.notify(origin)
  }

  /** The answer to a request that failed. */
  answer(error: unknown): RestResponse {
    const known = publicError(error)
    this.report([known])
    this.#metrics.refused(known)
    return serialize(renderError(known), Number.POSITIVE_INFINITY)
  }
}
