import type { ClassModel } from '@entia/core'
import type { BatchCall } from '@entia/core/internal'
import { type Access, isRelation, type RowAction } from '@entia/engine'
import { KINDS, type RequestHead } from '../../request/request.ts'
import { PRIVILEGED_ACTIONS } from './privileges.ts'
import { type Asking, type Authorize, Questions } from './questions.ts'

/**
 * Asks the hook every question that a request may need, each once, before the engine is called,
 * which does not wait. Which functions a replica calls is in the body: see `resolveCalls`.
 */
export async function resolveAccess(
  authorize: Authorize,
  request: AuthorizedHead,
  asking: Asking,
): Promise<Access> {
  const questions = new Questions(authorize, asking)
  const { names } = asking
  if (request.verb === 'OPTIONS') {
    // A resource that the caller does not know has no verbs.
    if (request.plain !== undefined)
      for (const { name } of names.dataClasses())
        questions.ask({ dataClass: name, action: 'describe' })
    return questions.answered()
  }
  if (KINDS[request.address.kind].isWithoutData) return questions.answered()
  for (const dataClass of names.dataClasses()) {
    const { name } = dataClass
    questions.ask({ dataClass: name, action: 'describe' })
    // A path can reach any dataclass.
    questions.ask({ dataClass: name, action: 'read' })
    for (const attribute of names.attributes(dataClass))
      questions.ask({ dataClass: name, action: 'read', attribute: attribute.name })
  }
  askAboutAddress(request, questions)
  return questions.answered()
}

/** Asks the hook about functions of dataclasses, each once, unless they do not exist. */
export async function resolveCalls(
  authorize: Authorize,
  calls: readonly BatchCall[],
  asking: Asking,
): Promise<Pick<Access, 'mayCall'>> {
  const questions = new Questions(authorize, asking)
  for (const { dataClass, name } of calls)
    if (asking.names.findDataClass(dataClass)?.functions.has(name) === true)
      questions.ask({ dataClass, action: 'call', functionName: name })
  return questions.answered()
}

/** The parts of a request that determine the questions. The body is not one. */
type AuthorizedHead = Pick<RequestHead, 'verb' | 'action' | 'address' | 'parameters'> & {
  /** Of a request of plain REST. */
  readonly plain?: object
}

/** Asks the questions about the addressed dataclass or function. */
function askAboutAddress(
  { address, action, parameters }: AuthorizedHead,
  questions: Questions,
): void {
  const { names } = questions
  switch (address.kind) {
    case 'catalog':
      askAboutCatalog(address.names, questions)
      return
    case 'openapi':
      askAboutCatalog('all', questions)
      return
    case 'singleton':
      questions.askCalls(null, [address.functionName], `${address.singleton}.`)
      return
    case 'replica':
      // A batch may write to any dataclass.
      if (address.part === 'batches')
        for (const dataClass of names.dataClasses())
          for (const rowAction of ['create', 'update', 'delete'] as const)
            askAboutRows(dataClass, rowAction, questions)
      return
    case 'info':
      if (address.part === 'privileges') askAboutPrivileges(questions)
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
          if (name !== null && owner.functions.has(name)) questions.askCalls(owner.name, [name])
      if (functions.some((name) => dataClass.functions.has(name))) return
      if (parameters.lock !== null) questions.ask({ dataClass: dataClass.name, action: 'lock' })
      for (const rowAction of rowActions(action)) askAboutRows(dataClass, rowAction, questions)
      // Deleting an image is an update of its entity.
      if (action === 'delete' && functions.length > 0) askAboutRows(dataClass, 'update', questions)
      return
    }
    default:
      return
  }
}

/** Asks the questions for `$info/privileges`. */
function askAboutPrivileges(questions: Questions): void {
  for (const { name, functions } of questions.names.dataClasses()) {
    for (const action of PRIVILEGED_ACTIONS) questions.ask({ dataClass: name, action })
    questions.askCalls(name, functions.keys())
  }
}

/**
 * The catalog lists the functions that the caller may call. A single name of a store function is a
 * call of it.
 */
function askAboutCatalog(listed: readonly string[] | 'all' | null, questions: Questions): void {
  const { names } = questions
  const { functions, singletons } = names.catalog
  const only = Array.isArray(listed) && listed.length === 1 ? listed[0] : undefined
  if (only !== undefined && names.findDataClass(only) === undefined && functions.has(only)) {
    questions.askCalls(null, [only])
    return
  }
  questions.askCalls(null, functions.keys())
  for (const [singleton, own] of singletons) questions.askCalls(null, own.keys(), `${singleton}.`)
  for (const { name, functions } of names.dataClasses()) questions.askCalls(name, functions.keys())
}

function rowActions(action: RequestHead['action']): readonly RowAction[] {
  if (action === 'delete') return ['delete']
  if (action === 'insert') return ['create']
  return action === 'update' ? ['create', 'update'] : []
}

function askAboutRows(dataClass: ClassModel, action: RowAction, questions: Questions): void {
  questions.ask({ dataClass: dataClass.name, action })
  if (action !== 'create' && action !== 'update') return
  for (const attribute of questions.names.attributes(dataClass))
    questions.ask({ dataClass: dataClass.name, action, attribute: attribute.name })
}
