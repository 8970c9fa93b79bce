import { type ClassModel, EntiaError, isEntiaError } from '@entia/core'
import { buildProjection, type EntityReference, type KnownPath } from '@entia/engine'
import { restError } from '../../errors/rest-error.ts'
import type { DataAddress } from '../../request/address.ts'
import type { DataRequest } from '../../request/request.ts'
import type { HandleContext } from '../context/context.ts'
import { toReference } from './entity-key.ts'

/**
 * The error of a name in a path that is not an attribute, with what the caller may have meant: the
 * key of an entity, `/Book/7`, or a function that is not exposed. Other errors are returned as they
 * are. The hint depends on the request alone, so it does not reveal what is hidden.
 */
export function withAddressHint(error: unknown, { address, verb }: DataRequest): unknown {
  if (!(error instanceof EntiaError) || !isEntiaError(error.cause, 'attributeNotFound'))
    return error
  const { cause } = error
  const { attribute, dataClass } = cause.details
  const isPart = address.parts.some(
    (part) => part.kind === 'names' && part.names.length === 1 && part.names[0] === attribute,
  )
  if (!isPart || dataClass !== address.dataClass) return error
  if (verb !== 'POST' && address.selector !== null) return error
  const hint =
    verb === 'POST'
      ? 'Clients can call functions with "exposed: true".'
      : `An entity is addressed by its key in brackets: ${dataClass}[…].`
  const details = { dataClass, attribute }
  const explained = new EntiaError('attributeNotFound', cause.details, undefined, {
    errCode: cause.errCode,
    message: () => `${cause.message} ${hint}`,
  })
  return restError('attributeListInvalid', details, { cause: explained })
}

/**
 * Resolves a path of a list. Throws `refusal` around an unknown name or one that leads nowhere,
 * budgetExceeded for a path that is too long.
 */
export function knownPath(
  dataClass: ClassModel,
  path: string,
  { caller, limits }: HandleContext,
  refusal: 'attributeListInvalid' | 'orderByInvalid' = 'attributeListInvalid',
): KnownPath {
  try {
    return caller.names.path(dataClass, path, limits.maxPathDepth)
  } catch (cause) {
    if (!isEntiaError(cause, 'attributeNotFound') && !isEntiaError(cause, 'attributeNotApplicable'))
      throw cause
    throw restError(
      refusal,
      { dataClass: dataClass.name, attribute: path.slice(0, 100) },
      { cause },
    )
  }
}

/** A data address resolved against the model. */
export interface DataTarget {
  readonly dataClass: ClassModel
  /** The addressed entity, `Employee(7)`; null for a selection. */
  readonly owner: EntityReference | null
  /** The path's attribute list; null if it has none. */
  readonly attributes: readonly string[] | null
  readonly entitySetId: string | null
  /** The exposed function that the path or `$emMethod` names. */
  readonly functionName: string | null
  /** The arguments in parentheses after its name; null if there are none. */
  readonly sent: readonly unknown[] | null
}

/** True if the path or `$emMethod` names a function. */
export function namesFunction(
  dataClass: ClassModel,
  { address, parameters }: DataRequest,
): boolean {
  return parameters.emMethod !== null || address.parts.some((part) => isFunction(dataClass, part))
}

const isFunction = (dataClass: ClassModel, part: DataAddress['parts'][number]): boolean =>
  part.kind === 'names' &&
  part.names.length === 1 &&
  dataClass.functions.get(part.names[0]!)?.exposed === true

/**
 * Resolves an address. A part of the path is a function if one has its name, else an attribute
 * list.
 *
 * Throws dataClassNotFound, attributeListInvalid around an unknown name, functionNotFound for
 * `$emMethod`, urlMalformed, keyMalformed.
 */
export function resolveTarget(
  address: DataAddress,
  emMethod: string | null,
  context: HandleContext,
): DataTarget {
  const { names } = context.caller
  const dataClass = names.dataClass(address.dataClass)
  let attributes: readonly string[] | null = null
  let entitySetId: string | null = null
  let functionName: string | null = null
  let sent: readonly unknown[] | null = null
  const twice = (what: string) => restError('urlMalformed', { problem: `a path holds one ${what}` })
  for (const part of address.parts) {
    if (part.kind === 'entitySet') {
      if (entitySetId !== null || address.selector !== null) throw twice('entity or entity set')
      entitySetId = part.id
      continue
    }
    if (isFunction(dataClass, part)) {
      if (functionName !== null) throw twice('function')
      functionName = part.names[0]!
      sent = part.sent ?? null
      continue
    }
    if (part.sent !== undefined)
      throw new EntiaError('functionNotFound', {
        owner: `The "${dataClass.name}" dataclass`,
        name: (part.names[0] ?? '').slice(0, 100),
      })
    // Unknown names in a path are reported before other problems with it.
    buildProjection(dataClass, {
      names,
      attributes: part.names,
      maxPathDepth: Number.MAX_SAFE_INTEGER,
    })
    if (attributes !== null) throw twice('list of attributes')
    attributes = part.names
  }
  const owner = address.selector === null ? null : toReference(dataClass, address.selector, names)
  return { dataClass, owner, attributes, entitySetId, functionName: functionName ?? emMethod, sent }
}
