import type { AttributeModel, ClassModel, RowFilter, Session } from '@entia/core'
import type { Access, RowAction } from '../../engine/access.ts'
import { isPromise } from '../../engine/awaitable.ts'
import { isRelation, type Names } from '../../engine/names.ts'
import type { AccessAction } from '../../errors/error-details.ts'
import type { RequestHead } from '../../request/request.ts'
import { PRIVILEGED_ACTIONS } from './privileges.ts'

/** What the permission hook is asked. */
export interface AuthorizeQuestion {
  /** Null for a caller without a session. */
  readonly session: Session | null
  /** Null for functions of the store and of singletons. */
  readonly dataClass: string | null
  readonly action: AccessAction
  /** Asked about one attribute (`read`, `create`, `update`): `false` hides it, or refuses its being written. */
  readonly attribute?: string
  /** Asked about one function (`call`); `Singleton.function` for a singleton's. */
  readonly functionName?: string
}

/**
 * Yes, no, or the filter that entities must satisfy: its text, or `{ filter, parameters }`, where values that come from outside
 * belong in the parameters. Where no entities are asked about (`describe`, `call`, an attribute) a filter means yes.
 */
export type AuthorizeAnswer = boolean | RowFilter

export type Authorize = (question: AuthorizeQuestion) => AuthorizeAnswer | Promise<AuthorizeAnswer>

/**
 * Asks the hook everything that a request may need to know, before the engine is entered: the engine does not wait.
 * Every question is asked once per request. A hook that throws, rejects or answers something else says no, and the host is
 * told why.
 */
export async function resolveAccess(
  authorize: Authorize,
  request: AuthorizedHead,
  known: { readonly session: Session | null; readonly names: Names; report(error: unknown): void },
): Promise<Access> {
  const { session, names } = known
  const answers = new Map<string, AuthorizeAnswer>()
  const pending: Promise<void>[] = []
  const ask = (question: Omit<AuthorizeQuestion, 'session'>): void => {
    const id = questionId(question)
    if (answers.has(id)) return
    answers.set(id, false)
    const settle = (answer: unknown): void => {
      if (isAnswer(answer)) answers.set(id, answer)
      else
        known.report(new TypeError(`authorize answered ${shown(answer)} to ${id}: it must be a boolean or a filter.`))
    }
    try {
      const answer: unknown = authorize({ session, ...question })
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
    // Any dataclass can be reached by a path.
    ask({ dataClass: name, action: 'read' })
    for (const attribute of names.attributes(dataClass))
      ask({ dataClass: name, action: 'read', attribute: attribute.name })
  }
  askAboutAddress(request, names, ask)
  await Promise.all(pending)
  return accessOf(answers)
}

/** Nothing that can be seen of entities or the model: logging in has to work whatever the hook does. */
function speaksOfData({ address: { kind } }: AuthorizedHead): boolean {
  return kind !== 'directory' && kind !== 'upload' && kind !== 'releaseSets' && kind !== 'metrics'
}

/** Blank text would select everything: more likely something was forgotten than meant. */
function isAnswer(answer: unknown): answer is AuthorizeAnswer {
  if (typeof answer === 'boolean') return true
  if (typeof answer !== 'object' || answer === null) return isFilter(answer)
  return (
    'filter' in answer && isFilter(answer.filter) && 'parameters' in answer && typeof answer.parameters === 'object'
  )
}

const isFilter = (text: unknown): boolean => typeof text === 'string' && text.trim() !== ''

const shown = (answer: unknown): string =>
  typeof answer === 'string' ? 'blank text' : `a value of type ${typeof answer}`

/** What of a request decides what is asked: nothing of its body. */
type AuthorizedHead = Pick<RequestHead, 'verb' | 'action' | 'address' | 'parameters'>
type Question = Omit<AuthorizeQuestion, 'session'>

/** What only the addressed dataclass, or the function, has to be asked. */
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
      ask({ dataClass: null, action: 'call', functionName: `${address.singleton}.${address.functionName}` })
      return
    case 'info':
      if (address.part === 'privileges') askAboutPrivileges(names, ask)
      return
    case 'data': {
      const dataClass = names.findDataClass(address.dataClass)
      if (dataClass === undefined) return
      const functions = address.parts.flatMap((part) => (part.kind === 'names' ? part.names : []))
      // `$emMethod` behind a relation names a function of the dataclass that the relation leads to.
      const relations = functions.map((name) => names.find(dataClass, name)).filter((found) => found !== undefined)
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

/** Everything that is answered of a dataclass. */
function askAboutPrivileges(names: Names, ask: (q: Question) => void): void {
  for (const { name, functions } of names.dataClasses()) {
    for (const action of PRIVILEGED_ACTIONS) ask({ dataClass: name, action })
    for (const functionName of functions.keys()) ask({ dataClass: name, action: 'call', functionName })
  }
}

/** The catalog lists what the caller may call; with the name of a function of the store, that one is called. */
function askAboutCatalog(listed: readonly string[] | 'all' | null, names: Names, ask: (q: Question) => void): void {
  const { functions, singletons } = names.catalog
  const only = Array.isArray(listed) && listed.length === 1 ? listed[0] : undefined
  if (only !== undefined && names.findDataClass(only) === undefined && functions.has(only)) {
    ask({ dataClass: null, action: 'call', functionName: only })
    return
  }
  const askAll = (owner: string | null, called: Iterable<string>, prefix = ''): void => {
    for (const name of called) ask({ dataClass: owner, action: 'call', functionName: prefix + name })
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

function askAboutRows(dataClass: ClassModel, action: RowAction, names: Names, ask: (q: Question) => void): void {
  ask({ dataClass: dataClass.name, action })
  if (action !== 'create' && action !== 'update') return
  for (const attribute of names.attributes(dataClass))
    ask({ dataClass: dataClass.name, action, attribute: attribute.name })
}

/** Names hold no blank, so no two questions have one id. */
function questionId({ dataClass, action, attribute, functionName }: Question): string {
  return `${action} ${dataClass ?? '-'} ${attribute ?? '-'} ${functionName ?? '-'}`
}

/** What was not asked is refused. */
function accessOf(answers: ReadonlyMap<string, AuthorizeAnswer>): Access {
  const answerTo = (question: Question): AuthorizeAnswer => answers.get(questionId(question)) ?? false
  const isYes = (question: Question): boolean => answerTo(question) !== false
  const nameOf = ({ owner, name }: AttributeModel) => ({ dataClass: owner.name, attribute: name })
  return {
    mayDescribe: ({ name }) => isYes({ dataClass: name, action: 'describe' }),
    mayRead: (attribute) => isYes({ ...nameOf(attribute), action: 'read' }),
    mayWrite: (attribute, action) => isYes({ ...nameOf(attribute), action }),
    rows: ({ name }, action) => answerTo({ dataClass: name, action }),
    mayCall: (dataClass, functionName) => isYes({ dataClass: dataClass?.name ?? null, action: 'call', functionName }),
  }
}
