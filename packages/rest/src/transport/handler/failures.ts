import { type EntiaError, isEntiaError } from '@entia/core'
import { originOf, publicError } from '../../render/error-stack.ts'
import { renderError } from '../../render/render.ts'
import { type Reply, type RestResponse, serialize } from '../../render/serialize.ts'
import { statusOfError } from '../../render/status.ts'
import type { HandlerMetrics } from './handler-metrics.ts'

/** The failures of a handler: how clients are answered, and how the host is notified. */
export class Failures {
  readonly #onError: ((error: unknown) => void) | undefined
  readonly #metrics: HandlerMetrics

  constructor(onError: ((error: unknown) => void) | undefined, metrics: HandlerMetrics) {
    this.#onError = onError
    this.#metrics = metrics
  }

  /**
   * Notifies the host of one failure. An arrow function, so that it can be passed on. Errors of the
   * host's callback are ignored.
   */
  readonly notify = (error: unknown): void => {
    try {
      this.#onError?.(error)
    } catch {}
  }

  /** Notifies the host of server and application errors, each origin once. */
  report(errors: readonly EntiaError[]): void {
    if (errors.length === 0) return
    const failed = errors.filter((error) => statusOfError(error) >= 500 && !isOverload(error))
    for (const origin of new Set(failed.map(originOf))) this.notify(origin)
  }

  /** The answer to a failed request. `render` writes it in the form of the request. */
  answer(error: unknown, render: (error: EntiaError) => Reply = renderError): RestResponse {
    const known = publicError(error)
    this.report([known])
    this.#metrics.refused(known)
    return serialize(render(known), Number.POSITIVE_INFINITY)
  }
}

/** An overload is not a failure of the server, and would flood the host's log. */
const isOverload = (error: EntiaError): boolean =>
  isEntiaError(error, 'serverBusy') ||
  isEntiaError(error, 'serverStopping') ||
  isEntiaError(error, 'transactionConflict')
