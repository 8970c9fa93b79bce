import type { ClassModel } from '@entia/core'
import type { Responses } from './responses.ts'
import { componentName, type Piece } from './schema.ts'

/** The parts of an operation beside its names and its answers. */
interface Request {
  readonly parameters?: readonly Piece[]
  readonly requestBody?: Piece
}

/** An operation. Its description joins what it does and what it answers. */
export function operation(
  tag: string,
  operationId: string,
  summary: string,
  responses: Responses,
  request: Request = {},
): Piece {
  const { description: answered } = (responses[200] ?? responses[201])!
  const description = `${summary.replace(/\.$/, '')}. ${answered}`
  return { tags: [tag], operationId, summary, description, ...request, responses }
}

/** An operation on a dataclass. */
export const ofDataClass = (
  { name }: ClassModel,
  id: string,
  summary: string,
  responses: Responses,
  request: Request = {},
): Piece => operation(name, `${componentName(name)}.${id}`, summary, responses, request)

/** A parameter in the path. */
export const inPath = (
  name: string,
  description: string,
  schema: Piece,
  example?: string,
): Piece => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
  ...(example === undefined ? {} : { example }),
})
