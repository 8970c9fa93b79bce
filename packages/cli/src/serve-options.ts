import { usageError } from './cli-error.ts'
import { parseCommand } from './command-options.ts'

export interface ServeOptions {
  /** A module, or a data file or folder. */
  readonly source: string
  /** 0 picks any free port. */
  readonly port: number
  readonly host: string
  /** Starts with a slash and does not end with one. */
  readonly basePath: string
  /** The folder that persists commits; null for memory only. */
  readonly journal: string | null
  /** Whether `$openapi` and `$metrics` are served to every client. */
  readonly openApi: boolean
  readonly metrics: boolean
}

/** Reads the command line of `serve`; null if help is requested. */
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
    throw usageError(
      '"entia serve" needs a module or data: entia serve flights.mjs, entia serve data/',
      'serve',
    )
  if (extra.length > 0)
    throw usageError(`"entia serve" takes one source, not ${positionals.length}.`, 'serve')
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

/** Throws a usage error if the text is not a port. */
export function portOf(text: string, source: string, command = 'serve'): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535)
    throw usageError(`${source} must be a port from 0 to 65535, not "${text}".`, command)
  return port
}

function hostOf(text: string): string {
  if (text.trim() === '')
    throw usageError('--host must be an address, for example 127.0.0.1 or 0.0.0.0.', 'serve')
  return text
}

function folderOf(text: string): string {
  if (text.trim() === '')
    throw usageError('--journal must be a folder, for example ./data.', 'serve')
  return text
}

/** Throws a usage error if the text is not a path. */
export function basePathOf(text: string, command = 'serve'): string {
  const path = text.replace(/\/+$/, '')
  if (/^(\/[\w.~-]+)+$/.test(path)) return path
  throw usageError(`--base-path must be a path like /rest, not "${text}".`, command)
}

/** The names of this machine in addresses. */
export const LOCAL_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** True if only programs of this machine can reach the address. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|::1|127\.\d+\.\d+\.\d+)$/i.test(host)
