import type { DirectoryCommand } from '../request/address.ts'
import type { RestRequest } from '../request/request.ts'
import type { Answer } from './answer.ts'
import type { HandleContext } from './context.ts'
import { notApplicable } from './not-applicable.ts'

export async function answerDirectory(
  _command: DirectoryCommand,
  _request: RestRequest,
  _context: HandleContext,
): Promise<Answer> {
  throw notApplicable('$directory', 'it is not supported by this version')
}
