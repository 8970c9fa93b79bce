import type { RemoteError } from '@entia/client'
import type { Transport } from '@entia/client/internal'
import type { Batches } from './batches.ts'
import { Connection } from './connection.ts'
import type { Contents } from './contents.ts'
import { Incoming } from './incoming.ts'
import type { Keys } from './keys.ts'
import type { Moment } from './moment.ts'
import { Pauses } from './pauses.ts'
import type { Place } from './place.ts'
import { Queue } from './queue.ts'
import type { SentShapes } from './replica-parts.ts'

export interface ExchangePort {
  readonly transport: Transport
  readonly pauses: { readonly first: number; readonly longest: number }
  readonly contents: Contents
  readonly place: Place
  readonly batches: Batches
  readonly keys: Keys
  readonly onError: (error: unknown) => void
  /** The shapes that are asked for. */
  shapes(): SentShapes
  /** Resolves once the journal has what is here, or the replica is closed. */
  kept(): Promise<void>
  /** False if the contents cannot be continued as they are. */
  continues(): boolean
  /** Whether the contents are those of a user. False: they were removed. May throw. */
  isOf(user: string | null): boolean
  /** The stream is open. */
  connected(): void
  /** A moment of the stream with this number, for the shapes of its request. */
  arrived(moment: Moment, shapes: SentShapes, stream: number): void
  /** The stream has ended; it is opened again unless `isFinal`. */
  lost(error: unknown, isFinal: boolean): void
  /** The server has answered a request for keys. */
  leased(): void
  /** The server refuses the user who sends batches. */
  refused(error: RemoteError): void
}

/** The stream of a replica, and the requests with its batches. */
export class Exchange {
  readonly #queue: Queue
  readonly #connection: Connection
  readonly #incoming: Incoming
  /** True from a refusal of batches until the server takes some. */
  #isRefused = false

  constructor(port: ExchangePort) {
    const { transport, pauses, contents, place, batches, keys } = port
    this.#queue = new Queue(
      {
        transport,
        origin: () => ({ replica: place.replica, user: place.at?.user ?? null, era: place.era }),
        last: () => place.last,
        isSettled: (number) => batches.isSettled(number),
        setEra: (era) => place.setEra(era),
        waiting: (most, last) => batches.sendable(most, last),
        received: () => batches.received,
        kept: () => port.kept(),
        isOf: (instance) => place.at === null || place.at.instance === instance,
        decided: (outcomes) => {
          this.#isRefused = false
          batches.decided(outcomes)
        },
        lease: () => keys.wanted,
        leased: (replica, asked, answer, instance) => {
          // The data may be those of another user by now.
          const isTaken = replica !== place.replica || keys.answered(asked, answer, instance)
          port.leased()
          return isTaken
        },
        notLeased: (asked, message) => {
          keys.refused(asked, message)
          port.leased()
        },
        // Another user may have logged in, which only the stream tells. If it is open again and the
        // server still refuses, the user must not send batches.
        refused: (error) => {
          if (this.#isRefused) return port.refused(error)
          this.#isRefused = true
          this.#connection.again()
        },
        failed: port.onError,
      },
      new Pauses(pauses.first, pauses.longest),
    )
    this.#incoming = new Incoming({
      contents,
      replica: () => place.replica,
      shapes: () => port.shapes(),
      position: () => place.at,
      continues: () => port.continues(),
      isOf: (user, era) => {
        const isOwn = port.isOf(user)
        if (isOwn) {
          this.#queue.named(era)
          this.#queue.wake()
        }
        return isOwn
      },
      arrived: (moment, shapes, stream) => {
        port.arrived(moment, shapes, stream)
        this.#queue.arrived()
      },
    })
    this.#connection = new Connection(
      {
        transport,
        request: () => this.#incoming.request(),
        begin: () => this.#incoming.begin(),
        connected: () => port.connected(),
        lost: (error, isFinal) => port.lost(error, isFinal),
      },
      new Pauses(pauses.first, pauses.longest),
    )
  }

  /** The number of streams that were opened. */
  get opened(): number {
    return this.#incoming.opened
  }
  /** Call it for a new batch. */
  send(): void {
    this.#queue.notice()
  }
  /** Sends what waits, also during the pause after a failure. */
  wake(): void {
    this.#queue.wake()
  }
  /** The lines did not follow from what is here: everything is asked for. */
  broken(): void {
    this.#incoming.isBroken = true
  }
  /** Opens the stream again, from where the replica is; also if the server has refused it. */
  again(): void {
    this.#connection.again()
  }
  close(): void {
    this.#connection.close()
    this.#queue.close()
  }
}
