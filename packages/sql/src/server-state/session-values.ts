import { createHash } from 'node:crypto'
import type { SessionOptions, SessionUser } from '@entia/core'
import { coerceInput, type Origin, originOf, Refusal, refused, userOf } from '@entia/core/internal'

/** What the database keeps of a text that is secret, or that it cannot hold as text. */
export const digestOf = (text: string): Uint8Array => createHash('sha256').update(text).digest()

/** A user as sessions of all processes have it. */
export interface StoredUser {
  readonly user: SessionUser
  /** The user as JSON text. */
  readonly json: string
  /** The same for two users if and only if their `ID` is the same. */
  readonly key: Uint8Array
}

/**
 * A user whose session is opened or logged in to. Throws `argumentInvalid` for claims that are not
 * JSON: other processes could not read them.
 */
export function storedUser(given: SessionUser): StoredUser {
  const user = userOf(given)
  const claims = coerceInput('object', false, user.claims)
  if (claims instanceof Refusal)
    throw refused(
      'The user',
      'claims of JSON values, because all processes read them from the database',
      'other values',
    )
  return { user, json: JSON.stringify(user), key: keyOfUser(user) }
}

/**
 * A user whom the host identifies with each call. The claims are the call's own and are not stored.
 */
export function identifiedUser(given: SessionUser): StoredUser {
  const user = userOf(given)
  const { claims: _, ...stored } = user
  return { user, json: JSON.stringify(stored), key: keyOfUser(user) }
}

// As JSON, because lone surrogates all have the same UTF-8.
const keyOfUser = ({ ID }: SessionUser): Uint8Array => digestOf(JSON.stringify(ID))

const NOWHERE: Origin = { host: '', ipAddress: '', userAgent: '' }

/** The origin of a session as the database keeps it: PostgreSQL has no U+0000 in texts. */
export function storedOrigin(options: Omit<SessionOptions, 'user'>): Origin {
  const { host, ipAddress, userAgent } = originOf(options, NOWHERE)
  return { host: plain(host), ipAddress: plain(ipAddress), userAgent: plain(userAgent) }
}

const plain = (text: string): string => text.replaceAll('\0', '\ufffd')
