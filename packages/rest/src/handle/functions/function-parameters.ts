import { EntiaError } from '@entia/core'
import type { CallParameter } from '../../engine/function-query.ts'
import { restError } from '../../errors/rest-error.ts'
import { type BodyEntity, parseJsonBody } from '../../request/body.ts'
import { depthOfValue, describeJsonProblem, problemInside } from '../../request/json-text.ts'
import { overLimit } from '../../request/limits.ts'
import type { RestRequest } from '../../request/request.ts'
import type { HandleContext } from '../context/context.ts'
import { findUploads, type UploadsById } from '../media/media-item.ts'
import { toWriteItem } from '../write/write-item.ts'

/**
 * The arguments of a call: from the address if it has some, else from the body, or from `$params`
 * for a GET. A value that is not an array is a single argument. Throws bodyMalformed,
 * budgetExceeded, functionParameterInvalid, urlMalformed for arguments in both places.
 */
export async function readParameters(
  { verb, body, parameters }: RestRequest,
  { name, sent: inAddress }: { readonly name: string; readonly sent: readonly unknown[] | null },
  context: HandleContext,
): Promise<readonly CallParameter[]> {
  const { limits } = context
  const sent = verb === 'GET' ? (parameters.params ?? undefined) : parseJsonBody(body, limits)
  if (inAddress !== null && sent !== undefined)
    throw restError('urlMalformed', {
      problem: `"${name}" has parameters in the address, and in ${verb === 'GET' ? '$params' : 'the body'}: remove one of them`,
    })
  const values = inAddress ?? (sent === undefined ? [] : Array.isArray(sent) ? sent : [sent])
  if (values.length > limits.maxParams)
    throw overLimit('parameters of a function', 'maxParams', limits.maxParams)
  const entities = values.map(membersOf).filter((members) => members.get('__ENTITY') === true)
  const uploads = await findUploads(entities, context)
  return values.map((value, at) => {
    const refuse = (problem: string, cause?: unknown) =>
      restError('functionParameterInvalid', { name, position: at + 1, problem }, { cause })
    const tooDeep = depthOfValue(value, limits.maxJsonDepth) > limits.maxJsonDepth
    const problem = tooDeep ? 'tooDeep' : problemInside(value)
    if (problem !== null) throw refuse(`${describeJsonProblem(problem, limits.maxJsonDepth)}.`)
    return toParameter(value, refuse, context, uploads)
  })
}

type Refuse = (problem: string, cause?: unknown) => EntiaError

function membersOf(value: unknown): BodyEntity {
  return new Map(
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? []
      : Object.entries(value),
  )
}

function toParameter(
  value: unknown,
  refuse: Refuse,
  context: HandleContext,
  uploads: UploadsById,
): CallParameter {
  const members = membersOf(value)
  if (members.get('__ENTITY') === true) return toEntity(members, refuse, context, uploads)
  if (members.get('__ENTITIES') === true) return toSelection(members, refuse)
  return { kind: 'json', value }
}

function toEntity(
  members: BodyEntity,
  refuse: Refuse,
  context: HandleContext,
  uploads: UploadsById,
): CallParameter {
  const { caller, basePath } = context
  const className = members.get('__DATACLASS') ?? members.get('__entityModel')
  if (typeof className !== 'string')
    throw refuse('an entity needs the name of its dataclass as __DATACLASS.')
  const dataClass = caller.names.findDataClass(className)
  if (dataClass === undefined) {
    const cause = new EntiaError('dataClassNotFound', { dataClass: className.slice(0, 100) })
    throw refuse(cause.message, cause)
  }
  const { names } = caller
  const item = toWriteItem(members, {
    names,
    dataClass,
    mode: 'update',
    addressed: null,
    ifMatch: null,
    basePath,
    uploads,
  })
  return { kind: 'entity', dataClass, item }
}

/** `__DATASET` is the id or the address of an entity set. */
function toSelection(members: BodyEntity, refuse: Refuse): CallParameter {
  const dataSet = members.get('__DATASET')
  if (typeof dataSet !== 'string' || dataSet === '')
    throw refuse('a selection needs the id of an entity set as __DATASET.')
  const id = dataSet.split('/').at(-1)!
  const inAddress = dataSet.split('/').at(-3)
  const named = members.get('__DATACLASS') ?? inAddress ?? null
  if (named !== null && typeof named !== 'string')
    throw refuse('__DATACLASS is the name of a dataclass.')
  return { kind: 'selection', id, dataClass: named }
}
