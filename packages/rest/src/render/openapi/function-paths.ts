import type { ClassModel, StoreFunction } from '@entia/core'
import type { Names } from '../../engine/names.ts'
import { operation } from './operation.ts'
import { OF_READS, responses } from './responses.ts'
import { componentName, jsonContent, type Piece, parameterRef, pieceOf } from './schema.ts'

const segment = encodeURIComponent

/** Functions that the caller may call: of a dataclass, its selections and its entities. */
export function classFunctionPaths(dataClass: ClassModel, names: Names): Piece {
  const home = `/${segment(dataClass.name)}`
  const component = componentName(dataClass.name)
  const called = [...dataClass.functions.values()].filter(
    (fn) => fn.exposed && names.mayCall(dataClass, fn.name),
  )
  return pieceOf(
    called.flatMap((fn): readonly (readonly [string, Piece])[] => {
      const path = segment(fn.name)
      const selecting = fn.on === 'entity' ? [] : [`${component}.filter`, `${component}.orderby`]
      const calls = (id: string): Piece =>
        callsOf(fn, dataClass.name, `${component}.${id}.${fn.name}`, selecting)
      const at = (parameter: string, id: string): Piece => ({
        parameters: [parameterRef(parameter)],
        ...calls(id),
      })
      if (fn.on === 'entity') return [[`${home}({key})/${path}`, at(`${component}.key`, 'call')]]
      const ofClass = [`${home}/${path}`, calls('call')] as const
      if (fn.on === 'dataClass') return [ofClass]
      return [ofClass, [`${home}/$entityset/{id}/${path}`, at('setId', 'entitySet.call')]]
    }),
  )
}

/** Functions of the store and of singletons that the caller may call. */
export function storeFunctionPaths(names: Names): Piece {
  const { functions, singletons } = names.catalog
  const own = [...functions.values()]
    .filter(
      (fn) =>
        fn.exposed && names.mayCall(null, fn.name) && names.findDataClass(fn.name) === undefined,
    )
    .map(
      (fn) =>
        [
          `/$catalog/${segment(fn.name)}`,
          callsOf(fn, '$functions', `$call.${fn.name}`, []),
        ] as const,
    )
  const ofSingletons = [...singletons].flatMap(([name, called]) =>
    [...called.values()]
      .filter((fn) => fn.exposed && names.mayCall(null, `${name}.${fn.name}`))
      .map((fn) => {
        const path = `/$singleton/${segment(name)}/${segment(fn.name)}`
        return [path, callsOf(fn, '$functions', `$singleton.${name}.${fn.name}`, [])] as const
      }),
  )
  return pieceOf([...own, ...ofSingletons])
}

function callsOf(
  fn: StoreFunction,
  tag: string,
  operationId: string,
  selecting: readonly string[],
): Piece {
  const answers = responses(
    'The result of the function: {"result": …}, an entity, a page, or a response of its own.',
    { ...jsonContent({}), '*/*': {} },
    [...OF_READS, 'tooLarge', 'rules'],
  )
  const parameters = selecting.map(parameterRef)
  const summary = `Calls ${fn.name}`
  const requestBody = {
    description: 'Its parameters: an array of them, or the only one.',
    content: jsonContent({}),
  }
  const sent = { parameters: [...parameters, parameterRef('params')] }
  return {
    post: operation(tag, operationId, summary, answers, { parameters, requestBody }),
    ...(fn.onHttpGet ? { get: operation(tag, `${operationId}.get`, summary, answers, sent) } : {}),
  }
}
