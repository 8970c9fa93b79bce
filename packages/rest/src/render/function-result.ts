import type { ResultValue, ShownSelection } from '@entia/engine'
import type { Answer } from '../endpoints/context/answer.ts'
import { EntityRenderer, type RenderOptions } from './entity.ts'
import { membersOf, objectOf } from './layout.ts'

/**
 * Renders the result of a function as `{"result": …}`. Entities and selections inside it have the
 * same form as in reads.
 */
export function renderResult(
  { value, globalStamp }: Extract<Answer, { kind: 'called' }>,
  options: RenderOptions,
): string {
  const renderer = new EntityRenderer(options, globalStamp)
  const write = (inner: ResultValue): string => {
    if (typeof inner !== 'object' || inner === null) return JSON.stringify(inner)
    if (isArray(inner)) return `[${inner.map(write).join(',')}]`
    if (inner instanceof Map)
      return `{${[...inner].map(([name, it]) => `${JSON.stringify(name)}:${write(it)}`).join(',')}}`
    const shown = inner as Exclude<typeof inner, ReadonlyMap<string, ResultValue>>
    return shown.kind === 'entity'
      ? objectOf(renderer.renderSingle(shown.record, shown.projection))
      : writeSelection(shown, renderer, globalStamp)
  }
  return `{"result":${write(value)}}`
}

/** `Array.isArray` does not narrow to a readonly array. */
const isArray = (value: ResultValue): value is readonly ResultValue[] => Array.isArray(value)

function writeSelection(
  { projection, count, first, records }: ShownSelection,
  renderer: EntityRenderer,
  stamp: number,
) {
  const { name } = projection.dataClass
  const entities = records.map((record) =>
    record === null ? '{"__STAMP":0}' : renderer.render(record, projection, 'read'),
  )
  return objectOf(
    membersOf({ __DATACLASS: name, __entityModel: name }),
    membersOf({ __GlobalStamp: stamp, __COUNT: count, __FIRST: first }),
    `"__ENTITIES":[${entities.join(',')}]`,
    `"__SENT":${entities.length}`,
  )
}
