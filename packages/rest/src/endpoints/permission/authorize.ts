import type { AttributeModel, ClassModel, RowFilter, Session, SessionUser } from '@entia/core'
import {
  type Access,
  type AccessAction,
  type AnyClaims,
  isPromise,
  isRelation,
  type Names,
  type RowAction,
} from '@entia/engine'
import type { RequestHead } from '../../request/request.ts'
import { PRIVILEGED_ACTIONS } from './privileges.ts'

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
interface Asking {
  readonly session: Session | null
  readonly context: unknown
  readonly names: Names
  report(error: unknown): void
}

/**
 * Asks the hook every question that a request may need, each once, before the engine is called,
 * which does not wait. An answer that throws, rejects or is invalid counts as no, and is reported
 * to the host.
 */
export async function resolveAccess(
  authorize: Authorize,
  request: AuthorizedHead,
  known: Asking,
): Promise<Access> {
  const { session, names, context } = known
  const user = authorizedUser(session)
  const answers = new Map<string, AuthorizeAnswer>()
  const pending: Promise<void>[] = []
  const ask = (question: Question): void => {
    const id = questionId(question)
    if (answers.has(id)) return
    answers.set(id, false)
    const settle = (answer: unknown): void => {
      if (isAnswer(answer)) answers.set(id, answer)
      else
        known.report(
          new TypeError(
            `authorize answered ${shown(answer)} to ${id}: it must be a boolean or a filter.`,
          ),
        )
    }
    try {
      const answer: unknown = authorize({ user, session, context, ...question })
      if (isPromise(answer)) pending.push(Promise.resolve(answer).then(settle, known.report))
      else settle(answer)
    } catch (error) {
      known.report(error)
    }
  }
  if (request.verb === 'OPTIONS' || !speaksOfData(request)) return accessOf(answers)
  for (const dataClass of names.dataClasses()) {
    const { name } = dataClass
    ask({ dataClass: name, action: 'describe' })
    // A path can reach any dataclass.
    ask({ dataClass: name, action: 'read' })
    for (const attribute of names.attributes(dataClass))
      ask({ dataClass: name, action: 'read', attribute: attribute.name })
  }
  askAboutAddress(request, names, ask)
  await Promise.all(pending)
  return accessOf(answers)
}

const NO_CLAIMS: AnyClaims = Object.freeze({})

function authorizedUser(session: Session | null): AuthorizedUser | null {
  const user = session?.user ?? null
  return user === null ? null : { ...user, claims: user.claims ?? NO_CLAIMS }
}

const SPEAK_OF_NO_DATA: ReadonlySet<AuthorizedHead['address']['kind']> = new Set([
  'directory',
  'upload',
  'releaseSets',
  'liveQuery',
  'metrics',
  'operator',
  'health',
])

/**
 * False for addresses that reveal nothing about entities or the model: login must work whatever the
 * hook answers.
 */
function speaksOfData({ address: { kind } }: AuthorizedHead): boolean {
  return !SPEAK_OF_NO_DATA.has(kind)
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

/** The parts of a request that determine the questions. The body is not one. */
type AuthorizedHead = Pick<RequestHead, 'verb' | 'action' | 'address' | 'parameters'>
type Question = Omit<AuthorizeQuestion, 'user' | 'session' | 'context'>

/** Asks the questions about the addressed dataclass or function. */
function askAboutAddress(
  { address, action, parameters }: AuthorizedHead,
  names: Names,
  ask: (q: Question) => void,
): void {
  switch (address.kind) {
    case 'catalog':
      askAboutCatalog(address.names, names, ask)
      return
    case 'openapi':
      askAboutCatalog('all', names, ask)
      return
    case 'singleton':
      ask({
        dataClass: null,
        action: 'call',
        functionName: `${address.singleton}.${address.functionName}`,
      })
      return
    case 'replica':
      // A batch may write to any dataclass and call any function.
      if (address.part === 'batches')
        for (const dataClass of names.dataClasses()) {
          for (const rowAction of ['create', 'update', 'delete'] as const)
            askAboutRows(dataClass, rowAction, names, ask)
          askAboutFunctions(dataClass, ask)
        }
      return
    case 'info':
      if (address.part === 'privileges') askAboutPrivileges(names, ask)
      return
    case 'data': {
      const dataClass = names.findDataClass(address.dataClass)
      if (dataClass === undefined) return
      const functions = address.parts.flatMap((part) => (part.kind === 'names' ? part.names : []))
      // After a relation, `$emMethod` names a function of the relation's target.
      const relations = functions
        .map((name) => names.find(dataClass, name))
        .filter((found) => found !== undefined)
      for (const owner of [dataClass, ...relations.filter(isRelation).map(({ target }) => target)])
        for (const name of [...functions, parameters.emMethod])
          if (name !== null && owner.functions.has(name))
            ask({ dataClass: owner.name, action: 'call', functionName: name })
      if (functions.some((name) => dataClass.functions.has(name))) return
      if (parameters.lock !== null) ask({ dataClass: dataClass.name, action: 'lock' })
      for (const rowAction of rowActions(action)) askAboutRows(dataClass, rowAction, names, ask)
      // Deleting an image is an update of its entity.
      if (action === 'delete' && functions.length > 0) askAboutRows(dataClass, 'update', names, ask)
      return
    }
    default:
      return
  }
}

/** Asks the questions for `$info/privileges`. */
function askAboutPrivileges(names: Names, ask: (q: Question) => void): void {
  for (const dataClass of names.dataClasses()) {
    for (const action of PRIVILEGED_ACTIONS) ask({ dataClass: dataClass.name, action })
    askAboutFunctions(dataClass, ask)
  }
}

function askAboutFunctions({ name, functions }: ClassModel, ask: (q: Question) => void): void {
  for (const functionName of functions.keys())
    ask({ dataClass: name, action: 'call', functionName })
}

/**
 * The catalog lists the functions that the caller may call. A single name of a store function is a
 * call of it.
 */
function askAboutCatalog(
  listed: readonly string[] | 'all' | null,
  names: Names,
  ask: (q: Question) => void,
): void {
  const { functions, singletons } = names.catalog
  const only = Array.isArray(listed) && listed.length === 1 ? listed[0] : undefined
  if (only !== undefined && names.findDataClass(only) === undefined && functions.has(only)) {
    ask({ dataClass: null, action: 'call', functionName: only })
    return
  }
  const askAll = (owner: string | null, called: Iterable<string>, prefix = ''): void => {
    for (const name of called)
      ask({ dataClass: owner, action: 'call', functionName: prefix + name })
  }
  askAll(null, functions.keys())
  for (const [singleton, own] of singletons) askAll(null, own.keys(), `${singleton}.`)
  for (const dataClass of names.dataClasses()) askAll(dataClass.name, dataClass.functions.keys())
}

function rowActions(action: RequestHead['action']): readonly RowAction[] {
  if (action === 'delete') return ['delete']
  if (action === 'insert') return ['create']
  return action === 'update' ? ['create', 'update'] : []
}

function askAboutRows(
  dataClass: ClassModel,
  action: RowAction,
  names: Names,
  ask: (q: Question) => void,
): void {
  ask({ dataClass: dataClass.name, action })
  if (action !== 'create' && action !== 'update') return
  for (const attribute of names.attributes(dataClass))
    ask({ dataClass: dataClass.name, action, attribute: attribute.name })
}

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
