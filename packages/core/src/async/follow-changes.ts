import type { ChangesOptions } from '../model/async-local.ts'
import type { CommitNotice, DataStore, RecordChange } from '../model/store-types.ts'

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
