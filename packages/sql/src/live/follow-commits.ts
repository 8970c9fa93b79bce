import { type ChangesOptions, type CommitNotice, EntiaError } from '@entia/core'
import { CORE_ERRORS, checkNames, checkStamp, endedByReturn } from '@entia/core/internal'
import { publicError } from '../connect/database-error.ts'
import type { Dataset } from '../schema/dataset.ts'
import type { CommitLog } from './commit-log.ts'
import type { CommitPoller } from './commit-poller.ts'

export interface CommitsPort {
  readonly log: CommitLog
  readonly poller: CommitPoller
  /** A commit that was delivered is part of every later read. */
  readonly dataset: Pick<Dataset, 'note'>
  /** Ends all iterations. */
  readonly closed: AbortSignal
}

/** Commits that are read together. */
const PAGE = 100

/**
 * The commits after a global stamp, in order, then each new one of any process: none is repeated or
 * skipped. Of images and BLOBs a change has `{ mediaType, size }`. Rejects with `argumentInvalid`
 * for a stamp that never was, `historyTrimmed` for commits that are no longer kept, and
 * `engineUnavailable`: begin again after the last commit. Cost: one statement per 100 commits.
 */
export function followCommits(
  port: CommitsPort,
  options: ChangesOptions,
): AsyncGenerator<CommitNotice, void, undefined> {
  return endedByReturn((ended) => follow(port, options, [port.closed, ended]))
}

async function* follow(
  { log, poller, dataset }: CommitsPort,
  options: ChangesOptions,
  ends: readonly AbortSignal[],
): AsyncGenerator<CommitNotice, void, undefined> {
  checkNames(options, ['since', 'signal'])
  const { since, signal } = options
  // A commit between a read and the next wait must wake the wait.
  const alarm = new Alarm([...ends, ...(signal === undefined ? [] : [signal])])
  const isEnded = (): boolean => ends.some(({ aborted }) => aborted)
  let last: number | null = null
  let stop = (): void => {}
  try {
    signal?.throwIfAborted()
    stop = await poller.listen(({ isNew }) => {
      if (isNew) alarm.ring()
    })
    for (;;) {
      signal?.throwIfAborted()
      if (isEnded()) return
      alarm.reset()
      const from = last ?? (Number.isSafeInteger(since) ? since : -1)
      const { globalStamp, trimmed, commits } = await log.commitsSince(from, PAGE)
      last ??= checkStamp('The option since', since, globalStamp)
      if (trimmed > last) throw trimmedError(last, trimmed)
      for (const commit of commits) {
        signal?.throwIfAborted()
        if (isEnded()) return
        dataset.note(commit.globalStamp)
        if (commit.changes.length > 0) yield commit
        last = commit.globalStamp
      }
      if (commits.length < PAGE) await alarm.rung
    }
  } catch (error) {
    // A statement that `close` has stopped is not a failure.
    if (isEnded() && signal?.aborted !== true) return
    throw publicError(error)
  } finally {
    stop()
    alarm.dispose()
  }
}

const trimmedError = (requested: number, oldest: number): EntiaError =>
  new EntiaError('historyTrimmed', { requested, oldest }, undefined, CORE_ERRORS.historyTrimmed)

/** Wakes a waiting iteration; also if one of the signals is aborted. */
class Alarm {
  rung: Promise<void> = Promise.resolve()
  ring = (): void => {}
  readonly #signals: readonly AbortSignal[]
  readonly #onAbort = (): void => this.ring()

  constructor(signals: readonly AbortSignal[]) {
    this.#signals = signals
    for (const signal of signals) signal.addEventListener('abort', this.#onAbort)
    this.reset()
  }

  reset(): void {
    this.rung = new Promise((resolve) => {
      this.ring = resolve
    })
    if (this.#signals.some(({ aborted }) => aborted)) this.ring()
  }

  dispose(): void {
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort)
  }
}
