import type { RestRequest } from '../request/request.ts'
import type { Answer } from './answer.ts'
import type { HandleContext } from './context.ts'
import type { DataTarget } from './data-target.ts'
import { notApplicable } from './not-applicable.ts'

export async function releaseEntitySet(_target: DataTarget, _context: HandleContext): Promise<Answer> {
  throw notApplicable('$method=release', 'it is not supported by this version')
}

export async function releaseEntitySets(_request: RestRequest, _context: HandleContext): Promise<Answer> {
  throw notApplicable('$entityset/$release', 'it is not supported by this version')
}
