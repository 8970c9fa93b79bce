import { usageError } from './cli-error.ts'
import { parseCommand, wholeNumber } from './command-options.ts'
import { isData } from './data/data-file.ts'
import { STANDARD_INPUT } from './data/standard-input.ts'

export interface ServeOptions {
  /** A module, or a data file or folder. */
  readonly source: string
  /** 0 picks any free port. */
  readonly port: number
  readonly host: string
  /** Starts with a slash and does not end with one. */
  readonly basePath: string
  /** The address of the database that has the data; null without one. */
  readonly database: string | null
  /** The schema in it; null for the name of the store. */
  readonly schema: string | null
  /** Whether the source is copied into a database without entities. */
  readonly copy: boolean
  /** The folder that persists commits; null for memory only. */
  readonly journal: string | null
  /** Whether `$openapi` and `$metrics` are served to every client. */
  readonly openApi: boolean
  readonly metrics: boolean
  /** Whether `$operator` is served to this machine. */
  readonly operator: boolean
  /** Milliseconds between the signal to stop and the end of new requests. */
  readonly stopDelay: number
  /** Milliseconds for running requests to finish after that. */
  readonly drain: number
  /** Requests that take as many milliseconds are printed; null for none. */
  readonly slow: number | null
  /** Whether plain REST is served beside the entity interface. */
  readonly plain: boolean
  /** Whether changes are written back to the source, a file in the form of json-server. */
  readonly save: boolean
  /** Whether the source is read again when it changes. */
  readonly watch: boolean
  /** Whether pages of every origin may send requests. */
  readonly cors: boolean
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
    database: { type: 'string' },
    schema: { type: 'string' },
    copy: { type: 'boolean' },
    openapi: { type: 'boolean' },
    metrics: { type: 'boolean' },
    operator: { type: 'boolean' },
    'stop-delay': { type: 'string' },
    'drain-seconds': { type: 'string' },
    slow: { type: 'string' },
    plain: { type: 'boolean' },
    save: { type: 'boolean' },
    watch: { type: 'boolean' },
    cors: { type: 'boolean' },
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
  refuseTogether(source, values)
  return {
    source,
    port:
      values.port === undefined
        ? portOf(environment.PORT || '8080', 'The variable PORT')
        : portOf(values.port, '--port'),
    host: hostOf(values.host ?? '127.0.0.1'),
    basePath: basePathOf(values['base-path'] ?? '/rest'),
    journal: values.journal === undefined ? null : folderOf(values.journal),
    database: values.database === undefined ? null : databaseOf(values.database, 'serve'),
    schema: values.schema ?? null,
    copy: values.copy === true,
    openApi: values.openapi === true,
    metrics: values.metrics === true,
    operator: values.operator === true,
    stopDelay: millisecondsOf(values['stop-delay'] ?? '0', '--stop-delay'),
    drain: millisecondsOf(values['drain-seconds'] ?? '10', '--drain-seconds'),
    slow: values.slow === undefined ? null : wholeNumber('serve', 'slow', values.slow),
    plain: values.plain === true,
    save: values.save === true,
    watch: values.watch === true,
    cors: values.cors === true,
  }
}

/** Throws a usage error if the text is not the address of a database. Never shows it: passwords. */
export function databaseOf(text: string | undefined, command: string): string {
  if (text !== undefined && /^postgres(ql)?:\/\/./.test(text)) return text
  throw usageError(
    `"entia ${command}" needs the address of a PostgreSQL database: --database postgres://user:password@host:5432/database`,
    command,
  )
}

/** True for what may be a file in the form of json-server. */
export const isJsonFile = (source: string): boolean => /\.json$/i.test(source)

/** Options that contradict each other, or the source. */
function refuseTogether(
  source: string,
  values: {
    readonly plain?: boolean
    readonly save?: boolean
    readonly watch?: boolean
    readonly journal?: string
    readonly database?: string
    readonly schema?: string
    readonly copy?: boolean
  },
): void {
  const { plain, save, watch, journal, database, schema, copy } = values
  if (database !== undefined && (save || watch || journal !== undefined))
    throw usageError(
      '--database cannot be combined with --save, --watch or --journal: the database stores every commit.',
      'serve',
    )
  if (database === undefined && (copy || schema !== undefined))
    throw usageError(
      `--${copy ? 'copy' : 'schema'} is about a database. Name it: --database postgres://localhost/hr`,
      'serve',
    )
  if (save && !(plain && isJsonFile(source)))
    throw usageError(
      '--save writes a JSON file that is served with --plain: entia serve --plain --save db.json',
      'serve',
    )
  if (journal !== undefined && (save || watch))
    throw usageError(
      `--${save ? 'save' : 'watch'} and --journal exclude each other: with a journal, the folder counts and not the source.`,
      'serve',
    )
  if (watch && source === STANDARD_INPUT)
    throw usageError('--watch reads data again, which standard input does not allow.', 'serve')
  if (watch && !isData(source))
    throw usageError(
      `--watch reads data again. For a module, restart the process: node --watch node_modules/.bin/entia serve ${source}`,
      'serve',
    )
}

/** Throws a usage error if the text is not a port. */
export function portOf(text: string, source: string, command = 'serve'): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535)
    throw usageError(`${source} must be a port from 0 to 65535, not "${text}".`, command)
  return port
}

/** Throws a usage error if the text is not a number of seconds, up to an hour. */
function millisecondsOf(text: string, option: string): number {
  const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : -1
  if (seconds < 0 || seconds > 3600)
    throw usageError(`${option} must be seconds from 0 to 3600, not "${text}".`, 'serve')
  return seconds * 1000
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

/** What `entia serve` serves of every store, unless its module says otherwise. */
export const ALWAYS_SERVED = { health: true, live: true } as const

/** The names of this machine in addresses. */
export const LOCAL_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** True if only programs of this machine can reach the address. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|::1|127\.\d+\.\d+\.\d+)$/i.test(host)
