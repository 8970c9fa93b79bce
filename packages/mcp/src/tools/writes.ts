import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { type KnownClass, knownAttribute, knownClass } from '../catalog.ts'
import { type Link, property, Refusal } from '../entity-interface.ts'
import { plainEntity } from '../plain-entity.ts'
import { dataClass, key, values } from './arguments.ts'
import { toolResult } from './tool-result.ts'

const entity = z.record(z.string(), z.unknown())
const stamp = z
  .number()
  .int()
  .optional()
  .describe(
    'The __STAMP of the entity as it was read. The write is refused if the entity has changed since.',
  )

export function addWriteTools(server: McpServer, link: Link): void {
  server.registerTool(
    'insert',
    {
      title: 'Insert an entity',
      description: 'Creates an entity and returns it as stored, with its key.',
      inputSchema: z.strictObject({ dataClass, values }),
      outputSchema: { entity },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    (write, { signal }) => toolResult(() => save(link, write, 'insert', signal)),
  )
  server.registerTool(
    'update',
    {
      title: 'Update an entity',
      description: 'Changes some values of an entity and returns it as stored.',
      inputSchema: z.strictObject({ dataClass, key, values, stamp }),
      outputSchema: { entity },
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    (write, { signal }) => toolResult(() => save(link, write, 'update', signal)),
  )
  server.registerTool(
    'remove',
    {
      title: 'Remove an entity',
      description: 'Deletes one entity.',
      inputSchema: z.strictObject({ dataClass, key, stamp }),
      outputSchema: { removed: z.boolean() },
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    (write, { signal }) =>
      toolResult(async () => {
        const { name } = await knownClass(link, write.dataClass, signal)
        await link.post([name], { $method: 'delete' }, [marksOf(write)], signal)
        return { removed: true }
      }),
  )
}

interface Write {
  readonly dataClass: string
  readonly key?: string | number
  readonly stamp?: number | undefined
  readonly values: { readonly [name: string]: unknown }
}

/** Saves one entity: its values are attributes, so that none of them is a part of the protocol. */
async function save(link: Link, write: Write, method: 'insert' | 'update', signal: AbortSignal) {
  const model = await knownClass(link, write.dataClass, signal)
  const sent = Object.entries(write.values).map(([name, value]) => [
    name,
    MARKS.has(name) ? value : checkedValue(model, name, value),
  ])
  const body = { ...Object.fromEntries(sent), ...marksOf(write) }
  const saved = await link.post([model.name], { $method: method }, body, signal)
  return { entity: plainEntity(saved, model, model.classes) }
}

/** Assistants send them back as they were read. The arguments of the tool win. */
const MARKS = new Set(['__KEY', '__STAMP'])

/**
 * The value to send: of a relation the key alone, also if it is in the form in which it was read.
 * Throws `Refusal` for a name that is not an attribute, and for a relation without a key.
 */
function checkedValue(model: KnownClass, name: string, value: unknown): unknown {
  // A name with a dot would be read as the attribute before it.
  const attribute = name.includes('.') ? undefined : knownAttribute(model, name)
  if (attribute === undefined)
    throw new Refusal(400, [`"${name}" is a path. Write the attribute of ${model.name} itself.`])
  if (attribute.kind !== 'toOne' || value === null) return value
  const isRead = typeof value === 'object' && Object.keys(value).join() === '__KEY'
  const key = isRead ? property(value, '__KEY') : value
  if (typeof key !== 'string' && typeof key !== 'number')
    throw new Refusal(400, [`"${name}" takes the key of the related entity, or null.`])
  return key
}

const marksOf = ({ key, stamp }: Pick<Write, 'key' | 'stamp'>) => ({
  ...(key === undefined ? {} : { __KEY: String(key) }),
  ...(stamp === undefined ? {} : { __STAMP: stamp }),
})
