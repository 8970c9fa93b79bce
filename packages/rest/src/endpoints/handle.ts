import { type ClassModel, type ErrorCode, isEntiaError } from '@entia/core'
import { type Awaitable, isPromise, reworded } from '@entia/engine'
import type { Address, AddressOf, CatalogAddress } from '../request/address.ts'
import type { Parameters } from '../request/parameters.ts'
import { allowedVerbs, type RestRequest } from '../request/request.ts'
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

/** What answers each kind of address. */
const ANSWERS: {
  readonly [K in Address['kind']]: (
    request: RestRequest<AddressOf<K>>,
    context: HandleContext,
  ) => Awaitable<Answer>
} = {
  catalog: answerCatalog,
  data: answerData,
  directory: answerDirectory,
  info: answerInfo,
  openapi: (_, { caller: { names } }) => ({ kind: 'openapi', names }),
  health: answerHealth,
  metrics: answerMetrics,
  operator: answerOperator,
  singleton: callSingletonFunction,
  upload,
  releaseSets: releaseEntitySets,
  replica: answerReplica,
  liveQuery: removeLive,
}

/**
 * Turns a typed request into calls of the engine, and their results into an answer. Throws
 * EntiaError for every refusal.
 */
export function handle<K extends Address['kind']>(
  request: RestRequest<AddressOf<K>>,
  context: HandleContext,
): Awaitable<Answer> {
  const { address, verb, parameters } = request
  if (verb === 'OPTIONS' && address.kind !== 'metrics' && address.kind !== 'operator')
    return { kind: 'verbs', allowed: allowedVerbs(address) }
  try {
    const answer = ANSWERS[address.kind as K](request, context)
    return isPromise(answer)
      ? answer.then(undefined, (error) => {
          throw withPlusHint(error, parameters)
        })
      : answer
  } catch (error) {
    throw withPlusHint(error, parameters)
  }
}

/**
 * The catalog, or a function of the store if the only name given is not a dataclass but such a
 * function.
 */
async function answerCatalog(
  request: RestRequest<CatalogAddress>,
  context: HandleContext,
): Promise<Answer> {
  const { names } = context.caller
  const { names: given, sent = null } = request.address
  const [only] = Array.isArray(given) ? given : []
  if (only !== undefined && given?.length === 1 && isFunction(only, context))
    return callStoreFunction(only, sent, request, context)
  if (request.verb === 'POST' || sent !== null)
    return callStoreFunction(only ?? '', sent, request, context)
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
