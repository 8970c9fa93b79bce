import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { knownAttribute, knownClass } from '../catalog.ts'
import { type Link, property } from '../entity-interface.ts'
import type { Settings } from '../options.ts'
import { fittingRows } from '../plain-entity.ts'
import { dataClass, filter, page, parameters, selecting } from './arguments.ts'
import { toolResult } from './tool-result.ts'

const attribute = z.string().min(1).describe('An attribute, or a property of an object attribute')
const value = z.union([z.number(), z.string(), z.boolean(), z.null()])

export function addAggregateTools(
  server: McpServer,
  link: Link,
  { maxRows, maxCharacters }: Settings,
): void {
  server.registerTool(
    'aggregate',
    {
      title: 'Count, sum, average, minimum, maximum',
      description:
        'Aggregates of one attribute over all entities that a filter selects. "count" counts values that are not null.',
      inputSchema: z.strictObject({ dataClass, attribute, filter, parameters }),
      outputSchema: {
        count: z.number(),
        sum: value.optional(),
        average: value.optional(),
        min: value.optional(),
        max: value.optional(),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (query, { signal }) =>
      toolResult(async () => {
        const answer = await link.get(
          await valuesOf(link, query, signal),
          { ...selecting(query), $compute: '$all' },
          signal,
        )
        return { ...(property(answer, query.attribute) as object) }
      }),
  )

  server.registerTool(
    'distinct',
    {
      title: 'Distinct values',
      description: `The distinct values of one attribute over all entities that a filter selects, in order, at most ${maxRows}.`,
      inputSchema: z.strictObject({
        dataClass,
        attribute,
        filter,
        parameters,
        ...page('Values', maxRows),
      }),
      outputSchema: { values: z.array(z.unknown()), note: z.string().optional() },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (query, { signal }) =>
      toolResult(async () => {
        const limit = query.limit ?? maxRows
        const skip = query.skip ?? 0
        const answer = await link.get(
          await valuesOf(link, query, signal),
          { ...selecting(query), $distinct: true, $skip: skip, $top: limit },
          signal,
        )
        const found: readonly unknown[] = Array.isArray(answer) ? answer : []
        const values = fittingRows(found, maxCharacters)
        const isCut = values.length < found.length || found.length === limit
        return {
          values,
          ...(isCut && {
            note: `There may be more values. Request them from skip ${skip + values.length}.`,
          }),
        }
      }),
  )
}

/** The path of the values of an attribute. A function of the dataclass is not one. */
async function valuesOf(
  link: Link,
  query: { readonly dataClass: string; readonly attribute: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const model = await knownClass(link, query.dataClass, signal)
  knownAttribute(model, query.attribute)
  return [model.name, query.attribute]
}
