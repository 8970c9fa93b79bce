import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { attributeAt, type KnownClass, knownClass } from '../catalog.ts'
import { type Link, property } from '../entity-interface.ts'
import type { Settings } from '../options.ts'
import { fittingRows, plainDate } from '../plain-entity.ts'
import { dataClass, filter, page, parameters, selecting } from './arguments.ts'
import { toolResult } from './tool-result.ts'

export function addGroupTool(
  server: McpServer,
  link: Link,
  { maxRows, maxCharacters }: Settings,
): void {
  server.registerTool(
    'group',
    {
      title: 'Group and aggregate',
      description: `Groups all entities that a filter selects, with aggregates per group. "count" is the number of groups. At most ${maxRows} groups in one answer.`,
      inputSchema: z.strictObject({
        dataClass,
        by: z
          .string()
          .min(1)
          .describe(
            'Attributes, separated by commas: "origin.state, date.month". Dates group by .day, .week, .month, .quarter, .year.',
          ),
        aggregates: z
          .string()
          .optional()
          .describe(
            'For example "count, delay.average, delay.max". Functions: average, count, countDistinct, max, min, sum.',
          ),
        filter,
        parameters,
        having: z
          .string()
          .optional()
          .describe('A condition on groups: "count > 10 and delay.average > 5"'),
        orderBy: z.string().optional().describe('Members of groups: "delay.average desc"'),
        ...page('Groups', maxRows),
      }),
      outputSchema: {
        count: z.number(),
        skip: z.number(),
        groups: z.array(z.record(z.string(), z.unknown())),
        note: z.string().optional(),
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
            $groupby: query.by,
            $aggregates: query.aggregates ?? 'count',
            $having: query.having === undefined ? undefined : `"${query.having}"`,
            $orderby: query.orderBy,
            $skip: skip,
            $top: query.limit ?? maxRows,
          },
          signal,
        )
        const given = property(answer, '__GROUPS')
        const list: readonly object[] = Array.isArray(given) ? given : []
        const found = list.map((group) => plainGroup(group, '', model))
        const groups = fittingRows(found, maxCharacters)
        return {
          count: Number(property(answer, '__COUNT')),
          skip,
          groups,
          ...(groups.length < found.length && {
            note: `${found.length - groups.length} groups of this page are left out, because the answer may have ${maxCharacters} characters. Request the next ones from skip ${skip + groups.length}.`,
          }),
        }
      }),
  )
}

/** A group with plain calendar dates: `{ hired, employer: { name }, salary: { max } }`. */
const plainGroup = (
  group: object,
  path: string,
  model: KnownClass,
): { readonly [name: string]: unknown } =>
  Object.fromEntries(
    Object.entries(group).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? plainGroup(value, `${path}${name}.`, model)
        : // The names of aggregates follow that of their attribute.
          plainDate(
            value,
            attributeAt(model, `${path}${name}`) ?? attributeAt(model, path.slice(0, -1)),
          ),
    ]),
  )
