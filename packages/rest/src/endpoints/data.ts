import { type Awaitable, permitReading, permitRows, type RowAction } from '@entia/engine'
import { withOwnParams } from '../request/own-params.ts'
import type { DataRequest } from '../request/request.ts'
import type { Answer } from './context/answer.ts'
import type { HandleContext } from './context/context.ts'
import { callClassFunction } from './functions/call-function.ts'
import { mediaAttribute, readMedia } from './media/media.ts'
import { writeMedia } from './media/media-write.ts'
import { read } from './read/read.ts'
import {
  type DataTarget,
  namesFunction,
  resolveTarget,
  withAddressHint,
} from './resolve/data-target.ts'
import { withSearch } from './resolve/search.ts'
import { releaseEntitySet } from './server-state/entity-set.ts'
import { lockEntity } from './server-state/lock.ts'
import { remove, write } from './write/write.ts'

/** Answers a request about a dataclass, its entities, its entity sets or its functions. */
export function answerData(sent: DataRequest, context: HandleContext): Awaitable<Answer> {
  const { action } = sent
  const { caller } = context
  // Permission for the dataclass comes before attributes are resolved. Functions have permissions
  // of their own.
  if (caller.access !== null) {
    const dataClass = caller.names.dataClass(sent.address.dataClass)
    if (!namesFunction(dataClass, sent)) permitReading(caller, dataClass, requestedAction(sent))
  }
  let target: DataTarget
  try {
    target = resolveTarget(sent.address, sent.parameters.emMethod, context)
  } catch (error) {
    throw withAddressHint(error, sent)
  }
  let own = sent.parameters
  if (own.params !== null) {
    // A function that is called by POST has its values in the body, and refuses others.
    const takesValues = target.functionName !== null && (sent.verb === 'GET' || own.filter === null)
    own = withOwnParams(own, own.params, takesValues)
  }
  const parameters = own.search === null ? own : withSearch(own, action, target, context)
  const request = parameters === sent.parameters ? sent : { ...sent, parameters }
  if (parameters.lock !== null) return lockEntity(target, request, context)
  if (action === 'release') return releaseEntitySet(target, context)
  if (target.functionName !== null)
    return callClassFunction(target, target.functionName, request, context)
  const media = target.owner === null ? null : mediaAttribute(target, request, context)
  if (media !== null) {
    if (action !== 'retrieve') return writeMedia(target, media, request, context)
    if (parameters.expand.includes(media.name)) return readMedia(target, media, request, context)
  }
  // Refuses actions that are denied for the whole dataclass; otherwise each entity is checked.
  if (action === 'delete') permitRows(caller, target.dataClass, 'delete')
  if (action === 'insert') permitRows(caller, target.dataClass, 'create')
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

/**
 * The action that address and parameters request. A body without an address may create or update.
 */
function requestedAction({ action, address, parameters }: DataRequest): RowAction {
  const hasAttributes = address.parts.some(({ kind }) => kind === 'names')
  if (parameters.lock !== null) return 'lock'
  switch (action) {
    case 'retrieve':
    case 'release':
      return 'read'
    case 'delete':
      return hasAttributes ? 'update' : 'delete'
    case 'insert':
      return 'create'
    case 'update':
      return address.selector === null && parameters.method === null ? 'create' : 'update'
  }
}
