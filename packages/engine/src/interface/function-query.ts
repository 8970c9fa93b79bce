import type { ClassModel, SessionUser, ToOneAttribute } from '@entia/core'
import { refused } from '@entia/core/internal'
import type { EntityRecord, Projection } from './projection.ts'
import type {
  AnswerBounds,
  EntityReference,
  Keeping,
  SelectionQuery,
  WriteItem,
} from './selection-source.ts'

/** A type, a subtype and plain parameters. Nothing in it can end a header. */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}(?:; ?[\w-]{1,32}=[\w.+:-]{1,64}){0,4}$/

/** A function's own response body, in place of a result. Created by `outgoing`. */
export class OutgoingReply {
  readonly status: number
  readonly mediaType: string
  readonly body: string | Uint8Array

  constructor(status: number, mediaType: string, body: string | Uint8Array) {
    this.status = status
    this.mediaType = mediaType
    this.body = body
    Object.freeze(this)
  }
}

/** The result of a function that has logged its caller in. Created by `loggedIn`. */
export class LoggedIn {
  readonly user: SessionUser
  readonly result: unknown
  readonly lifetimeSeconds: number | null

  constructor(user: SessionUser, result: unknown, lifetimeSeconds: number | null) {
    this.user = user
    this.result = result
    this.lifetimeSeconds = lifetimeSeconds
    Object.freeze(this)
  }
}

export interface OutgoingOptions {
  /** 200 by default. The status must allow a body. */
  readonly status?: number
  /** `text/plain; charset=utf-8` by default, `application/octet-stream` for bytes. */
  readonly mediaType?: string
}

/**
 * A function that returns this value responds with `body` as it is, under `mediaType`, in place of
 * `{"result": …}`. Throws argumentInvalid for a status that has no body, and for a malformed media
 * type.
 *
 * @example
 * ```ts
 * const csv = outgoing('ID;lastName\n', { mediaType: 'text/csv' })
 * ```
 */
export function outgoing(body: string | Uint8Array, options: OutgoingOptions = {}): OutgoingReply {
  const isText = typeof body === 'string'
  const {
    status = 200,
    mediaType = isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
  } = options
  if (!isText && !(body instanceof Uint8Array))
    throw refused('The body of outgoing', 'text or a Uint8Array', typeof body)
  if (!Number.isInteger(status) || status < 200 || status > 599 || [204, 205, 304].includes(status))
    throw refused(
      'The status of outgoing',
      'a status from 200 to 599 that has a body',
      String(status),
    )
  if (typeof mediaType !== 'string' || !MEDIA_TYPE.test(mediaType))
    throw refused(
      'The mediaType of outgoing',
      'a media type such as text/csv',
      JSON.stringify(mediaType) ?? 'none',
    )
  // A view of a Buffer's memory would change with the buffer.
  return new OutgoingReply(status, mediaType, isText ? body : new Uint8Array(body))
}

export interface LoggedInOptions {
  /** The `result` that the client receives; true by default. */
  readonly result?: unknown
  /** Seconds that the unused session lives; the store's default if absent. */
  readonly lifetimeSeconds?: number
}

/**
 * A function that returns this value logs its caller in: the response carries the cookie of a
 * session of that user, as after a login. Throws argumentInvalid for a malformed user.
 *
 * @example
 * ```ts
 * const login = loggedIn({ ID: '7', userName: 'ada', fullName: 'Ada Byron', groups: [] })
 * ```
 */
export function loggedIn(user: SessionUser, options: LoggedInOptions = {}): LoggedIn {
  const isUser =
    typeof user === 'object' &&
    user !== null &&
    [user.ID, user.userName, user.fullName].every((text) => typeof text === 'string') &&
    Array.isArray(user.groups)
  if (!isUser)
    throw refused('The user of loggedIn', '{ ID, userName, fullName, groups }', typeof user)
  const { result = true, lifetimeSeconds = null } = options
  return new LoggedIn(user, result, lifetimeSeconds)
}

/** What a function works on. */
export type CallTarget =
  | { readonly kind: 'store' }
  | { readonly kind: 'singleton'; readonly singleton: string }
  | { readonly kind: 'dataClass'; readonly dataClass: ClassModel }
  | { readonly kind: 'selection'; readonly query: SelectionQuery }
  /** `through`: follow this relation and call the function on its target. */
  | {
      readonly kind: 'entity'
      readonly reference: EntityReference
      readonly through: ToOneAttribute | null
    }

/** One argument as it was sent. Sending an entity does not save it. */
export type CallParameter =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'entity'; readonly dataClass: ClassModel; readonly item: WriteItem }
  /** The members of an entity set. `dataClass` is the one that the client named, or null. */
  | { readonly kind: 'selection'; readonly id: string; readonly dataClass: string | null }

export interface CallQuery extends AnswerBounds {
  readonly target: CallTarget
  readonly name: string
  /** The function's owner, for messages: `The "Employee" dataclass`. */
  readonly owner: string
  readonly parameters: readonly CallParameter[]
  /**
   * The projection of an entity or selection, once its dataclass is known. Throws for unknown
   * names.
   */
  readonly projectionOf: (dataClass: ClassModel) => Projection
  /** The page of a selection. */
  readonly skip: number
  readonly top: number
  /** Keep a selection as an entity set. */
  readonly keep: Keeping | null
  /** The most levels of nesting in a result. */
  readonly maxDepth: number
}

export interface ShownEntity {
  readonly kind: 'entity'
  readonly projection: Projection
  readonly record: EntityRecord
}

export interface ShownSelection {
  readonly kind: 'selection'
  readonly projection: Projection
  readonly count: number
  readonly first: number
  /** A member that was deleted since is null in its place. */
  readonly records: readonly (EntityRecord | null)[]
  readonly entitySetId: string | null
}

/**
 * A result as JSON values (objects are maps), except for entities and selections, which the
 * renderer writes.
 */
export type ResultValue =
  | null
  | boolean
  | number
  | string
  | readonly ResultValue[]
  | ReadonlyMap<string, ResultValue>
  | ShownEntity
  | ShownSelection

/** The result of a function. */
export type CallResult =
  | { readonly kind: 'value'; readonly globalStamp: number; readonly value: ResultValue }
  | { readonly kind: 'reply'; readonly reply: OutgoingReply }
  /** The function has logged the caller in as this user. */
  | {
      readonly kind: 'login'
      readonly globalStamp: number
      readonly user: SessionUser
      readonly lifetimeSeconds: number | null
      readonly value: ResultValue
    }
