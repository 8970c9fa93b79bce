import { usageError } from './cli-error.ts'
import { parseCommand } from './command-options.ts'

export interface ServeOptions {
  /** A module, or a file or folder of rows. */
  readonly source: string
  /** 0 asks for any free port. */
  readonly port: number
  readonly host: string
  /** Begins with a slash and does not end with one. */
  readonly basePath: string
  /** The folder in which commits are kept; null: nowhere. */
  readonly journal: string | null
  /** Whether `$openapi` and `$metrics` are served to whoever asks. */
  readonly openApi: boolean
  readonly metrics: boolean
}

/** Reads the command line of `serve`; null when help is asked for. */
export function parseServeOptions(
  parameters: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ServeOptions | null {
  const { values, positionals } = parseCommand('serve', parameters, {
    port: { type: 'string', short: 'p' },
    host: { type: 'string' },
    'base-path': { type: 'string' },
    journal: { type: 'string' },
    openapi: { type: 'boolean' },
    metrics: { type: 'boolean' },
  })
  if (values.help) return null
  const [source, ...extra] = positionals
  if (source === undefined)
    throw usageError('"entia serve" needs a module or data: entia serve flights.mjs, entia serve data/', 'serve')
  if (extra.length > 0) throw usageError(`"entia serve" takes one source, not ${positionals.length}.`, 'serve')
  return {
    source,
    port:
      values.port === undefined
        ? portOf(environment.PORT || '8080', 'The variable PORT')
        : portOf(values.port, '--port'),
    host: hostOf(values.host ?? '127.0.0.1'),
    basePath: basePathOf(values['base-path'] ?? '/rest'),
    journal: values.journal === undefined ? null : folderOf(values.journal),
    openApi: values.openapi === true,
    metrics: values.metrics === true,
  }
}

function portOf(text: string, source: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535) throw usageError(`${source} must be a port from 0 to 65535, not "${text}".`, 'serve')
  return port
}

function hostOf(text: string): string {
  if (text.trim() === '') throw usageError('--host must be an address, for example 127.0.0.1 or 0.0.0.0.', 'serve')
  return text
}

function folderOf(text: string): string {
  if (text.trim() === '') throw usageError('--journal must be a folder, for example ./data.', 'serve')
  return text
}

/** Throws a usage error for what is no path. */
export function basePathOf(text: string, command = 'serve'): string {
  const path = text.replace(/\/+$/, '')
  if (/^(\/[\w.~-]+)+$/.test(path)) return path
  throw usageError(`--base-path must be a path like /rest, not "${text}".`, command)
}
