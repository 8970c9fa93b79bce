import type { ClassModel } from '@entia/core'
import { allowedVerbs, type RestRequest } from '../request/request.ts'
import type { Answer } from './answer.ts'
import type { HandleContext } from './context.ts'
import type { EngineDoor } from './engine-door.ts'
import { findDataClass } from './names.ts'
import { withPlusHint } from './plus-hint.ts'
import { read } from './read.ts'
import { remove, write } from './write.ts'

/** Turns a typed request into calls of the door, and their results into an answer. Throws EntiaError for every refusal. */
export async function handle(request: RestRequest, context: HandleContext): Promise<Answer> {
  try {
    return await answer(request, context)
  } catch (error) {
    throw 'parameters' in request ? withPlusHint(error, request.parameters) : error
  }
}

async function answer(request: RestRequest, context: HandleContext): Promise<Answer> {
  switch (request.kind) {
    case 'options':
      return { kind: 'verbs', allowed: allowedVerbs(request.address) }
    case 'catalog':
      return catalogAnswer(request.names, context.door)
    case 'read':
      return read(request, context)
    case 'write':
      return write(request, context)
    case 'delete':
      return remove(request, context)
  }
}

function catalogAnswer(names: readonly string[] | 'all' | null, door: EngineDoor): Answer {
  const catalog = door.catalog()
  const dataClasses: readonly ClassModel[] =
    names === null || names === 'all'
      ? catalog.classes.filter((dataClass) => dataClass.exposed)
      : names.map((name) => findDataClass(catalog, name))
  return {
    kind: 'catalog',
    catalog,
    instanceId: door.instanceId,
    detail: names === null ? 'short' : 'full',
    dataClasses,
    withSingletons: names === null || names === 'all',
  }
}
