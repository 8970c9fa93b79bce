/**
 * A client of Valkey or Redis. One of `iovalkey` or `ioredis` is one: `new Redis(url)`. Commands
 * that are called without waiting must be sent in that order.
 */
export interface ValkeyClient {
  /** Sends a command. Texts of the reply are decoded as UTF-8. */
  call(command: string, ...parameters: (string | number)[]): Promise<unknown>
  /** Another connection to the same server, with options of its own. */
  duplicate(options: { readonly autoResubscribe: boolean }): ValkeySubscriber
}

/** A connection that receives messages. */
export interface ValkeySubscriber {
  subscribe(channel: string): Promise<unknown>
  on(event: 'message', listener: (channel: string, message: string) => void): unknown
  on(event: 'ready', listener: () => void): unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
  disconnect(): void
}
