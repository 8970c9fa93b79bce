/** One server-sent event; comments are skipped. */
export interface ServerEvent {
  readonly name: string
  /** Sent back on reconnect; empty if the event has none. */
  readonly id: string
  readonly data: string
  /** The number of its query in a shared stream; 0 for the first. */
  readonly query: number
}

/** Milliseconds without data after which a response has ended, unless it names its heartbeat. */
const DEFAULT_SILENCE = 60_000

/** Reads the events of a response, and its reconnect delay. */
export class ServerEvents {
  /** Milliseconds to wait before reconnecting; null if the response did not set it. */
  retry: number | null = null
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #silence: number
  readonly #followsHeartbeat: boolean
  readonly #signal: AbortSignal | undefined

  /**
   * After `silence` milliseconds without data the response counts as ended, by default after two
   * and a half of its heartbeats; an abort ends it immediately.
   */
  constructor(body: ReadableStream<Uint8Array>, silence?: number, signal?: AbortSignal) {
    this.#reader = body.getReader()
    this.#silence = silence ?? DEFAULT_SILENCE
    this.#followsHeartbeat = silence === undefined
    this.#signal = signal
  }

  /** Ends with the response. A broken connection ends it without an error. */
  async *read(): AsyncGenerator<ServerEvent, void, undefined> {
    const decoder = new TextDecoder()
    let pieces: string[] = []
    // `fetch` does not always abort the body: once the request is collected, Node loses the signal.
    const cancel = (): void => void this.#reader.cancel().catch(() => {})
    this.#signal?.addEventListener('abort', cancel)
    if (this.#signal?.aborted === true) cancel()
    try {
      for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) {
        const text = decoder.decode(piece, { stream: true })
        pieces.push(text)
        // A large event arrives in many pieces. Joining them only at line ends keeps the cost
        // linear.
        if (!text.includes('\n')) continue
        const blocks = pieces.join('').split(/\r?\n\r?\n/)
        pieces = [blocks.pop() ?? '']
        for (const block of blocks) {
          const event = this.#eventOf(block)
          if (event !== null) yield event
        }
      }
    } finally {
      this.#signal?.removeEventListener('abort', cancel)
      await this.#reader.cancel().catch(() => {})
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const silent = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), this.#silence)
    })
    try {
      return await Promise.race([this.#reader.read().then(({ value }) => value), silent])
    } catch {
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  #eventOf(block: string): ServerEvent | null {
    const fields = new Map<string, string>()
    for (const line of block.split(/\r?\n/)) {
      // Flag `s`: U+2028 and U+2029 do not end a line of an event.
      const [, name, value] = /^([^:]+):? ?(.*)$/s.exec(line) ?? []
      if (name !== undefined && value !== undefined) fields.set(name, value)
    }
    const [, beat] = /^: heartbeat (\d{1,5}(?:\.\d+)?)$/m.exec(block) ?? []
    if (beat !== undefined && this.#followsHeartbeat) this.#silence = Number(beat) * 2500
    const retry = fields.get('retry')
    if (retry !== undefined && /^\d{1,7}$/.test(retry)) this.retry = Number(retry)
    const data = fields.get('data')
    return data === undefined
      ? null
      : {
          name: fields.get('event') ?? 'message',
          id: fields.get('id') ?? '',
          data,
          query: Number(fields.get('query') ?? 0),
        }
  }
}
