import { RemoteError } from '@entia/client'
import type { Transport } from '@entia/client/internal'
import type { Batch, BatchOutcome, BatchRefusal, LeaseRequest } from '@entia/core/internal'
import { type BatchesAnswer, isBatchesAnswer } from './checked.ts'
import type { Pauses } from './pauses.ts'

/** What a queue sends, and who takes the answers. */
export interface QueuePort {
  readonly transport: Transport
  /** The id of the replica, the user who has made the batches, and the era that was named last. */
  origin(): { readonly replica: string; readonly user: string | null; readonly era: string | null }
  /** The number of the last batch. */
  last(): number
  /** True if no batch up to a number waits for its outcome, or for its effects. */
  isSettled(number: number): boolean
  setEra(era: string): void
  /** See `Batches.sendable`. */
  waiting(most: number, last: number): readonly Batch[]
  /** Up to this number, all outcomes have arrived. */
  received(): number
  /** Resolves once the journal has what is here, or the replica is closed. */
  kept(): Promise<void>
  /** Whether the contents are those of an instance of the server, or there are none. */
  isOf(instance: string): boolean
  decided(outcomes: readonly BatchOutcome[]): void
  /** Keys to ask for once no batch waits; null for none. */
  lease(): LeaseRequests | null
  /**
   * What an instance of the server leases to a replica. False if it is not that of the contents:
   * the request is sent again after a pause, or once the stream has another moment.
   */
  leased(
    replica: string,
    asked: LeaseRequests,
    answer: NonNullable<BatchesAnswer['lease']>,
    instance: string,
  ): boolean
  /** The server cannot read a request for keys. */
  notLeased(asked: LeaseRequests, message: string): void
  /** The server refuses the user: nothing is sent until it is woken. */
  refused(error: RemoteError): void
  /** Another error than those of requests. */
  failed(error: unknown): void
}

type LeaseRequests = { readonly [dataClass: string]: LeaseRequest }

/** Batches of one request. */
const BATCHES = 100

/**
 * Sends batches in their order, then asks for keys, one request at a time. A lost answer is asked
 * for again.
 */
export class Queue {
  readonly #port: QueuePort
  readonly #pauses: Pauses
  #isRunning = false
  #isWoken = false
  #isClosed = false
  /** After a request that the server could not read, batches are sent one by one. */
  #most = BATCHES
  /** Batches wait for the effects of those before them. */
  #isHeld = false
  /** What the server has named last. */
  #era: string | null = null
  /** The replica that has sent last. */
  #sender: string | null = null
  /** Its batches above this number were never sent, also not before the program started. */
  #sentTo = 0

  constructor(port: QueuePort, pauses: Pauses) {
    this.#port = port
    this.#pauses = pauses
  }

  /**
   * The server has named its era. It begins another one when it removes what it knows of replicas,
   * so what may have been sent before is sent with the era of before: only then the server can tell
   * it from new batches.
   */
  named(era: string): void {
    this.#era = era
    this.#adoptEra()
  }
  /** Call it after a moment of the server: effects of batches may have arrived. */
  arrived(): void {
    if (this.#isHeld) this.notice()
  }
  /** False if batches are still sent with another era. */
  #adoptEra(): boolean {
    const { replica, era } = this.#port.origin()
    // Before the first era, nothing was sent.
    if (this.#sender !== replica) this.#sentTo = era === null ? 0 : this.#port.last()
    this.#sender = replica
    if (this.#era === null || this.#era === era) return true
    if (!this.#port.isSettled(this.#sentTo)) return false
    this.#port.setEra(this.#era)
    return true
  }
  /** Call it for a new batch. After a failure it is sent at the end of the pause. */
  notice(): void {
    this.#isWoken = true
    if (!this.#isRunning) void this.#run()
  }
  /** Call it once there is a connection: ends the pause. */
  wake(): void {
    this.#pauses.end()
    this.notice()
  }
  close(): void {
    this.#isClosed = true
    this.#pauses.end()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      while (!this.#isClosed) {
        this.#isWoken = false
        const isOfEra = this.#adoptEra()
        const last = this.#port.last()
        // What is new would be refused with the rest.
        const batches = this.#port.waiting(this.#most, isOfEra ? last : this.#sentTo)
        this.#isHeld = !isOfEra || (batches.length === 0 && this.#port.received() < last)
        const lease = isOfEra && batches.length === 0 ? this.#port.lease() : null
        if ((batches.length === 0 && lease === null) || !(await this.#send(batches, lease))) {
          if (this.#isWoken) continue
          return
        }
      }
    } catch (error) {
      this.#port.failed(error)
    } finally {
      this.#isRunning = false
    }
  }

  /** False if nothing is sent until the queue is woken. */
  async #send(batches: readonly Batch[], lease: LeaseRequests | null): Promise<boolean> {
    const { transport } = this.#port
    const origin = this.#port.origin()
    this.#sentTo = Math.max(this.#sentTo, batches.at(-1)?.number ?? 0)
    const received = this.#port.received()
    // After a crash, another batch must not get a number that the server has seen, and the server
    // forgets an outcome only once it is kept here.
    await this.#port.kept()
    if (this.#isClosed) return false
    // The data were removed meanwhile.
    if (this.#port.origin().replica !== origin.replica) return true
    const body = { ...origin, received, batches, ...(lease && { lease }) }
    try {
      const answer = await transport.ask('POST', '$replica/batches', {}, body)
      if (this.#isClosed) return false
      if (!isBatchesAnswer(answer, batches[0]?.number ?? null)) {
        this.#port.failed(new Error('The server has sent an answer that is not one to batches.'))
        await this.#pauses.wait()
        return true
      }
      const { instance, era, outcomes, lease: given = {} } = answer
      if (!this.#port.isOf(instance)) {
        // Late, from before the server was restored, or ahead of the stream. What was decided is
        // sent again: stamps of another instance do not tell when its effects are here.
        await this.#pauses.wait()
        return true
      }
      this.#port.decided(outcomes)
      this.named(era)
      this.#most = BATCHES
      // Keys are asked for again in the new era: of another one, the server leases none.
      if (lease !== null && era !== origin.era) await this.#pauses.wait()
      else if (lease !== null && !this.#port.leased(origin.replica, lease, given, instance))
        await this.#pauses.wait()
      else this.#pauses.reset()
      return true
    } catch (error) {
      if (this.#isClosed) return false
      if (!(error instanceof RemoteError)) {
        this.#port.failed(error)
        return false
      }
      if (error.status === 401 || error.status === 403) {
        this.#port.refused(error)
        return false
      }
      if (isForGood(error.status) && lease !== null) {
        this.#port.notLeased(lease, error.message)
        return true
      }
      if (isForGood(error.status)) return this.#unreadable(batches, error)
      await this.#pauses.wait()
      return true
    }
  }

  /** The server cannot read a request. Alone, each batch of it is read or becomes a problem. */
  #unreadable(batches: readonly Batch[], error: RemoteError): boolean {
    if (batches.length > 1) {
      this.#most = 1
      return true
    }
    const { number } = batches[0]!
    const refusal: BatchRefusal = {
      conflicts: [],
      errors: [{ code: 'refused', errCode: error.status, message: error.message }],
    }
    this.#port.decided([{ kind: 'refused', number, refusal }])
    return true
  }
}

/** Statuses that another attempt would get too. */
const isForGood = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429
