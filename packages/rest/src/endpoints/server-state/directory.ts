import { restError } from '../../errors/rest-error.ts'
import type { AddressOf } from '../../request/address.ts'
import { parseJsonBody } from '../../request/body.ts'
import { invalidParameter } from '../../request/parameter-values.ts'
import type { RestRequest } from '../../request/request.ts'
import type { Answer } from '../context/answer.ts'
import type { HandleContext } from '../context/context.ts'
import { findUser } from '../context/users.ts'

/** Answers `$directory`: the current user, login, logout. */
export async function answerDirectory(
  request: RestRequest<AddressOf<'directory'>>,
  context: HandleContext,
): Promise<Answer> {
  const { session } = context
  switch (request.address.command) {
    case 'login':
      return login(request, context)
    case 'logout':
      await session.close()
      return result(true)
    case 'currentUser': {
      const user = session.current?.user ?? null
      return result(
        user === null ? null : { ID: user.ID, userName: user.userName, fullName: user.fullName },
      )
    }
    case 'currentUserBelongsTo': {
      const group = groupOf(parseJsonBody(request.body, context.limits))
      return result(session.current?.user?.groups.includes(group) === true)
    }
  }
}

const result = (value: unknown): Answer => ({ kind: 'result', value })

interface Credentials {
  readonly name: string
  readonly password: string
  /** Null for the store's default. */
  readonly lifetimeSeconds: number | null
}

/** Throws directoryMissing, and loginFailed for an unknown name as well as for a wrong password. */
async function login(request: RestRequest, context: HandleContext): Promise<Answer> {
  const { session } = context
  const { users } = context.rules
  if (users === null) throw restError('directoryMissing', { option: 'users' })
  const { name, password, lifetimeSeconds } =
    headerCredentials(context) ?? bodyCredentials(request, context)
  const user = await findUser(users, name, password, session.origin)
  if (user === null)
    throw restError('loginFailed', { problem: 'the name or the password is wrong' })
  await session.login(user, lifetimeSeconds)
  return result(true)
}

/** The shortest lifetime that a login by headers can request. */
const SHORTEST_MINUTES = 60

function headerCredentials({ header }: HandleContext): Credentials | null {
  const name = header('username-4d')
  if (name === null) return null
  return {
    name: utf8Header(name),
    password: utf8Header(header('password-4d') ?? ''),
    lifetimeSeconds: lifetimeOf(header('session-4d-length')),
  }
}

function lifetimeOf(minutes: string | null): number | null {
  if (minutes === null) return null
  if (!/^\s*\d{1,9}\s*$/.test(minutes))
    throw invalidParameter(
      'session-4D-length',
      'a whole number of minutes',
      `"${minutes.slice(0, 20)}"`,
    )
  return Math.max(SHORTEST_MINUTES, Number(minutes)) * 60
}

/** Hosts pass headers as Latin-1; restores those that were sent as UTF-8. */
function utf8Header(value: string): string {
  if (!/^[\0-\xff]*$/.test(value)) return value
  const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return value
  }
}

function bodyCredentials({ body }: RestRequest, { limits }: HandleContext): Credentials {
  const given = parseJsonBody(body, limits)
  const [name, password, seconds, ...more] = Array.isArray(given) ? given : []
  const isLifetime =
    seconds === undefined || seconds === null || (Number.isFinite(seconds) && Number(seconds) > 0)
  if (typeof name !== 'string' || typeof password !== 'string' || !isLifetime || more.length > 0)
    throw restError('bodyMalformed', {
      problem: 'a login takes ["name", "password"], and seconds as a third',
    })
  return { name, password, lifetimeSeconds: typeof seconds === 'number' ? seconds : null }
}

function groupOf(given: unknown): string {
  const [group, ...more]: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (typeof group === 'string' && more.length === 0) return group
  throw restError('bodyMalformed', { problem: 'it must be the name of a group: ["group"]' })
}
