import type { AnyDataStore } from '@entia/core'
import { handleOf } from '@entia/core/internal'
import { ReplicaError } from './replica-error.ts'

/** Refuses changes of a store that do not go through the queue: they would be lost. */
export class WriteGuard {
  readonly #store: AnyDataStore
  #isOpen = false
  /** The global stamp of the last commit of the replica itself. */
  #own = 0

  constructor(store: AnyDataStore) {
    this.#store = store
  }

  /** Whether the last change of the replica itself is the commit with a global stamp. */
  isOwn(globalStamp: number): boolean {
    return this.#own === globalStamp
  }

  /** Call it again after a journal has changed what the store checks before commits. */
  install(): void {
    const { writer } = handleOf(this.#store)
    const before = writer.beforeCommit
    writer.beforeCommit = () => {
      if (this.#isOpen) {
        before?.()
        // Hooks and listeners, which run before the call returns, write for themselves.
        this.#isOpen = false
        this.#own = writer.globalStamp + 1
        return
      }
      throw new ReplicaError(
        'notByTransact',
        'A replica is changed by replica.transact((tx) => …), which sends the change to the server.',
      )
    }
  }

  /** Runs a body that may change the store in one commit. */
  write<R>(body: () => R): R {
    const outer = this.#isOpen
    this.#isOpen = true
    try {
      return body()
    } finally {
      this.#isOpen = outer
    }
  }

  /** Runs the body of a transaction whose commit follows at once, outside of this call. */
  begin<R>(body: () => R): R {
    this.#isOpen = true
    queueMicrotask(() => {
      this.#isOpen = false
    })
    return body()
  }
}
