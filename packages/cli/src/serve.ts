import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { AnyDataStore } from '@entia/core'
import type { Journal } from '@entia/core/node'
import type { RestHandler } from '@entia/rest'
import { CliError } from './cli-error.ts'
import { isFolder, refusePipe } from './data/data-file.ts'
import { inDatabase } from './database.ts'
import { close, createSiteServer, listen, type SiteServer } from './http-server.ts'
import { describeModel } from './infer/open-data.ts'
import { keepIn } from './journal.ts'
import { type AnyStore, isInMemory } from './load-store.ts'
import { openPlainSource, openToServe, type Source } from './open-source.ts'
import { restoreMoved } from './plain/replace-edited-file.ts'
import { SavedFile } from './plain/save-file.ts'
import { write } from './print/write.ts'
import { isJsonFile, parseServeOptions, type ServeOptions } from './serve-options.ts'
import { type ServedStore, serveStore } from './served-store.ts'
import { stopSignal } from './stop-signal.ts'
import { serveUsage } from './usage.ts'
import { watchFile } from './watch-file.ts'

/** `entia serve <source>`: serves the store until SIGINT or SIGTERM. Returns the exit code. */
export async function serve(parameters: readonly string[]): Promise<number> {
  const options = parseServeOptions(parameters, process.env)
  if (options === null) return write(serveUsage)
  const source = await open(options)
  const journal =
    options.journal === null
      ? null
      : await keepIn(options.journal, inMemory(source), options.source, logError)
  try {
    await serveSource(source, options, journal)
  } finally {
    // Also after a failed start: the folder must be free for the next one.
    await journal?.close()
  }
  // A request that was cut off may still hold a connection to a database.
  await Promise.race([source.store.close(), wait(CLOSE_STORE, undefined, { ref: false })])
  // A timer or socket of the module must not keep the process alive.
  setTimeout(() => process.exit(), 500).unref()
  return 0
}

async function open(options: ServeOptions): Promise<Source<AnyStore>> {
  const { source, plain, database, save } = options
  if (save) await restoreMoved(source)
  const opened = await (plain ? openPlainSource(source) : openToServe(source))
  return database === null ? opened : inDatabase(opened, { ...options, database })
}

/** The store of a source for a journal. Throws `CliError` for one with an engine of its own. */
function inMemory({ store }: Source<AnyStore>): AnyDataStore {
  if (isInMemory(store)) return store
  throw new CliError(
    'The option --journal is for stores in memory: the engine of this one stores every commit itself. Leave the option out.',
  )
}

/** Resolves after the signal to stop, when every request is answered. */
async function serveSource(
  source: Source<AnyStore>,
  options: ServeOptions,
  journal: Journal | null,
): Promise<void> {
  const { host } = options
  const create = (source: Source<AnyStore>): ServedStore => {
    const saved = savedFileOf(source, options)
    const durable =
      journal !== null ? () => journal.flush() : saved === null ? null : () => saved.flush()
    return serveStore(source, options, { durable, saved, onError: logError })
  }
  let served = create(source)
  const server = createSiteServer(() => served.site)
  const stopped = stopSignal()
  const port = await listen(server, options.port, host)
  const origin = `http://${shownHost(host)}:${port}`
  const { inferred } = source
  if (inferred !== null) process.stdout.write(`${describeModel(inferred)}\n`)
  process.stdout.write(
    `${served.describe(origin)}${keptLines(options, journal, isInMemory(source.store))}`,
  )
  const stopWatching = options.watch
    ? watchFile(options.source, isFolder(options.source), () =>
        readAgain(served, options).then((source) => {
          if (source === null) return
          const before = served
          served = create(source)
          before.rest.endStreams()
        }, logError),
      )
    : () => {}
  await stopped
  stopWatching()
  printAdvice(served.rest)
  await drain(server, () => served.rest, options)
  if (served.saved !== null) await saveLast(served.saved, options.source)
}

