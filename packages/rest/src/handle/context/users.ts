import { type EntiaError, isEntiaError, type SessionUser } from '@entia/core'
import { restError } from '../../errors/rest-error.ts'

/** Where a login comes from, as the client tells it. */
export interface LoginOrigin {
  readonly host: string
  readonly ipAddress: string
  readonly userAgent: string
}

/** A user as the application knows one; what is left out follows from the rest. */
export interface DirectoryUser {
  /** The user's name by default; one of both must be given. */
  readonly ID?: string | number
  readonly userName?: string
  readonly fullName?: string
  readonly groups?: readonly string[]
}

type Found = DirectoryUser | null | undefined | false

/** Who may log in. Comparing passwords, and slowing down those who guess, is the directory's own matter. */
export interface UserDirectory {
  /** The user, or undefined: for an unknown name as for a wrong password. */
  login(name: string, password: string, origin: LoginOrigin): Found | Promise<Found>
}

/** A user with the password as it is: for tests and small tools. */
export interface ListedUser {
  readonly name: string
  readonly password: string
  readonly ID?: string | number
  readonly fullName?: string
  readonly groups?: readonly string[]
}

/** A directory of a list of users. */
export function directoryOf(users: UserDirectory | readonly ListedUser[]): UserDirectory {
  if (!isList(users)) return users
  const byName = new Map(users.map((user) => [user.name, user]))
  return {
    login(name, password) {
      const user = byName.get(name)
      // An unknown name takes as long as a known one.
      const isRight = isSameText(password, user?.password ?? password)
      return user !== undefined && isRight ? { ...user, userName: name } : undefined
    },
  }
}

/** The user of a name and a password, whole; null when the directory knows none. Throws functionFailed. */
export async function findUser(
  directory: UserDirectory,
  name: string,
  password: string,
  origin: LoginOrigin,
): Promise<SessionUser | null> {
  let found: unknown
  try {
    found = await directory.login(name, password, origin)
  } catch (error) {
    throw directoryFailed(error)
  }
  if (found === null || found === undefined || found === false) return null
  const user = typeof found === 'object' ? wholeUser(name, found as DirectoryUser) : null
  if (user === null)
    throw directoryFailed(
      new TypeError('users.login must answer { ID, userName, fullName, groups }, with ID or userName, or undefined.'),
    )
  return user
}

function wholeUser(name: string, found: DirectoryUser): SessionUser | null {
  // What says nothing of its own of who it is, as an empty object or a prototype found under a name, is nobody.
  if (!Object.hasOwn(found, 'ID') && !Object.hasOwn(found, 'userName')) return null
  const { userName = name, fullName = userName, groups = [] } = found
  const { ID = userName } = found
  const isNamed = [typeof ID === 'number' ? String(ID) : ID, userName, fullName].every(
    (text) => typeof text === 'string' && text !== '',
  )
  if (!isNamed || !Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) return null
  return { ID: String(ID), userName, fullName, groups }
}

/** What the application's code throws is for the host. */
function directoryFailed(error: unknown): EntiaError {
  const cause = isEntiaError(error) ? new Error(error.message, { cause: error }) : error
  return restError(
    'functionFailed',
    { owner: 'the directory', name: 'login', problem: 'Code of the application failed.' },
    { cause },
  )
}

/** Compares in a time that tells nothing of the second text but whether it is as long as the first. */
function isSameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let at = 0; at < given.length; at++)
    difference |= given.charCodeAt(at) ^ (expected.charCodeAt(at % expected.length) || 0)
  return difference === 0
}

function isList(users: UserDirectory | readonly ListedUser[]): users is readonly ListedUser[] {
  return Array.isArray(users)
}
