import { inspect } from 'node:util'
import { isEntiaError } from '@entia/core'
import type { Journal } from '@entia/core/node'
import { explorerFiles } from '@entia/explorer'
import { createRestHandler, type RestHandler, type RestOptions, toNodeHandler } from '@entia/rest'
import { addressesOf, belowBasePath, urlOf } from './addresses.ts'
import { CliError } from './cli-error.ts'
import { close, createSiteServer, listen } from './http-server.ts'
import { describeModel } from './infer/open-data.ts'
import { keepIn } from './journal.ts'
import type { Store } from './load-store.ts'
import { openSource, type Source } from './open-source.ts'
import { parseServeOptions, type ServeOptions } from './serve-options.ts'
import { serveUsage } from './usage.ts'

/** `entia serve <source>`: serves the store until SIGINT or SIGTERM. Answers the exit code. */
export async function serve(parameters: readonly string[]): Promise<number> {
  const options = parseServeOptions(parameters, process.env)
  if (options === null) {
    process.stdout.write(serveUsage)
    return 0
  }
  const source = await openSource(options.source)
  const { store } = source
  const journal = options.journal === null ? null : await keepIn(options.journal, store, options.source, logError)
  try {
    await serveStore(source, options, journal)
  } finally {
    // Not only after a stop: the folder is free for the next start where this one failed, too.
    await journal?.close()
  }
  store.close()
  // A module that keeps a timer or a socket of its own must not keep the process.
  setTimeout(() => process.exit(), 500).unref()
  return 0
}

/** Until the signal to stop, and until every request is answered. */
async function serveStore(source: Source, options: ServeOptions, journal: Journal | null): Promise<void> {
  const { basePath, host } = options
  const { store, inferred } = source
  const { name } = store.catalog
  const addresses =
    source.addresses?.map((address) => belowBasePath(options.source, address, basePath)) ?? addressesOf(store.catalog)
  const rest = makeHandler(options.source, store, {
    onError: logError,
    ...(journal === null ? {} : { durable: () => journal.flush() }),
    ...ownHostsOf(host),
    ...(options.openApi ? { openapi: true } : {}),
    ...(options.metrics ? { metrics: () => true } : {}),
    ...source.rest,
    basePath,
  })
  const links = addresses.map((address) => ({ title: address.title, href: urlOf('', basePath, address) }))
  const server = createSiteServer({
    files: explorerFiles({ name, basePath, links, hasUsers: source.rest.users !== undefined }),
    rest: toNodeHandler(rest),
    onClientError: rest.onClientError,
  })
  const stopped = stopSignal()
  const port = await listen(server, options.port, host)

  const origin = `http://${shownHost(host)}:${port}`
  const lines = addresses.map((address) => `  ${address.title}\n    ${urlOf(origin, basePath, address)}\n`)
  const kept = journal === null ? '' : keptLine(journal, options.journal)
  if (inferred !== null) process.stdout.write(`${describeModel(inferred)}\n`)
  process.stdout.write(
    `Entia serves "${name}" at ${origin}${basePath} (Ctrl+C stops it)\n\n  The explorer, in a browser\n    ${origin}/\n${lines.join('')}${kept}`,
  )

  await stopped
  rest.endStreams()
  await close(server)
}

function keptLine({ recovered: { commits, droppedBytes } }: Journal, folder: string | null): string {
  const dropped = droppedBytes === 0 ? '' : `, ${droppedBytes} bytes of an unfinished one left out`
  return `\nChanges are kept in ${folder} (${commits} read since its last dump${dropped})\n`
}

/**
 * On an address that only this machine reaches, only its own names are served: a page in a browser here may have a name of
 * its own resolved to this machine.
 */
function ownHostsOf(host: string): Pick<RestOptions, 'allowedHosts'> {
  const isLocal = /^(localhost|::1|127\.\d+\.\d+\.\d+)$/i.test(host)
  return isLocal ? { allowedHosts: ['localhost', '127.0.0.1', '[::1]', ...(host === '::1' ? [] : [host])] } : {}
}

/** Throws `CliError` for options of the module that are none. */
function makeHandler(file: string, store: Store, options: RestOptions): RestHandler {
  try {
    return createRestHandler(store, options)
  } catch (error) {
    if (!isEntiaError(error)) throw error
    throw new CliError(`The export "rest" of ${file} is refused: ${error.message}`)
  }
}

/** The client learns only that something failed; the one who serves reads what, with its causes. */
function logError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? inspect(error) : String(error)}\n`)
}

/** Settles at the first SIGINT or SIGTERM; a second one then ends the process at once, as without us. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      resolve()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
  })
}

/** An address that can be opened: "all addresses" cannot. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '127.0.0.1') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
