import type { RequestHeaders } from './entity-interface.ts'

export interface McpOptions {
  /** The name of the server that assistants show; by default `entia`. */
  readonly name?: string
  /** Offer the tools that insert, update and remove. The default is false. */
  readonly allowWrites?: boolean
  /** The maximum number of rows in one answer; 100 by default. */
  readonly maxRows?: number
  /** The maximum number of characters of rows in one answer; 40 000 by default. */
  readonly maxCharacters?: number
  /** Sent with every request to the entity interface, for example `authorization`. */
  readonly headers?: RequestHeaders
}

/** The options without gaps. */
export type Settings = Required<McpOptions>

export const DEFAULTS: Settings = {
  name: 'entia',
  allowWrites: false,
  maxRows: 100,
  maxCharacters: 40_000,
  headers: {},
}

/** Throws a `TypeError` that names the wrong option. */
export function checkOptions(options: McpOptions): void {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(DEFAULTS, name))
      throw new TypeError(
        `createMcpServer has no option "${name}". Options: ${Object.keys(DEFAULTS).join(', ')}.`,
      )
  }
  for (const name of ['maxRows', 'maxCharacters'] as const) {
    const value = options[name]
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 1))
      throw new TypeError(`The option ${name} must be a whole number from 1, not ${String(value)}.`)
  }
  const { allowWrites } = options
  if (allowWrites !== undefined && typeof allowWrites !== 'boolean')
    throw new TypeError(`The option allowWrites must be true or false, not ${String(allowWrites)}.`)
}
