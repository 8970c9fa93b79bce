import type { DataRequest } from '../request/request.ts'
import type { Answer } from './answer.ts'
import { callClassFunction } from './call-function.ts'
import type { HandleContext } from './context.ts'
import { type DataTarget, resolveTarget } from './data-target.ts'
import { releaseEntitySet } from './entity-set.ts'
import { lockEntity } from './lock.ts'
import { mediaAttribute, readMedia } from './media.ts'
import { writeMedia } from './media-write.ts'
import { permitRows } from './permit.ts'
import { read } from './read.ts'
import { remove, write } from './write.ts'

/** Answers a request about a dataclass, its entities, its entity sets or its functions. */
export async function answerData(request: DataRequest, context: HandleContext): Promise<Answer> {
  const { action, parameters } = request
  const target = resolveTarget(request.address, parameters.emMethod, context)
  permit(target, request, context)
  if (parameters.lock !== null) return lockEntity(target, request, context)
  if (action === 'release') return releaseEntitySet(target, context)
  if (target.functionName !== null) return callClassFunction(target, target.functionName, request, context)
  const media = mediaAttribute(target, request, context)
  if (media !== null) {
    if (action !== 'retrieve') return writeMedia(target, media, request, context)
    if (parameters.expand.includes(media.name)) return readMedia(target, media, request, context)
  }
  switch (action) {
    case 'retrieve':
      return read(target, request, context)
    case 'delete':
      return remove(target, request, context)
    case 'update':
    case 'insert':
      return write(target, request, context)
  }
}

/** Refuses at once what the caller may not do with the dataclass at all; entities are judged one by one where they are met. */
function permit(
  { dataClass, functionName }: DataTarget,
  { action, parameters }: DataRequest,
  { caller }: HandleContext,
) {
  if (functionName !== null) return
  permitRows(caller, dataClass, 'read')
  if (parameters.lock !== null) permitRows(caller, dataClass, 'lock')
  else if (action === 'delete') permitRows(caller, dataClass, 'delete')
  else if (action === 'insert') permitRows(caller, dataClass, 'create')
}
