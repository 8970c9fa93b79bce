import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { type AttributeFacts, attributeAt, knownAttribute, knownClass } from '../catalog.ts'
import { type Link, property } from '../entity-interface.ts'
import type { Settings } from '../options.ts'
import { fittingRows, plainDate } from '../plain-entity.ts'
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
        const { path, facts } = await valuesOf(link, query, signal)
        const answer = await link.get(path, { ...selecting(query), $compute: '$all' }, signal)
        const figures = Object.entries(property(answer, query.attribute) as object)
        return Object.fromEntries(figures.map(([name, each]) => [name, plainDate(each, facts)]))
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
        const { path, facts } = await valuesOf(link, query, signal)
        const answer = await link.get(
          path,
          { ...selecting(query), $distinct: true, $skip: skip, $top: limit },
          signal,
        )
        const given: readonly unknown[] = Array.isArray(answer) ? answer : []
        const found = given.map((each) => plainDate(each, facts))
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

/**
 * The path of the values of an attribute, and what is known of it. A function of the dataclass is
 * not one.
 */
async function valuesOf(
  link: Link,
  query: { readonly dataClass: string; readonly attribute: string },
  signal: AbortSignal,
): Promise<{ readonly path: readonly string[]; readonly facts: AttributeFacts | null }> {
  const model = await knownClass(link, query.dataClass, signal)
  knownAttribute(model, query.attribute)
  return { path: [model.name, query.attribute], facts: attributeAt(model, query.attribute) }
}
