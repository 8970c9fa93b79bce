import type { InfoPart } from '../request/address.ts'
import type { Answer } from './answer.ts'
import type { HandleContext } from './context.ts'
import { notApplicable } from './not-applicable.ts'

export async function answerInfo(_part: InfoPart | null, _context: HandleContext): Promise<Answer> {
  throw notApplicable('$info', 'it is not supported by this version')
}
