import type { AnyDataStore } from '@entia/core'
import type { RestOptions } from '@entia/rest'
import type { Ports } from './ports.ts'

/** A small store with known contents, created for each case. */
export interface Fixture {
  readonly name: string
  /** Handler options that this store needs. */
  readonly options?: RestOptions
  create(ports: Ports): AnyDataStore
}

/** One row of the suite. */
export interface ConformanceCase {
  /** The number of a published sample, or a letter and a number for a sentence of the interface. */
  readonly id: number | string
  readonly title: string
  readonly fixture: Fixture
  /** Added to the options of the fixture. */
  readonly options?: RestOptions
  readonly steps: readonly Step[]
  /** The interpretation of a sample that is ambiguous. */
  readonly note?: string
  /** Why the sample is wrong; the steps hold the correct replies. */
  readonly wrong?: string
}
export type CaseTable = readonly ConformanceCase[]

/**
 * A request and its expected reply. Parts that are left out are not checked, except the status: it
 * is 200 by default. In texts, `{name}` is replaced by the value kept under that name, and
 * `{name.id}` by its part after the last slash. `{host}` is the name of the host.
 */
export interface Step {
  /**
   * Verb and readable address: unsafe characters are escaped when it is sent, `%XX` stays as it is.
   */
  readonly send: string
  /** The sender: one browser per name, with its cookies. Without a name there are no cookies. */
  readonly as?: string
  /** Seconds that pass before the request. */
  readonly after?: number
  /** Texts and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }

  readonly status?: number
  /** The codes of `__ERROR`, complete and in order. */
  readonly errors?: readonly number[]
  /** The keys of `__ENTITIES`, complete and in order; null for a deleted member. */
  readonly keys?: readonly (string | null)[]
  /** The names of the members of the reply, complete and in order. */
  readonly names?: readonly string[]
  /** The parsed reply; `expect.ts` lists the possible expectations. */
  readonly reply?: unknown
  /** The reply as text, or as bytes. */
  readonly exactly?: string | Uint8Array
  readonly replyHeaders?: { readonly [name: string]: unknown }
  /**
   * Name -> path of members (`a.0.b`) in the reply, for later steps. The last ETag is kept as
   * `etag`.
   */
  readonly keep?: { readonly [name: string]: string }
}
