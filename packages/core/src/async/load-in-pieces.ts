import { isEntiaError } from '../errors.ts'
import type { AsyncLoadOptions, ChangesOptions } from '../model/async-local.ts'
import type { CommitNotice, DataStore, RecordChange } from '../model/store-types.ts'
import type { LoadOptions, LoadResult } from '../model/table-types.ts'
import { checkCallOptions, refused } from '../value/check-options.ts'
import { loadError } from '../write/write-errors.ts'

/**
 * The commits after a global stamp, then each new one, until `closed`. They are read from the
 * history of the store, so that a slow reader costs no memory. Cost of a read: O(changes since the
 * last).
 */
export async function* followChanges(
  store: DataStore,
  { since, signal }: ChangesOptions,
  closed: AbortSignal,
): AsyncGenerator<CommitNotice, void, undefined> {
  let last = since
  for (;;) {
    signal?.throwIfAborted()
    if (closed.aborted) return
    const commits = commitsOf(store.changes({ since: last }))
    // A commit without changes of records, such as a restore of nothing, has no notice.
    if (commits.length === 0) await nextCommit(store, signal, closed)
    for (const commit of commits) {
      signal?.throwIfAborted()
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

/** Settles after the next commit, or if one of the signals is aborted. */
async function nextCommit(
  store: DataStore,
  signal: AbortSignal | undefined,
  closed: AbortSignal,
): Promise<void> {
  const listened = new AbortController()
  const options = { once: true, signal: listened.signal }
  let stop = () => {}
  await new Promise<void>((resolve) => {
    const done = () => resolve()
    stop = store.on('commit', done)
    signal?.addEventListener('abort', done, options)
    closed.addEventListener('abort', done, options)
  })
  listened.abort()
  stop()
}

const OPTIONS = ['onProgress', 'relations', 'hooks', 'rowsPerCommit']

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
  for await (const row of rows) if (piece.push(row) === rowsPerCommit) await commit()
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
