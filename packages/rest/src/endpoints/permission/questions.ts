import type { AttributeModel, RowFilter, Session, SessionUser } from '@entia/core'
import {
  type Access,
  type AccessAction,
  type AnyClaims,
  isPromise,
  type Names,
} from '@entia/engine'

/** The user who asks, with the claims that `identify` or the login gave. */
export type AuthorizedUser<Claims extends object = AnyClaims> = Omit<SessionUser, 'claims'> & {
  readonly claims: Claims
}

/** The question to the permission hook. `Context` and `Claims` are those of `identify`. */
export interface AuthorizeQuestion<Context = unknown, Claims extends object = AnyClaims> {
  /** Null for a guest. `claims` is an empty object if the user has none. */
  readonly user: AuthorizedUser<Claims> | null
  /** Null for a caller without a session. */
  readonly session: Session | null
  /** What the host attached to the request: see `IdentityRequest`. */
  readonly context: Context
  /** Null for functions of the store and of singletons. */
  readonly dataClass: string | null
  readonly action: AccessAction
  /**
   * The attribute in question (`read`, `create`, `update`): `false` hides it, or refuses to write
   * it.
   */
  readonly attribute?: string
  /** The function in question (`call`); `Singleton.function` for a singleton's. */
  readonly functionName?: string
}

/**
 * Yes, no, or a filter that entities must satisfy: its text, a condition of `where`, or
 * `{ filter, parameters }`. Pass values from outside as parameters. Texts are compared exactly and
 * without wildcards, unless the rule says otherwise: see `RowRule`. If the question is not about
 * entities (`describe`, `call`, an attribute), a filter means yes.
 */
export type AuthorizeAnswer = boolean | RowFilter

export type Authorize<Context = unknown, Claims extends object = AnyClaims> = (
  question: AuthorizeQuestion<Context, Claims>,
) => AuthorizeAnswer | Promise<AuthorizeAnswer>

/** Who asks, and about which model. */
export interface Asking {
  readonly session: Session | null
  readonly context: unknown
  readonly names: Names
  readonly report: (error: unknown) => void
}

export type Question = Omit<AuthorizeQuestion, 'user' | 'session' | 'context'>

/**
 * Questions to the hook, each once. An answer that throws, rejects or is invalid counts as no, and
 * is reported to the host.
 */
export class Questions {
  readonly #authorize: Authorize
  readonly #asking: Asking
  readonly #user: AuthorizedUser | null
  readonly #answers = new Map<string, AuthorizeAnswer>()
  readonly #pending: Promise<void>[] = []

  constructor(authorize: Authorize, asking: Asking) {
    this.#authorize = authorize
    this.#asking = asking
    this.#user = authorizedUser(asking.session)
  }

  get names(): Names {
    return this.#asking.names
  }

  /** Asks whether functions may be called: of a dataclass, or of the store and its singletons. */
  askCalls(dataClass: string | null, names: Iterable<string>, prefix = ''): void {
    for (const name of names) this.ask({ dataClass, action: 'call', functionName: prefix + name })
  }

  ask(question: Question): void {
    const { session, context, report } = this.#asking
    const id = questionId(question)
    if (this.#answers.has(id)) return
    this.#answers.set(id, false)
    const settle = (answer: unknown): void => {
      if (isAnswer(answer)) this.#answers.set(id, answer)
      else
        report(
          new TypeError(
            `authorize answered ${shown(answer)} to ${id}: it must be a boolean or a filter.`,
          ),
        )
    }
    try {
      const answer: unknown = this.#authorize({ user: this.#user, session, context, ...question })
      if (isPromise(answer)) this.#pending.push(Promise.resolve(answer).then(settle, report))
      else settle(answer)
    } catch (error) {
      report(error)
    }
  }

  /** Waits for the answers. */
  async answered(): Promise<Access> {
    await Promise.all(this.#pending)
    return accessOf(this.#answers)
  }
}

const NO_CLAIMS: AnyClaims = Object.freeze({})

function authorizedUser(session: Session | null): AuthorizedUser | null {
  const user = session?.user ?? null
  return user === null ? null : { ...user, claims: user.claims ?? NO_CLAIMS }
}

/** A blank filter would select everything; it is probably a mistake. */
function isAnswer(answer: unknown): answer is AuthorizeAnswer {
  if (typeof answer === 'boolean') return true
  if (typeof answer !== 'object' || answer === null) return isFilter(answer)
  if ('text' in answer) return isFilter(answer.text)
  if (!('filter' in answer)) return false
  const { filter } = answer
  const text =
    typeof filter === 'object' && filter !== null && 'text' in filter ? filter.text : filter
  const parameters = 'parameters' in answer ? answer.parameters : undefined
  return isFilter(text) && (parameters === undefined || typeof parameters === 'object')
}

const isFilter = (text: unknown): boolean => typeof text === 'string' && text.trim() !== ''

const shown = (answer: unknown): string =>
  typeof answer === 'string' ? 'blank text' : `a value of type ${typeof answer}`

/** Names contain no blanks, so the ids of questions are unique. */
function questionId({ dataClass, action, attribute, functionName }: Question): string {
  return `${action} ${dataClass ?? '-'} ${attribute ?? '-'} ${functionName ?? '-'}`
}

/** Questions that were not asked count as refused. */
function accessOf(answers: ReadonlyMap<string, AuthorizeAnswer>): Access {
  const answerTo = (question: Question): AuthorizeAnswer =>
    answers.get(questionId(question)) ?? false
  const isYes = (question: Question): boolean => answerTo(question) !== false
  const nameOf = ({ owner, name }: AttributeModel) => ({ dataClass: owner.name, attribute: name })
  return {
    mayDescribe: ({ name }) => isYes({ dataClass: name, action: 'describe' }),
    mayRead: (attribute) => isYes({ ...nameOf(attribute), action: 'read' }),
    mayWrite: (attribute, action) => isYes({ ...nameOf(attribute), action }),
    rows: ({ name }, action) => answerTo({ dataClass: name, action }),
    mayCall: (dataClass, functionName) =>
      isYes({ dataClass: dataClass?.name ?? null, action: 'call', functionName }),
  }
}
