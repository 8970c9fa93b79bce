import type { Engine, HandlerHost } from '@entia/engine'
import type { OpenStreamInfo } from '../../endpoints/context/operator-desk.ts'
import type { RestResponse } from '../../render/serialize.ts'
import type { Durability } from './durability.ts'
import type { EventStream } from './event-stream.ts'
import { PacedWakes } from './paced-wakes.ts'

/** What a handler gives its streams. */
export interface StreamParts {
  readonly engine: Engine
  readonly host: HandlerHost
  /** Null if answers do not wait for durability. */
  readonly durability: Durability | null
  readonly report: (error: unknown) => void
}

interface OpenStream {
  readonly stream: EventStream
  describe(): OpenStreamInfo
}

/** The open streams of one kind of a handler: of live queries, or of replicas. */
export class OpenStreams<L extends { readonly maxEntities: number }, S extends OpenStream> {
  protected readonly parts: StreamParts
  protected readonly limits: L
  protected readonly all = new Set<S>()
  protected readonly wakes: PacedWakes

  constructor(parts: StreamParts, limits: L) {
    this.parts = parts
    this.limits = limits
    this.wakes = new PacedWakes(() => parts.host.nextSlice())
  }

  get maxEntities(): number {
    return this.limits.maxEntities
  }

  list(): readonly OpenStreamInfo[] {
    return Array.from(this.all, (stream) => stream.describe())
  }

  endAll(): void {
    for (const { stream } of [...this.all]) stream.end()
  }

  /** The text when what it shows is durable, or that of `failed`. */
  protected whenDurable(
    text: string,
    failed: (error: unknown) => string,
  ): string | Promise<string> {
    return this.parts.durability?.pending()?.then(() => text, failed) ?? text
  }
}

export const streamHeaders = (contentType: string): RestResponse['headers'] =>
  Object.freeze({
    'content-type': contentType,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store, no-transform',
    // Some proxies would buffer a stream before they send it on.
    'x-accel-buffering': 'no',
  })
