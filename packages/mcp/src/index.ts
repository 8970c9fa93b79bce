// A Model Context Protocol server over an entity interface.

export { type EntityInterface, interfaceAt } from './entity-interface.ts'
export { createMcpHandler, type McpHandler, type McpHandlerOptions } from './mcp-handler.ts'
export { createMcpServer } from './mcp-server.ts'
export type { McpOptions } from './options.ts'
export { serveStdio } from './stdio.ts'
