import type { AnyDataStore } from '@entia/core'
import type { RestOptions } from '@entia/rest'
import type { Ports } from './ports.ts'

/** A small store with known contents, made anew for each case. */
export interface Fixture {
  readonly name: string
  /** Options that the handler of this store needs. */
  readonly options?: RestOptions
  create(ports: Ports): AnyDataStore
}

/** One row of the suite. */
export interface ConformanceCase {
  /** A number of the published collection of samples, or a letter and a number for sentences of the interface itself. */
  readonly id: number | string
  readonly title: string
  readonly fixture: Fixture
  /** Added to the options of the fixture. */
  readonly options?: RestOptions
  readonly steps: readonly Step[]
  /** What the row understands the sample to mean where that is not plain. */
  readonly note?: string
  /** Why the sample is judged wrong; the steps then hold what is right. */
  readonly wrong?: string
}
export type CaseTable = readonly ConformanceCase[]

/**
 * A request and what must come back. Whatever is left out is not looked at, but the status: it is 200 unless named.
 * In texts `{name}` stands for what was kept under that name, `{name.id}` for what of it follows the last slash, and `{host}` for
 * the name of the host.
 */
export interface Step {
  /** Verb, address and parameters, readable: what a URL cannot hold is escaped when it is sent, `%XX` is left as it is. */
  readonly send: string
  /** Who sends it: one browser per name, with its cookies. Without a name there are none. */
  readonly as?: string
  /** Seconds that pass before. */
  readonly after?: number
  /** Text and bytes go out as they are, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }

  readonly status?: number
  /** The codes of `__ERROR`, all of them and in order. */
  readonly errors?: readonly number[]
  /** The keys of `__ENTITIES`, all of them and in order; null for a member that is gone. */
  readonly keys?: readonly (string | null)[]
  /** The names of the members of the reply, all of them and in order. */
  readonly names?: readonly string[]
  /** The parsed reply; see `expect.ts` for what may stand in it. */
  readonly reply?: unknown
  /** The reply as text, or as bytes. */
  readonly exactly?: string | Uint8Array
  readonly replyHeaders?: { readonly [name: string]: unknown }
  /** Name -> path of members (`a.0.b`) in the reply, for later steps, which know the last ETag as `etag` too. */
  readonly keep?: { readonly [name: string]: string }
}
