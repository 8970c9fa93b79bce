import type { ServiceAddress } from '../request/address.ts'
import type { DataRequest, RestRequest } from '../request/request.ts'
import type { Answer } from './answer.ts'
import type { HandleContext } from './context.ts'
import type { DataTarget } from './data-target.ts'
import { notApplicable } from './not-applicable.ts'

/** Calls a function of a dataclass, a selection or an entity. */
export async function callClassFunction(
  _target: DataTarget,
  name: string,
  _request: DataRequest,
  _context: HandleContext,
): Promise<Answer> {
  throw notApplicable(`Function "${name}"`, 'calling functions is not supported by this version')
}

/** Calls a function of the store. */
export async function callStoreFunction(name: string, _request: RestRequest, _context: HandleContext): Promise<Answer> {
  throw notApplicable(`Function "${name}"`, 'calling functions is not supported by this version')
}

/** Calls a function of a singleton. */
export async function callSingletonFunction(
  address: Extract<ServiceAddress, { kind: 'singleton' }>,
  _request: RestRequest,
  _context: HandleContext,
): Promise<Answer> {
  throw notApplicable(`Function "${address.functionName}"`, 'calling functions is not supported by this version')
}
