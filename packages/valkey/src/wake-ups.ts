import type { WakeUps } from '@entia/sql'
import type { BoundedClient } from './bounded-client.ts'
import type { ValkeySubscriber } from './client.ts'

export interface ValkeyWakeUpsOptions {
  readonly client: BoundedClient
  readonly connect: () => ValkeySubscriber
  readonly channel: string
}

/** Announces commits on a channel. Listens on a connection of its own, while somebody listens. */
export class ValkeyWakeUps implements WakeUps {
  readonly #options: ValkeyWakeUpsOptions
  readonly #listeners = new Set<(globalStamp: number) => void>()
  #subscriber: ValkeySubscriber | null = null
  /** The stamp to announce next; null if none waits. */
  #next: number | null = null
  #isSending = false

  constructor(options: ValkeyWakeUpsOptions) {
    this.#options = options
  }

  /** Commits side by side share an announcement: one is on its way at a time. */
  publish(globalStamp: number): void {
    this.#next = Math.max(globalStamp, this.#next ?? 0)
    if (!this.#isSending) void this.#send()
  }

  subscribe(listener: (globalStamp: number) => void): () => void {
    this.#listeners.add(listener)
    this.#subscriber ??= this.#connect()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  close(): void {
    this.#subscriber?.disconnect()
    this.#subscriber = null
  }

  async #send(): Promise<void> {
    const { client, channel } = this.#options
    this.#isSending = true
    try {
      while (this.#next !== null && !client.isAway) {
        const stamp = this.#next
        this.#next = null
        await client.call('PUBLISH', channel, stamp)
      }
    } catch {
      // A lost message delays its readers only.
    } finally {
      this.#isSending = false
      this.#next = null
    }
  }

  #connect(): ValkeySubscriber {
    const { connect, channel } = this.#options
    const subscriber = connect()
    const listen = (): void => void subscriber.subscribe(channel).catch(() => {})
    subscriber.on('error', () => {})
    // A client that keeps no commands until it has connected takes none before.
    subscriber.on('ready', listen)
    subscriber.on('message', (_, message) => {
      const globalStamp = Number(message)
      if (Number.isSafeInteger(globalStamp))
        for (const listener of [...this.#listeners]) listener(globalStamp)
    })
    listen()
    return subscriber
  }
}
