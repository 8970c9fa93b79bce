import { inspect } from 'node:util'
import type { Journal } from '@entia/core/node'
import { explorerFiles } from '@entia/explorer'
import { createRestHandler, type RestOptions, toNodeHandler } from '@entia/rest'
import { addressesOf, belowBasePath, urlOf } from './addresses.ts'
import { close, createSiteServer, listen } from './http-server.ts'
import { describeModel } from './infer/open-data.ts'
import { keepIn } from './journal.ts'
import { withRestOptions } from './load-store.ts'
import { openSource, type Source } from './open-source.ts'
import { isLoopback, LOCAL_HOSTS, parseServeOptions, type ServeOptions } from './serve-options.ts'
import { stopSignal } from './stop-signal.ts'
import { serveUsage } from './usage.ts'

/** `entia serve <source>`: serves the store until SIGINT or SIGTERM. Returns the exit code. */
export async function serve(parameters: readonly string[]): Promise<number> {
  const options = parseServeOptions(parameters, process.env)
  if (options === null) {
    process.stdout.write(serveUsage)
    return 0
  }
  const source = await openSource(options.source)
  const { store } = source
  const journal =
    options.journal === null ? null : await keepIn(options.journal, store, options.source, logError)
  try {
    await serveStore(source, options, journal)
  } finally {
    // Also after a failed start: the folder must be free for the next one.
    await journal?.close()
  }
  store.close()
  // A timer or socket of the module must not keep the process alive.
  setTimeout(() => process.exit(), 500).unref()
  return 0
}

/** Resolves after the signal to stop, when every request is answered. */
async function serveStore(
  source: Source,
  options: ServeOptions,
  journal: Journal | null,
): Promise<void> {
  const { basePath, host } = options
  const { store, inferred } = source
  const { name } = store.catalog
  const addresses =
    source.addresses?.map((address) => belowBasePath(options.source, address, basePath)) ??
    addressesOf(store.catalog)
  const rest = withRestOptions(options.source, () =>
    createRestHandler(store, {
      onError: logError,
      ...(journal === null ? {} : { durable: () => journal.flush() }),
      ...ownHostsOf(host),
      ...(options.openApi ? { openapi: true } : {}),
      ...(options.metrics ? { metrics: () => true } : {}),
      ...source.rest,
      basePath,
    }),
  )
  const links = addresses.map((address) => ({
    title: address.title,
    href: urlOf('', basePath, address),
  }))
  const server = createSiteServer({
    files: explorerFiles({ name, basePath, links, hasUsers: source.rest.users !== undefined }),
    rest: toNodeHandler(rest),
    onClientError: rest.onClientError,
  })
  const stopped = stopSignal()
  const port = await listen(server, options.port, host)

  const origin = `http://${shownHost(host)}:${port}`
  const lines = addresses.map(
    (address) => `  ${address.title}\n    ${urlOf(origin, basePath, address)}\n`,
  )
  const kept = journal === null ? '' : keptLine(journal, options.journal)
  if (inferred !== null) process.stdout.write(`${describeModel(inferred)}\n`)
  process.stdout.write(
    `Entia serves "${name}" at ${origin}${basePath} (Ctrl+C stops it)\n\n  The explorer, in a browser\n    ${origin}/\n${lines.join('')}${kept}`,
  )

  await stopped
  rest.endStreams()
  await close(server)
}

function keptLine(
  { recovered: { commits, droppedBytes } }: Journal,
  folder: string | null,
): string {
  const dropped =
    droppedBytes === 0 ? '' : `, ${droppedBytes} bytes of an incomplete commit dropped`
  return `\nChanges are saved in ${folder} (commits read since its last dump: ${commits}${dropped})\n`
}

/**
 * On a loopback address the server accepts only loopback host names. A web page may resolve a name
 * of its own to this machine (DNS rebinding).
 */
const ownHostsOf = (host: string): Pick<RestOptions, 'allowedHosts'> =>
  isLoopback(host) ? { allowedHosts: [...LOCAL_HOSTS, ...(host === '::1' ? [] : [host])] } : {}

/** Clients learn only that a request failed; the log shows the error with its causes. */
function logError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? inspect(error) : String(error)}\n`)
}

/** A host name that browsers can open, also for a server on all addresses. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '127.0.0.1') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
