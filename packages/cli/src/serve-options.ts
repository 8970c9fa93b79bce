import { parseArgs } from 'node:util'
import { usageError } from './cli-error.ts'

export interface ServeOptions {
  readonly module: string
  /** 0 asks for any free port. */
  readonly port: number
  readonly host: string
  /** Begins with a slash and does not end with one. */
  readonly basePath: string
  /** The folder in which commits are kept; null: nowhere. */
  readonly journal: string | null
}

/**
 * Reads the command line of `serve`; null when help is asked for. Node's own `parseArgs` is enough for five options:
 * a library would be the only dependency of this package outside the project.
 */
export function parseServeOptions(
  parameters: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ServeOptions | null {
  const { values, positionals } = parse(parameters)
  if (values.help) return null
  const [module, ...extra] = positionals
  if (module === undefined) throw usageError('"entia serve" needs a module: entia serve flights.mjs', 'serve')
  if (extra.length > 0) throw usageError(`"entia serve" takes one module, not ${positionals.length}.`, 'serve')
  return {
    module,
    port:
      values.port === undefined
        ? portOf(environment.PORT || '8080', 'The variable PORT')
        : portOf(values.port, '--port'),
    host: hostOf(values.host ?? '127.0.0.1'),
    basePath: basePathOf(values['base-path'] ?? '/rest'),
    journal: values.journal === undefined ? null : folderOf(values.journal),
  }
}

function parse(parameters: readonly string[]) {
  try {
    return parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: {
        port: { type: 'string', short: 'p' },
        host: { type: 'string' },
        'base-path': { type: 'string' },
        journal: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
      throw usageError(error.message, 'serve')
    }
    throw error
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

function basePathOf(text: string): string {
  const path = text.replace(/\/+$/, '')
  if (/^(\/[\w.~-]+)+$/.test(path)) return path
  throw usageError(`--base-path must be a path like /rest, not "${text}".`, 'serve')
}
