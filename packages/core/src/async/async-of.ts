import { isEntiaError } from '../errors.ts'
import type {
  AsyncLoadOptions,
  ChangesOptions,
  InProcessAsyncStore,
} from '../model/async-call-types.ts'
import type { Untyped } from '../model/definition.ts'
import { isRowBlock, rowAt } from '../model/row-block.ts'
import type { Session } from '../model/session-types.ts'
import type { CommitNotice, DataStore, RecordChange } from '../model/store-types.ts'
import type { LoadOptions, LoadResult } from '../model/table-types.ts'
import type { Model } from '../model/value-types.ts'
import { handleOfReader, needCapabilities } from '../store/kernel/capability.ts'
import {
  checkCallOptions,
  checkNames,
  describeFound,
  isAttributes,
  refused,
} from '../value/check-options.ts'
import { loadError } from '../write/write-errors.ts'
import { Access, callFunction, endedByReturn } from './call.ts'
import { LocalClass } from './local-class.ts'
import { entitySetOf } from './local-reads.ts'

export interface AsyncOptions {
  /**
   * The session that writes and locks. Without one, the first lock opens a session without a user.
   */
  readonly session?: Session | null
}

/** The capabilities that most calls need; `changes` and `search` check their own. */
const NEEDED = ['server', 'bulkWrites', 'typedQueries', 'aggregates', 'grouping']

/**
 * The asynchronous interface of a store in the process. A program with an `AsyncStore` also runs
 * with a store elsewhere. Each call is carried out at once, and copies what it returns. Each result
 * of `asyncOf` is a user with its own session. It sees the whole store, also attributes and
 * functions that are not exposed. It has no `transact`, because transactions of a store in memory
 * are synchronous: use `saveAll`, or `transact` of the store itself. `close` closes the store.
 *
 * @example
 * ```ts
 * const db = asyncOf(store)
 * await db.Employee.query`salary > ${50_000}`.count() // → 1
 * ```
 */
export function asyncOf<M extends Model, F, S>(
  store: DataStore<M, F, S>,
  options: AsyncOptions = {},
): InProcessAsyncStore<M, F, S> {
  checkNames(options, ['session'])
  checkStore(store)
  needCapabilities(store, 'asyncOf', NEEDED)
  return open(store as DataStore, options.session ?? null) as Untyped
}

/** Checks the shape, because the store may come from another copy of the package. */
function checkStore(store: unknown): void {
  const isStore =
    typeof store === 'object' && store !== null && 'catalog' in store && 'transact' in store
  if (isStore && !('then' in store)) return
  throw refused(
    'The store of asyncOf',
    'one that createDataStore or openDump created',
    describeFound(store),
  )
}

function open(store: DataStore, session: Session | null): object {
  const access = new Access(store, session)
  const classes = new Map(
    store.catalog.classes.map(({ name }) => [name, new LocalClass(access, name)]),
  )
  const call = (run: (args: readonly unknown[]) => unknown, args: readonly unknown[]) =>
    callFunction(access, run, args, entitySetOf(access))
  const { closing } = waitingOf(store)
  return {
    ...Object.fromEntries(classes),
    // Throws `dataClassNotFound` for an unknown name.
    dataClass: (name: string) => classes.get(access.model(name).name),
    call: (name: string, ...args: readonly unknown[]) =>
      call((given) => store.call(name, ...given), args),
    singleton: (singleton: string) => ({
      call: (name: string, ...args: readonly unknown[]) =>
        call((given) => store.singleton(singleton).call(name, ...given), args),
    }),
    as: (other: Session | null) => open(store, other),
    load: (...[name, rows, options]: Parameters<LoadAny>) =>
      loadInPieces(
        async (piece, each) =>
          access.write(() => [access.table(name).load(piece as Iterable<Untyped>, each)])[0]!,
        rows as Iterable<object>,
        options,
      ),
    changes: (options: ChangesOptions) => {
      needCapabilities(store, 'changes', ['views'])
      return endedByReturn((ended) => followChanges(store, options, [closing.signal, ended]))
    },
    close: async () => {
      closing.abort()
      store.close()
    },
  }
}

/** What iterations over the commits of a store wait for. */
interface Waiting {
  /** Aborted when the store closes, which ends all iterations. */
  readonly closing: AbortController
  /** Called after all data was replaced, as by a journal that opens. */
  readonly replaced: Set<() => void>
}

const waiting = new WeakMap<DataStore, Waiting>()

function waitingOf(store: DataStore): Waiting {
  const known = waiting.get(store)
  if (known !== undefined) return known
  const created: Waiting = { closing: new AbortController(), replaced: new Set() }
  waiting.set(store, created)
  const handle = handleOfReader(store)
  handle?.closing.push(() => created.closing.abort())
  handle?.replaced.push(() => {
    for (const wake of created.replaced) wake()
  })
  return created
}

