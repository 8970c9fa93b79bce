import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { knownClass } from '../catalog.ts'
import { type Link, property, Refusal } from '../entity-interface.ts'
import type { Settings } from '../options.ts'
import { fittingRows, plainEntity } from '../plain-entity.ts'
import { attributes, dataClass, filter, key, page, parameters, selecting } from './arguments.ts'
import { toolResult } from './tool-result.ts'

const DEFAULT_LIMIT = 20
const entity = z.record(z.string(), z.unknown())

export function addReadTools(
  server: McpServer,
  link: Link,
  { maxRows, maxCharacters }: Settings,
): void {
  const usualRows = Math.min(DEFAULT_LIMIT, maxRows)
  server.registerTool(
    'query',
    {
      title: 'Query entities',
      description: `Entities of a dataclass that a filter selects, in an order, page by page. "count" is the size of the whole selection. A page has at most ${maxRows} rows.`,
      inputSchema: z.strictObject({
        dataClass,
        filter,
        parameters,
        orderBy: z.string().optional().describe('For example: salary desc, employer.name'),
        attributes,
        ...page('Rows', maxRows, usualRows),
        plan: z.boolean().optional().describe('Also return how the query was answered'),
      }),
      outputSchema: {
        count: z.number(),
        skip: z.number(),
        rows: z.array(entity),
        note: z.string().optional(),
        plan: z.string().optional(),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (query, { signal }) =>
      toolResult(async () => {
        const skip = query.skip ?? 0
        const model = await knownClass(link, query.dataClass, signal)
        const answer = await link.get(
          [model.name],
          {
            ...selecting(query),
            $orderby: query.orderBy,
            $attributes: query.attributes,
            $skip: skip,
            $top: query.limit ?? usualRows,
            $explain: query.plan,
          },
          signal,
        )
        const entities = property(answer, '__ENTITIES')
        const found = (Array.isArray(entities) ? entities : []).map((each) =>
          plainEntity(each, model, model.classes),
        )
        const rows = fittingRows(found, maxCharacters)
        const plan = property(property(answer, '__explain'), 'text')
        return {
          count: Number(property(answer, '__COUNT')),
          skip,
          rows,
          ...(rows.length < found.length && {
            note: `${found.length - rows.length} rows of this page are left out, because the answer may have ${maxCharacters} characters. Request fewer attributes, or the next page from skip ${skip + rows.length}.`,
          }),
          ...(typeof plan === 'string' && { plan }),
        }
      }),
  )

  server.registerTool(
    'entity',
    {
      title: 'One entity by key',
      description: 'One entity by its key, with its stamp.',
      inputSchema: z.strictObject({ dataClass, key, attributes }),
      outputSchema: { entity },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (query, { signal }) =>
      toolResult(async () => {
        const model = await knownClass(link, query.dataClass, signal)
        if (model.key === null)
          throw new Refusal(403, [
            `The key of ${model.name} is not visible. Use "query" with a filter.`,
          ])
        const answer = await link.get(
          [model.name],
          {
            ...selecting({ filter: `${model.key} === :1`, parameters: [query.key] }),
            $attributes: query.attributes,
            $top: 1,
          },
          signal,
        )
        const entities = property(answer, '__ENTITIES')
        const [found] = Array.isArray(entities) ? entities : []
        if (found === undefined)
          throw new Refusal(404, [`${query.dataClass} has no entity with the key ${query.key}.`])
        const plain = plainEntity(found, model, model.classes)
        const { length } = JSON.stringify(plain)
        if (length > maxCharacters)
          throw new Refusal(400, [
            `The entity has ${length} characters; an answer may have ${maxCharacters}. Name the attributes you need.`,
          ])
        return { entity: plain }
      }),
  )
}
