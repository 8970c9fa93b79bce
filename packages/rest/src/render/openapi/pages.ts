import type { ClassModel } from '@entia/core'
import { componentName, type Piece, parameterRef, refs, schemaRef } from './schema.ts'

/** Parameters of every page. */
export const PAGE_PARAMETERS: readonly string[] = [
  ...['params', 'top', 'skip', 'queryplan', 'querypath'],
  ...['asArray', 'format', 'keep', 'timeout'],
]

const GROUP_PARAMETERS: readonly string[] = ['groupby', 'aggregates', 'having']

/** Parameters that are one component for each dataclass. */
export const ofClass = (dataClass: ClassModel, ...parts: readonly string[]): readonly Piece[] =>
  parts.map((part) => parameterRef(`${componentName(dataClass.name)}.${part}`))

/** Parameters of a page of a dataclass whose attributes are not in the path. */
export const ofPages = (dataClass: ClassModel): readonly Piece[] => [
  ...ofClass(dataClass, 'filter', 'orderby', 'attributes', 'expand'),
  ...refs(...PAGE_PARAMETERS, 'computeOf', 'distinctOf', ...GROUP_PARAMETERS, 'live'),
]

export const PAGE_DESCRIPTION =
  'A page, a bare array, or rows of a table; with $compute aggregates or one of them, with $distinct values, with $groupby groups.'

/** The answer to a page in all its shapes, and other ones. */
export function pageContent(dataClass: ClassModel, ...others: readonly Piece[]): Piece {
  const name = componentName(dataClass.name)
  const bare = { type: 'array', items: schemaRef(name) }
  const shapes = [
    schemaRef(`${name}.page`),
    bare,
    schemaRef('rest.Dashboard'),
    schemaRef('rest.Aggregates'),
    schemaRef('rest.Groups'),
    { type: 'array', items: schemaRef('rest.Group') },
  ]
  const values = [{ type: 'array', items: PLAIN_VALUE }, PLAIN_VALUE]
  return {
    'application/json': { schema: { anyOf: [...shapes, ...values, ...others] } },
    'text/event-stream': {
      schema: { type: 'string', description: 'With $live: what changes, as it is committed.' },
    },
  }
}

const PLAIN_VALUE: Piece = { type: ['boolean', 'number', 'string', 'null'] }
