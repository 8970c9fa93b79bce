import { createHash } from 'node:crypto'
import { VolatileStateError } from '@entia/sql'
import type { ValkeyClient } from './client.ts'

type Parameter = string | number | Buffer

export interface BoundedClientOptions {
  readonly client: Pick<ValkeyClient, 'call' | 'callBuffer'>
  /** The longest time that a command is waited for. */
  readonly commandMilliseconds: number
  readonly monotonic: () => number
}

/** How long no command is sent after one that was not answered. */
const PAUSE_MILLISECONDS = 1000

/** A program that the server runs. */
export interface Script {
  readonly text: string
  readonly sha: string
}
export const scriptOf = (text: string): Script => ({
  text,
  sha: createHash('sha1').update(text).digest('hex'),
})

/**
 * Commands that are waited for no longer than they may take. After one that was not answered, the
 * following ones fail at once for a second: a server that hangs costs a request one wait only.
 * Every call may reject with a `VolatileStateError`.
 */
export class BoundedClient {
  readonly #options: BoundedClientOptions
  #awayUntil = Number.NEGATIVE_INFINITY

  constructor(options: BoundedClientOptions) {
    this.#options = options
  }

  get isAway(): boolean {
    return this.#options.monotonic() < this.#awayUntil
  }

  call(command: string, ...parameters: Parameter[]): Promise<unknown> {
    return this.#bounded(() => this.#options.client.call(command, ...parameters))
  }

  /** Texts of the reply are bytes. */
  callBuffer(command: string, ...parameters: Parameter[]): Promise<unknown> {
    return this.#bounded(() => this.#options.client.callBuffer(command, ...parameters))
  }

  /** Runs a script, whose text is sent only if the server does not have it. */
  run({ text, sha }: Script, key: string, ...parameters: Parameter[]): Promise<unknown> {
    const { client } = this.#options
    return this.#bounded(async () => {
      try {
        return await client.call('EVALSHA', sha, 1, key, ...parameters)
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
        return client.call('EVAL', text, 1, key, ...parameters)
      }
    })
  }

  async #bounded(send: () => Promise<unknown>): Promise<unknown> {
    if (this.isAway) throw new VolatileStateError('No command was answered a moment ago.')
    const { commandMilliseconds } = this.#options
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const giveUp = (): void => {
        this.#awayUntil = this.#options.monotonic() + PAUSE_MILLISECONDS
        reject(new Error(`No answer in ${commandMilliseconds} ms.`))
      }
      // A process that was busy reads the answers that have arrived first.
      timer = setTimeout(() => setImmediate(giveUp), commandMilliseconds)
    })
    try {
      return await Promise.race([send(), late])
    } catch (error) {
      throw new VolatileStateError(error)
    } finally {
      clearTimeout(timer)
    }
  }
}
