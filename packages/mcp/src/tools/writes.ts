import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import type { Link } from '../entity-interface.ts'
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
    (write, { signal }) =>
      toolResult(async () => ({
        entity: plainEntity(
          await link.post([write.dataClass], { $method: 'insert' }, write.values, signal),
        ),
      })),
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
    (write, { signal }) =>
      toolResult(async () => ({
        entity: plainEntity(
          await link.post([write.dataClass], { $method: 'update' }, named(write), signal),
        ),
      })),
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
        await link.post([write.dataClass], { $method: 'delete' }, [named(write)], signal)
        return { removed: true }
      }),
  )
}

interface Named {
  readonly key: string | number
  readonly stamp?: number | undefined
  readonly values?: { readonly [name: string]: unknown }
}

/** The body of a write of an existing entity. Its key and stamp win over values of these names. */
const named = ({ key, stamp, values }: Named) => ({
  ...values,
  __KEY: String(key),
  ...(stamp === undefined ? {} : { __STAMP: stamp }),
})
