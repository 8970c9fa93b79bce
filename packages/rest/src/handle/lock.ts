import type { DataRequest } from '../request/request.ts'
import type { Answer } from './answer.ts'
import type { HandleContext } from './context.ts'
import type { DataTarget } from './data-target.ts'
import { notApplicable } from './not-applicable.ts'

export async function lockEntity(_target: DataTarget, _request: DataRequest, _context: HandleContext): Promise<Answer> {
  throw notApplicable('$lock', 'it is not supported by this version')
}