/** Tries what could not be saved once more. Throws `CliError` for what ends with the process. */
async function saveLast(saved: SavedFile, file: string): Promise<void> {
  try {
    await saved.flush()
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    throw new CliError(`Not every change over HTTP is in ${file}. ${error.message}`)
  }
}

function printAdvice(rest: RestHandler): void {
  for (const { dataClass, attribute, change, reason } of rest.advice())
    process.stderr.write(`Advice: ${dataClass}.${attribute} with "${change}". ${reason}\n`)
}

/** Milliseconds that the store has to close its connections. */
const CLOSE_STORE = 5_000

/**
 * Ends the service without a failed request: proxies that ask for its health send requests to other
 * processes, clients of live queries connect again, and running requests finish.
 */
async function drain(
  server: SiteServer,
  rest: () => RestHandler,
  { stopDelay, drain }: ServeOptions,
): Promise<void> {
  rest().prepareToStop()
  server.endConnections()
  rest().endStreams()
  if (stopDelay > 0) await wait(stopDelay)
  rest().endStreams()
  await close(server, drain)
}

function savedFileOf(
  { store, rest, plainText }: Source<AnyStore>,
  { save, source }: ServeOptions,
): SavedFile | null {
  if (!save || !isInMemory(store) || plainText === null || typeof rest.plain !== 'object')
    return null
  return new SavedFile(source, store, rest.plain.resources ?? {}, plainText)
}

/** The source after a change, and what is lost by it; null if there is nothing new to serve. */
async function readAgain(
  served: ServedStore,
  options: ServeOptions,
): Promise<Source<AnyStore> | null> {
  const path = options.source
  try {
    refusePipe(path)
    if (served.saved?.isOwn(readFileSync(path, 'utf8'))) return null
    const source = await open(options)
    const { store } = source
    const rows = store.catalog.classes.map(({ name }) =>
      isInMemory(store) ? `${name} ${store.dataClass(name).count.toLocaleString('en')}` : name,
    )
    const { changes } = served
    const lost =
      changes === 0
        ? ''
        : ` ${changes} ${changes === 1 ? 'change' : 'changes'} made over HTTP since it was last read ${changes === 1 ? 'is' : 'are'} discarded.`
    process.stdout.write(`${path} has changed and was read again: ${rows.join(', ')}.${lost}\n`)
    return source
  } catch (error) {
    if (!(error instanceof CliError) && !(error instanceof Error && 'code' in error)) throw error
    process.stderr.write(
      `${path} has changed and cannot be read, so its previous content is served.\n${error.message}\n`,
    )
    return null
  }
}

/** Where changes are stored. */
function keptLines(
  { source, save, watch, plain, journal: folder }: ServeOptions,
  journal: Journal | null,
  endsWithProcess: boolean,
): string {
  const watched = watch ? `\n${source} is read again when it changes.\n` : ''
  if (journal !== null) return keptInFolder(journal, folder)
  if (save) return `${watched}\nChanges are written to ${source} before they are answered.\n`
  if (!plain || !endsWithProcess) return watched
  const file = isJsonFile(source) ? `; ${source} stays as it is` : ''
  const remedy = isJsonFile(source) ? 'to the file with --save, or ' : ''
  return `${watched}\nChanges are in memory and end with this process${file}.\nWrite them ${remedy}to a folder with --journal <folder>.\n`
}

function keptInFolder(
  { recovered: { commits, droppedBytes } }: Journal,
  folder: string | null,
): string {
  const dropped =
    droppedBytes === 0 ? '' : `, ${droppedBytes} bytes of an incomplete commit dropped`
  return `\nChanges are saved in ${folder} (commits read since its last dump: ${commits}${dropped})\n`
}

/**
 * Clients learn only that a request failed; the log shows the error with its causes, and only the
 * message of what the user can mend.
 */
function logError(error: unknown): void {
  const isFault = error instanceof Error && !(error instanceof CliError)
  process.stderr.write(`${isFault ? inspect(error) : String(error).replace(/^CliError: /, '')}\n`)
}

/** A host name that browsers can open, also for a server on all addresses. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '127.0.0.1') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
