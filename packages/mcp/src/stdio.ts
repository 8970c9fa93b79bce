import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { EntityInterface } from './entity-interface.ts'
import { createMcpServer } from './mcp-server.ts'
import type { McpOptions } from './options.ts'

/**
 * Answers the Model Context Protocol on standard input and output, as a program that an assistant
 * starts. Resolves when the input ends. Nothing else may write to standard output.
 *
 * @example
 * ```ts
 * import { interfaceAt } from '@entia/mcp'
 * await serveStdio(interfaceAt('http://localhost:8080/rest'))
 * ```
 */
export async function serveStdio(source: EntityInterface, options?: McpOptions): Promise<void> {
  const server = createMcpServer(source, options)
  const ended = new Promise<void>((resolve) => {
    server.server.onclose = resolve
    process.stdin.once('end', resolve).once('close', resolve)
  })
  await server.connect(new StdioServerTransport())
  await ended
  await server.close()
}