type LoadAny = InProcessAsyncStore<Untyped>['load']

/**
 * The commits after a global stamp, then each new one, until a signal of `ends` is aborted. They
 * are read from the history of the store, so that a slow reader costs no memory. Cost of a read:
 * O(changes since the last).
 */
async function* followChanges(
  store: DataStore,
  options: ChangesOptions,
  ends: readonly AbortSignal[],
): AsyncGenerator<CommitNotice, void, undefined> {
  checkNames(options, ['since', 'signal'])
  const { since, signal } = options
  const isEnded = (): boolean => ends.some(({ aborted }) => aborted)
  let last = since
  for (;;) {
    signal?.throwIfAborted()
    if (isEnded()) return
    const commits = commitsOf(store.changes({ since: last }))
    // A commit without changes of records, such as a restore of nothing, has no notice.
    if (commits.length === 0)
      await nextCommit(store, signal === undefined ? ends : [...ends, signal])
    for (const commit of commits) {
      signal?.throwIfAborted()
      if (isEnded()) return
      yield commit
      last = commit.globalStamp
    }
  }
}

function commitsOf(changes: readonly RecordChange[]): readonly CommitNotice[] {
  const byStamp = new Map<number, RecordChange[]>()
  for (const change of changes) {
    const known = byStamp.get(change.globalStamp)
    if (known === undefined) byStamp.set(change.globalStamp, [change])
    else known.push(change)
  }
  return Array.from(byStamp, ([globalStamp, changes]) => ({ globalStamp, changes }))
}

/** Settles after the next commit or replacement of all data, or if a signal is aborted. */
async function nextCommit(store: DataStore, signals: readonly AbortSignal[]): Promise<void> {
  const listened = new AbortController()
  const options = { once: true, signal: listened.signal }
  const { replaced } = waitingOf(store)
  let stop = () => {}
  await new Promise<void>((resolve) => {
    const done = () => resolve()
    const unlisten = store.on('commit', done)
    replaced.add(done)
    stop = () => {
      unlisten()
      replaced.delete(done)
    }
    for (const signal of signals) signal.addEventListener('abort', done, options)
  })
  listened.abort()
  stop()
}

const OPTIONS = ['onProgress', 'relations', 'hooks', 'rowsPerCommit']

/**
 * Rows to collect before they are loaded, one by one, of blocks too. Each is a copy: it needs to
 * exist only while it is read.
 */
export async function* rowsToKeep(
  rows: Iterable<object> | AsyncIterable<object>,
): AsyncGenerator<object, void, undefined> {
  for await (const row of rows) {
    if (isRowBlock(row)) for (let at = 0; at < row.count; at++) yield rowAt(row, at)
    // Other rows stay as they are: the load refuses them.
    else yield isAttributes(row) ? { ...row } : row
  }
}

/** Loads some rows in one commit. */
type LoadRows = (
  rows: Iterable<object> | AsyncIterable<object>,
  options: LoadOptions | undefined,
) => Promise<LoadResult>

/**
 * Loads rows in commits of `rowsPerCommit` each, or all in one. Rows are read as they are needed,
 * so that those of one commit are in memory. Row numbers of refusals and of `onProgress` count from
 * the first row of all. Throws `argumentInvalid`, and what `load` throws.
 */
export async function loadInPieces(
  load: LoadRows,
  rows: Iterable<object> | AsyncIterable<object>,
  given: AsyncLoadOptions | undefined,
): Promise<LoadResult> {
  checkCallOptions(given, OPTIONS)
  const { rowsPerCommit, ...options } = given ?? {}
  if (rowsPerCommit === undefined) return load(rows, options)
  if (!Number.isSafeInteger(rowsPerCommit) || rowsPerCommit < 1)
    throw refused('The option rowsPerCommit', 'a whole number from 1', String(rowsPerCommit))
  const { onProgress } = options
  let count = 0
  let piece: object[] = []
  const commit = async (): Promise<void> => {
    const before = count
    const shifted = onProgress && { onProgress: (done: number) => onProgress(before + done) }
    try {
      count += (await load(piece, { ...options, ...shifted })).count
    } catch (error) {
      throw afterRows(before, error)
    }
    piece = []
  }
  for await (const row of rowsToKeep(rows)) if (piece.push(row) === rowsPerCommit) await commit()
  if (piece.length > 0) await commit()
  return { count }
}

/** The refusal of a row that comes after those of earlier commits. */
function afterRows(before: number, error: unknown): unknown {
  if (!isEntiaError(error, 'loadRefused')) return error
  const { details, cause } = error
  const rowNumber = before + details.rowNumber
  return loadError('loadRefused', { ...details, rowNumber, stored: before }, { cause })
}
