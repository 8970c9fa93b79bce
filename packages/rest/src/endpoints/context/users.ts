import { type EntiaError, isEntiaError, type SessionUser } from '@entia/core'
import type { AnyClaims } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'

/** The origin of a login as reported by the client. */
export interface LoginOrigin {
  readonly host: string
  readonly ipAddress: string
  readonly userAgent: string
}

/** A user of the application. Omitted members are derived from the others. */
export interface DirectoryUser<Claims extends object = AnyClaims> {
  /** Defaults to `userName`; one of the two is required. */
  readonly ID?: string | number
  readonly userName?: string
  readonly fullName?: string
  readonly groups?: readonly string[]
  readonly claims?: Claims
}

type Found<Claims extends object> = DirectoryUser<Claims> | null | undefined | false

/** Verifies logins. The directory compares passwords and slows down guessing. */
export interface UserDirectory<Claims extends object = AnyClaims> {
  /** The user, or undefined for an unknown name as well as for a wrong password. */
  login(name: string, password: string, origin: LoginOrigin): Found<Claims> | Promise<Found<Claims>>
}

/** A user with a plain-text password: for tests and small tools. */
export interface ListedUser {
  readonly name: string
  readonly password: string
  readonly ID?: string | number
  readonly fullName?: string
  readonly groups?: readonly string[]
}

/** Makes a directory from a list of users. */
export function directoryOf(
  users: UserDirectory<object> | readonly ListedUser[],
): UserDirectory<object> {
  if (!isList(users)) return users
  const byName = new Map(users.map((user) => [user.name, user]))
  return {
    login(name, password) {
      const user = byName.get(name)
      // Unknown and known names take equally long.
      const isRight = isSameText(password, user?.password ?? password)
      return user !== undefined && isRight ? { ...user, userName: name } : undefined
    },
  }
}

/**
 * The complete user for a name and a password; null if the directory does not know it. Throws
 * functionFailed.
 */
export async function findUser(
  directory: UserDirectory<object>,
  name: string,
  password: string,
  origin: LoginOrigin,
): Promise<SessionUser | null> {
  let found: unknown
  try {
    found = await directory.login(name, password, origin)
  } catch (error) {
    throw applicationFailed('login', error)
  }
  return userFrom(found, { name, from: 'login' })
}

/**
 * The complete user of a result of the application's code; null if it names none. `name` is the
 * `userName` if the result has none. Throws functionFailed for a malformed user.
 */
export function userFrom(
  found: unknown,
  { name, from }: { readonly name: string | null; readonly from: 'login' | 'identify' },
): SessionUser | null {
  if (found === null || found === undefined || found === false) return null
  const user = typeof found === 'object' ? wholeUser(name, found as DirectoryUser) : null
  if (user !== null) return user
  const problem = `${from === 'login' ? 'users.login' : 'identify'} must answer { ID, userName, fullName, groups, claims }, with ID or userName, or undefined.`
  throw applicationFailed(from, new TypeError(problem))
}

function wholeUser(name: string | null, found: DirectoryUser): SessionUser | null {
  // An object without an own `ID` or `userName` does not identify a user; it may be an empty object
  // or a prototype found under a name.
  if (!Object.hasOwn(found, 'ID') && !Object.hasOwn(found, 'userName')) return null
  const { userName = name ?? String(found.ID), fullName = userName, groups = [], claims } = found
  const { ID = userName } = found
  const isNamed = [typeof ID === 'number' ? String(ID) : ID, userName, fullName].every(
    (text) => typeof text === 'string' && text !== '',
  )
  if (!isNamed || !Array.isArray(groups) || !groups.every((group) => typeof group === 'string'))
    return null
  if (claims === undefined) return { ID: String(ID), userName, fullName, groups }
  const areClaims = typeof claims === 'object' && claims !== null && !Array.isArray(claims)
  return areClaims ? { ID: String(ID), userName, fullName, groups, claims } : null
}

/** Errors of the application's code are reported to the host only. */
export function applicationFailed(name: 'login' | 'identify', error: unknown): EntiaError {
  const cause = isEntiaError(error) ? new Error(error.message, { cause: error }) : error
  return restError(
    'functionFailed',
    {
      owner: name === 'login' ? 'the directory' : 'the application',
      name,
      problem: 'Code of the application failed.',
    },
    { cause },
  )
}

/** Compares in a time that reveals only whether the lengths are equal. */
function isSameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let at = 0; at < given.length; at++)
    difference |= given.charCodeAt(at) ^ (expected.charCodeAt(at % expected.length) || 0)
  return difference === 0
}

function isList(
  users: UserDirectory<object> | readonly ListedUser[],
): users is readonly ListedUser[] {
  return Array.isArray(users)
}
