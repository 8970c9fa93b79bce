import type { ValkeyClient } from './client.ts'

type Parameter = string | number

export interface BoundedClientOptions {
  readonly client: Pick<ValkeyClient, 'call'>
  /** The longest time that a command is waited for. */
  readonly commandMilliseconds: number
  readonly monotonic: () => number
}

/** How long no command is sent after one that was not answered. */
const PAUSE_MILLISECONDS = 1000

/**
 * Commands that are waited for no longer than they may take. After one that was not answered, the
 * following ones fail at once for a second: a server that hangs costs one wait only.
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

  async call(command: string, ...parameters: Parameter[]): Promise<unknown> {
    if (this.isAway) throw new Error('No command was answered a moment ago.')
    const { client, commandMilliseconds } = this.#options
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
      return await Promise.race([client.call(command, ...parameters), late])
    } finally {
      clearTimeout(timer)
    }
  }
}
