import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { type AttributeFacts, type ClassFacts, knownClass, readCatalog } from '../catalog.ts'
import { type Link, property, Refusal } from '../entity-interface.ts'
import { toolResult } from './tool-result.ts'

/** Beyond this number of dataclasses the list has no attributes: they would fill the context. */
const MAX_DETAILED_CLASSES = 30

export function addCatalogTool(server: McpServer, link: Link): void {
  server.registerTool(
    'catalog',
    {
      title: 'Dataclasses and attributes',
      description:
        'Lists the dataclasses with their number of entities, key and attributes. Of a large model it lists the names only; name a dataclass for its attributes.',
      inputSchema: z.strictObject({
        dataClass: z.string().optional().describe('Only this dataclass'),
      }),
      outputSchema: {
        dataClasses: z.array(
          z.object({
            name: z.string(),
            key: z.string().nullable(),
            count: z.number().nullable(),
            attributes: z.array(z.string()).optional(),
            attributeCount: z.number().optional(),
          }),
        ),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ dataClass }, { signal }) =>
      toolResult(async () => {
        const shown =
          dataClass === undefined
            ? await readCatalog(link, signal)
            : [await knownClass(link, dataClass, signal)]
        const isDetailed = shown.length <= MAX_DETAILED_CLASSES
        const dataClasses = await Promise.all(
          shown.map(async (model) => ({
            name: model.name,
            key: model.key,
            count: await countOf(link, model, signal),
            ...(isDetailed
              ? { attributes: model.attributes.map(lineOf) }
              : { attributeCount: model.attributes.length }),
          })),
        )
        return { dataClasses }
      }),
  )
}

/** The number of entities that the caller sees; null if reading the dataclass is refused. */
async function countOf(link: Link, { name }: ClassFacts, signal: AbortSignal) {
  try {
    const count = property(await link.get([name], { $top: 0 }, signal), '__COUNT')
    return typeof count === 'number' ? count : null
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** For example `delay: long, indexed` or `origin: Airport (to-one relation)`. */
function lineOf({ name, type, kind, notes }: AttributeFacts): string {
  const relation =
    kind === 'toOne' ? ' (to-one relation)' : kind === 'toMany' ? ' (to-many relation)' : ''
  const derived = kind === 'computed' || kind === 'alias' ? [kind] : []
  return [`${name}: ${type}${relation}`, ...derived, ...notes].join(', ')
}
