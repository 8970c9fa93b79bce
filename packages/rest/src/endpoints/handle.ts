import { type ClassModel, type ErrorCode, isEntiaError } from '@entia/core'
import { type Awaitable, isPromise, reworded } from '@entia/engine'
import type { CatalogAddress } from '../request/address.ts'
import type { Parameters } from '../request/parameters.ts'
import { allowedVerbs, type DataRequest, type RestRequest } from '../request/request.ts'
import type { Answer } from './context/answer.ts'
import type { HandleContext } from './context/context.ts'
import { answerData } from './data.ts'
import { callSingletonFunction, callStoreFunction } from './functions/call-function.ts'
import { answerHealth, answerInfo, answerMetrics } from './info/info.ts'
import { upload } from './media/media-write.ts'
import { answerOperator } from './operator/operator.ts'
import { removeLive } from './read/live.ts'
import { answerReplica } from './replica/replica.ts'
import { answerDirectory } from './server-state/directory.ts'
import { releaseEntitySets } from './server-state/entity-set.ts'

/**
 * Turns a typed request into calls of the engine, and their results into an answer. Throws
 * EntiaError for every refusal.
 */
export function handle(request: RestRequest, context: HandleContext): Awaitable<Answer> {
  try {
    const found = answer(request, context)
    return isPromise(found) ? hinted(found, request) : found
  } catch (error) {
    throw withPlusHint(error, request.parameters)
  }
}

async function hinted(answer: Promise<Answer>, { parameters }: RestRequest): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    throw withPlusHint(error, parameters)
  }
}

function answer(request: RestRequest, context: HandleContext): Awaitable<Answer> {
  const { address } = request
  if (request.verb === 'OPTIONS' && address.kind !== 'metrics' && address.kind !== 'operator')
    return { kind: 'verbs', allowed: allowedVerbs(address) }
  switch (address.kind) {
    case 'catalog':
      return answerCatalog(address, request, context)
    case 'data':
      return answerData(request as DataRequest, context)
    case 'directory':
      return answerDirectory(address.command, request, context)
    case 'info':
      return answerInfo(address.part, context)
    case 'openapi':
      return { kind: 'openapi', names: context.caller.names }
    case 'health':
      return answerHealth(address.of, context)
    case 'metrics':
      return answerMetrics(request.verb, context)
    case 'operator':
      return answerOperator(address, request.verb, context)
    case 'singleton':
      return callSingletonFunction(address, request, context)
    case 'upload':
      return upload(request, context)
    case 'releaseSets':
      return releaseEntitySets(request, context)
    case 'replica':
      return answerReplica(address.part, request, context)
    case 'liveQuery':
      return removeLive(address, context)
  }
}

/**
 * The catalog, or a function of the store if the only name given is not a dataclass but such a
 * function.
 */
async function answerCatalog(
  address: CatalogAddress,
  request: RestRequest,
  context: HandleContext,
): Promise<Answer> {
  const { names } = context.caller
  const given = address.names
  const [only] = Array.isArray(given) ? given : []
  if (only !== undefined && given?.length === 1 && isFunction(only, context))
    return callStoreFunction(only, address.sent ?? null, request, context)
  if (request.verb === 'POST' || address.sent !== undefined)
    return callStoreFunction(only ?? '', address.sent ?? null, request, context)
  const dataClasses: readonly ClassModel[] =
    given === null || given === 'all'
      ? names.dataClasses()
      : given.map((name) => names.dataClass(name))
  return {
    kind: 'catalog',
    names,
    instanceId: context.engine.instanceId,
    detail: given === null ? 'short' : 'full',
    dataClasses,
    withSingletons: given === null || given === 'all',
    offersLive: context.rules.streams !== null,
    offersOperators: context.rules.operator !== null,
  }
}

function isFunction(name: string, { caller: { names } }: HandleContext): boolean {
  return (
    names.findDataClass(name) === undefined && names.catalog.functions.get(name)?.exposed === true
  )
}

/** The parameter that each error is about. */
const REFUSED_PARAMETER: { readonly [C in ErrorCode]?: string } = {
  filterSyntax: '$filter',
  filterOperator: '$filter',
  filterCannotBeAnalysed: '$filter',
  formulaNotAllowed: '$filter',
  placeholderMissing: '$filter',
  parameterUnused: '$filter',
  orderBySyntax: '$orderby',
  orderByInvalid: '$orderby',
  attributeNotSortable: '$orderby',
  attributeListInvalid: '$attributes',
  expandListInvalid: '$expand',
}

const HINT = 'A + in an address is a plus sign: write a blank as %20.'

/**
 * Adds a hint to an error about a parameter that was sent with a `+` in it: form encoders write
 * blanks as `+`, and users would look for the mistake in the filter. Returns other errors
 * unchanged.
 */
function withPlusHint(error: unknown, { withPlus }: Parameters): unknown {
  if (!isEntiaError(error) || !withPlus.has(REFUSED_PARAMETER[error.code] ?? '')) return error
  // The hint follows a message's caret line on a line of its own.
  const hinted = `${error.message}${error.message.includes('\n') ? '\n' : ' '}${HINT}`
  return reworded(error, hinted, { cause: error.cause })
}
