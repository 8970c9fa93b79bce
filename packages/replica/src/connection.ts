import { RemoteError } from '@entia/client'
import { type Transport, watchNetwork } from '@entia/client/internal'
import type { Pauses } from './pauses.ts'
import { ReplicaError } from './replica-error.ts'

/** What a connection asks for, and who reads its lines. */
export interface ConnectionPort {
  readonly transport: Transport
  /** The body of the request. */
  request(): unknown
  /** A reader of the lines of one stream. True: another one is to be opened at once. */
  begin(): (line: string) => boolean
  /** The stream is open. */
  connected(): void
  /** The stream has ended; it is opened again unless `isFinal`. */
  lost(error: unknown, isFinal: boolean): void
}

/** A stream without data for so long is dead. The server sends an empty line every 15 s. */
const SILENCE = 40_000

/** The stream of one replica, opened again after each loss. */
export class Connection {
  readonly #port: ConnectionPort
  readonly #pauses: Pauses
  #current = new AbortController()
  #isClosed = false
  #isRunning = false
  /** The stream is to be opened again without a pause. */
  #isAsked = false
  readonly #endWatch: () => void

  constructor(port: ConnectionPort, pauses: Pauses) {
    this.#port = port
    this.#pauses = pauses
    this.#endWatch = watchNetwork((isOnline) => {
      if (isOnline) this.#pauses.end()
      else this.again()
    })
    void this.#run()
  }

  /** Opens the stream again, from where the replica is; also if the server has refused it. */
  again(): void {
    this.#isAsked = true
    this.#current.abort(new RemoteError(0, 'The stream is opened again.'))
    this.#pauses.end()
    if (!this.#isRunning && !this.#isClosed) void this.#run()
  }
  close(): void {
    this.#isClosed = true
    this.#endWatch()
    this.again()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    await this.#repeat()
    this.#isRunning = false
  }

  async #repeat(): Promise<void> {
    while (!this.#isClosed) {
      this.#current = new AbortController()
      this.#isAsked = false
      let error: unknown = null
      try {
        if (await this.#follow(this.#current)) continue
      } catch (problem) {
        error = problem
      }
      if (this.#isClosed) return
      const isFinal = isForGood(error)
      this.#port.lost(error, isFinal)
      if (isFinal) return
      if (!this.#isAsked) await this.#pauses.wait()
    }
  }

  /** True if the stream is to be opened again at once. */
  async #follow(current: AbortController): Promise<boolean> {
    const { transport } = this.#port
    const body = await transport.lines('$replica', this.#port.request(), current.signal)
    const read = this.#port.begin()
    this.#port.connected()
    const reader = body
      .pipeThrough(new TextDecoderStream() as never)
      .getReader() as ReadableStreamDefaultReader<string>
    const stop = (): void => void reader.cancel().catch(() => {})
    current.signal.addEventListener('abort', stop)
    let begun = ''
    try {
      for (;;) {
        const { done, value } = await inTime(reader.read(), current)
        if (done || current.signal.aborted) return false
        this.#pauses.reset()
        const lines = (begun + value).split('\n')
        begun = lines.pop() ?? ''
        for (const line of lines) if (read(line)) return true
      }
    } finally {
      current.signal.removeEventListener('abort', stop)
      stop()
    }
  }
}

function inTime<T>(reading: Promise<T>, current: AbortController): Promise<T> {
  const timer = setTimeout(
    () => current.abort(new RemoteError(0, 'The stream is silent.')),
    SILENCE,
  )
  return reading
    .catch((cause: unknown) => {
      // As a request without an answer. What has arrived is complete, unlike after a wrong line.
      throw new RemoteError(0, 'The connection has ended.', [], cause)
    })
    .finally(() => clearTimeout(timer))
}

/** The server cannot serve such shapes. */
const NOT_IMPLEMENTED = 501

/** Errors that another attempt would get too. */
const isForGood = (error: unknown): boolean =>
  error instanceof ReplicaError ||
  (error instanceof RemoteError &&
    ((error.status >= 400 && error.status < 500) || error.status === NOT_IMPLEMENTED) &&
    error.status !== 408 &&
    error.status !== 429)
