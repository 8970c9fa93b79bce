import { explorerFiles } from '@entia/explorer'
import {
  createRestHandler,
  type RestHandler,
  type RestOptions,
  slowText,
  toNodeHandler,
} from '@entia/rest'
import { type Address, addressesOf, belowBasePath, urlOf } from './addresses.ts'
import type { Site } from './http-server.ts'
import { type AnyStore, isInMemory, withRestOptions } from './load-store.ts'
import type { Source } from './open-source.ts'
import type { SavedFile } from './plain/save-file.ts'
import { ALWAYS_SERVED, isLoopback, LOCAL_HOSTS, type ServeOptions } from './serve-options.ts'

/** A store with its REST handler and its pages. */
export interface ServedStore {
  readonly site: Site
  readonly rest: RestHandler
  /** The file that changes are written to, or null. */
  readonly saved: SavedFile | null
  /**
   * Commits since the source was read, or that are not in its file: those that end with the
   * process.
   */
  readonly changes: number
  /** What the command prints at its start. */
  describe(origin: string): string
}

/** Creates the handler of a source. Throws `CliError` for options that it refuses. */
export function serveStore(
  source: Source<AnyStore>,
  options: ServeOptions,
  {
    durable,
    saved,
    onError,
  }: {
    readonly durable: (() => Promise<void>) | null
    readonly saved: SavedFile | null
    readonly onError: (error: unknown) => void
  },
): ServedStore {
  const { basePath } = options
  const { store } = source
  const { name } = store.catalog
  const addresses =
    source.addresses?.map((address) => belowBasePath(options.source, address, basePath)) ??
    addressesOf(store.catalog)
  const rest = withRestOptions(options.source, () =>
    createRestHandler(store, {
      onError,
      ...(durable === null ? {} : { durable }),
      ...ownHostsOf(options.host),
      ...(options.openApi ? { openapi: true } : {}),
      ...ALWAYS_SERVED,
      ...(options.metrics ? { metrics: () => true } : {}),
      ...(options.operator
        ? { operator: ({ remoteAddress }) => isThisMachine(remoteAddress), slow: ADVISING }
        : {}),
      ...(options.slow === null
        ? {}
        : { slow: { milliseconds: options.slow, report: (slow) => logSlow(slowText(slow)) } }),
      ...source.rest,
      ...(options.cors ? { allowedOrigins: ['*'] } : {}),
      basePath,
    }),
  )
  const links = [
    ...plainPaths(rest).map((path) => ({ title: `Plain REST: ${path}`, href: path })),
    ...addresses.map((address) => ({ title: address.title, href: urlOf('', basePath, address) })),
  ]
  const globalStamp = (): number => (isInMemory(store) ? store.globalStamp : 0)
  const start = globalStamp()
  return {
    site: {
      files: explorerFiles({ name, basePath, links, hasUsers: source.rest.users !== undefined }),
      rest: toNodeHandler(rest),
      onClientError: rest.onClientError,
    },
    rest,
    saved,
    get changes() {
      return saved === null ? globalStamp() - start : saved.unsaved
    },
    describe: (origin) => describe(name, origin, basePath, addresses, rest),
  }
}

/** For advice about indexes only. */
const ADVISING = { milliseconds: 20 }

/** An IPv4 address may arrive in the form of IPv6. */
const isThisMachine = (address: string): boolean => isLoopback(address.replace(/^::ffff:/i, ''))

function logSlow(text: string): void {
  process.stderr.write(`${text}\n`)
}

function describe(
  name: string,
  origin: string,
  basePath: string,
  addresses: readonly Address[],
  rest: RestHandler,
): string {
  const lines = addresses.map(
    (address) => `  ${address.title}\n    ${urlOf(origin, basePath, address)}\n`,
  )
  const plain = plainPaths(rest).map((path) => `    ${origin}${path}\n`)
  const resources = plain.length === 0 ? '' : `  Plain REST\n${plain.join('')}`
  return `Entia serves "${name}" at ${origin}${basePath} (Ctrl+C stops it)\n\n  The explorer, in a browser\n    ${origin}/\n${resources}${lines.join('')}`
}

const plainPaths = ({ plain }: RestHandler): readonly string[] =>
  plain === null ? [] : plain.segments.map((segment) => `${plain.basePath}/${segment}`)

/**
 * On a loopback address the server accepts only loopback host names. A web page may resolve a name
 * of its own to this machine (DNS rebinding).
 */
const ownHostsOf = (host: string): Pick<RestOptions, 'allowedHosts'> =>
  isLoopback(host) ? { allowedHosts: [...LOCAL_HOSTS, ...(host === '::1' ? [] : [host])] } : {}
