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

/** Throws a `TypeError` for what is not an entity interface. */
export function checkSource(source: unknown): void {
  const { basePath, fetch } = (source ?? {}) as { basePath?: unknown; fetch?: unknown }
  if (typeof basePath !== 'string' || typeof fetch !== 'function')
    throw new TypeError(
      'The first argument must be an entity interface: what createRestHandler or interfaceAt returned.',
    )
}

/** The same value. Throws a `TypeError` for what is not an object. */
export function checkObject<O>(options: O): O {
  if (typeof options === 'object' && options !== null) return options
  throw new TypeError(`The options must be an object, not ${String(options)}.`)
}

/** Throws a `TypeError` that names the wrong option. */
export function checkOptions(options: McpOptions): void {
  for (const name of Object.keys(checkObject(options))) {
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
  const { allowWrites, name, headers } = options
  if (name !== undefined && typeof name !== 'string')
    throw new TypeError(`The option name must be a text, not ${String(name)}.`)
  if (headers !== undefined && (typeof headers !== 'object' || headers === null))
    throw new TypeError(`The option headers must be an object of texts, not ${String(headers)}.`)
  if (allowWrites !== undefined && typeof allowWrites !== 'boolean')
    throw new TypeError(`The option allowWrites must be true or false, not ${String(allowWrites)}.`)
}
