import type { Catalog } from '@entia/core'
import type { Awaitable } from './awaitable.ts'
import type { Engine } from './engine.ts'
import type { HandlerHost } from './time-slices.ts'

/** The member by which a store says how to serve it. Copies of this package share it. */
export const ENGINE: unique symbol = Symbol.for('@entia/engine')

/** What an engine is created with. */
export interface EngineOptions {
  readonly host: HandlerHost
  /** The limit `maxWaitingReads` of the handler. */
  readonly maxWaitingReads: number
}

/** A store with an engine of its own. `createRestHandler` calls the member once per handler. */
export interface Served {
  readonly catalog: Catalog
  readonly [ENGINE]: (options: EngineOptions) => Engine
  /** Ends the store. A handler never calls it; the program that created the store does. */
  close(): Awaitable<void>
}
