import { Console } from 'node:console'
import { createRestHandler } from '@entia/rest'
import { CliError, usageError } from '../cli-error.ts'
import { parseCommand, wholeNumber } from '../command-options.ts'
import { STANDARD_INPUT } from '../data/standard-input.ts'
import { close, createSiteServer, listen, type Site } from '../http-server.ts'
import { keepIn } from '../journal.ts'
import { withRestOptions } from '../load-store.ts'
import { openSource } from '../open-source.ts'
import { write } from '../print/write.ts'
import { isLoopback, LOCAL_HOSTS, portOf } from '../serve-options.ts'
import { stopSignal } from '../stop-signal.ts'
import { mcpUsage } from '../usage.ts'

/** What an assistant works with, and how to release it. */
interface Opened {
  readonly name: string
  readonly interface: { readonly basePath: string; fetch(request: Request): Promise<Response> }
  close(): Promise<void>
}

/**
 * `entia mcp <source>`: answers an assistant on standard input and output, or over HTTP, until it
 * disconnects or the process is stopped. Returns the exit code.
 */
export async function mcp(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('mcp', parameters, {
    write: { type: 'boolean' },
    port: { type: 'string', short: 'p' },
    host: { type: 'string' },
    header: { type: 'string' },
    journal: { type: 'string' },
    'max-rows': { type: 'string' },
  })
  if (values.help) return write(mcpUsage)
  const [path, ...extra] = positionals
  if (path === undefined || extra.length > 0)
    throw usageError(
      '"entia mcp" takes one module, data, or the address of an entity interface: entia mcp data.json',
      'mcp',
    )
  const { createMcpHandler, serveStdio, interfaceAt } = await loadProtocol()
  const port = values.port === undefined ? null : portOf(values.port, '--port', 'mcp')
  const maxRows = values['max-rows']
  const options = {
    allowWrites: values.write === true,
    headers: headersOf(values.header),
    ...(maxRows !== undefined && { maxRows: wholeNumber('mcp', 'max-rows', maxRows, 1) }),
  }
  if (path === STANDARD_INPUT && port === null)
    throw usageError('Standard input carries the protocol. Save the data as a file first.', 'mcp')
  // Standard output carries the protocol: what a module prints must not get into it.
  if (port === null) globalThis.console = new Console(process.stderr, process.stderr)
  if (options.allowWrites && values.journal === undefined && !isAddress(path))
    process.stderr.write('Changes are in memory only. --journal <folder> saves them.\n')
  const opened = isAddress(path)
    ? { name: 'entia', interface: interfaceAt(path), close: async () => {} }
    : await openHere(path, values.journal)
  try {
    if (port === null) {
      await serveStdio(opened.interface, { ...options, name: opened.name })
      return 0
    }
    const host = values.host ?? '127.0.0.1'
    const handler = createMcpHandler(opened.interface, {
      ...options,
      name: opened.name,
      allowedHosts: isLoopback(host) ? LOCAL_HOSTS : '*',
    })
    const site: Site = {
      files: new Map(),
      rest: (request, response) => void handler.node(request, response),
      onClientError: (_error, socket) => socket.destroy(),
    }
    const server = createSiteServer(() => site)
    const stopped = stopSignal()
    const actual = await listen(server, port, host)
    process.stdout.write(
      `Entia answers assistants at http://${host}:${actual}/ (Ctrl+C stops it)\n`,
    )
    await stopped
    await close(server)
    return 0
  } finally {
    await opened.close()
  }
}

/** A module or data, behind a handler of this process. */
async function openHere(path: string, folder: string | undefined): Promise<Opened> {
  const { store, rest } = await openSource(path)
  const report = (error: unknown) => void process.stderr.write(`${String(error)}\n`)
  const journal = folder === undefined ? null : await keepIn(folder, store, path, report)
  const handler = withRestOptions(path, () =>
    createRestHandler(store, {
      onError: report,
      ...(journal !== null && { durable: () => journal.flush() }),
      ...rest,
    }),
  )
  return {
    name: store.catalog.name,
    interface: handler,
    close: async () => {
      await journal?.close()
      store.close()
    },
  }
}

/**
 * The package of the protocol. It is a peer, because its SDK brings a hundred packages that no
 * other command needs. Throws `CliError` if it is not installed.
 */
async function loadProtocol(): Promise<typeof import('@entia/mcp')> {
  try {
    return await import('@entia/mcp')
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw error
    throw new CliError('"entia mcp" needs one more package: npm install @entia/mcp')
  }
}

const isAddress = (path: string): boolean => /^https?:\/\//i.test(path)

/** `name: value` as headers. */
function headersOf(text: string | undefined): Headers {
  const headers = new Headers()
  if (text === undefined) return headers
  const colon = text.indexOf(':')
  try {
    headers.set(text.slice(0, Math.max(0, colon)).trim(), text.slice(colon + 1).trim())
  } catch {
    throw usageError(
      '--header must be a name, a colon and a value: "authorization: Bearer …".',
      'mcp',
    )
  }
  return headers
}
