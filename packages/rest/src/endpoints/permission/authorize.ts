import type { ClassModel } from '@entia/core'
import type { BatchCall } from '@entia/core/internal'
import { type Access, isRelation, type Names, type RowAction } from '@entia/engine'
import type { RequestHead } from '../../request/request.ts'
import { PRIVILEGED_ACTIONS } from './privileges.ts'
import { type Asking, type Authorize, type Question, Questions } from './questions.ts'

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
  const ask = (question: Question): void => questions.ask(question)
  if (request.verb === 'OPTIONS') {
    // A resource that the caller does not know has no verbs.
    if (request.plain !== undefined)
      for (const { name } of names.dataClasses()) ask({ dataClass: name, action: 'describe' })
    return questions.answered()
  }
  if (!speaksOfData(request)) return questions.answered()
  for (const dataClass of names.dataClasses()) {
    const { name } = dataClass
    ask({ dataClass: name, action: 'describe' })
    // A path can reach any dataclass.
    ask({ dataClass: name, action: 'read' })
    for (const attribute of names.attributes(dataClass))
      ask({ dataClass: name, action: 'read', attribute: attribute.name })
  }
  askAboutAddress(request, names, ask)
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

/** The parts of a request that determine the questions. The body is not one. */
type AuthorizedHead = Pick<RequestHead, 'verb' | 'action' | 'address' | 'parameters'> & {
  /** Of a request of plain REST. */
  readonly plain?: object
}

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
      // A batch may write to any dataclass.
      if (address.part === 'batches')
        for (const dataClass of names.dataClasses())
          for (const rowAction of ['create', 'update', 'delete'] as const)
            askAboutRows(dataClass, rowAction, names, ask)
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
