import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { Refusal } from '../entity-interface.ts'

type Structured = { readonly [name: string]: unknown }

/** Runs a tool. A refusal of the interface becomes a result that the assistant can read. */
export async function toolResult(run: () => Promise<Structured>): Promise<CallToolResult> {
  try {
    const structuredContent = { ...(await run()) }
    return {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const text =
      error.status === 401 || error.status === 403
        ? `${error.message}\nThe caller of this server has no permission for it.`
        : error.message
    return { content: [{ type: 'text', text }], isError: true }
  }
}
