import type { Coverage } from './coverage.ts'
import type { Position } from './own-classes.ts'
import type { SentShapes } from './replica-parts.ts'
import type { ReplicaStatus } from './replica-status.ts'

interface ShapesPort {
  /** Throws for shapes that the definitions do not have. */
  readonly coverage: (shapes: SentShapes) => Coverage
  readonly status: ReplicaStatus
  /** Other shapes are asked for. */
  changed(shapes: SentShapes): void
  /** Opens the stream again. */
  again(): void
  /** The number of streams that were opened. */
  opened(): number
}

interface Covered {
  readonly shapes: SentShapes
  readonly coverage: Coverage
}

/** The shapes that are asked for, and what those of the contents cover. */
export class ShapesInUse {
  readonly #port: ShapesPort
  #wanted: Covered
  /** Of the contents. */
  #coverage: Coverage
  /** The number of the last stream that has brought a moment. */
  #arrived = 0

  constructor(shapes: SentShapes, port: ShapesPort) {
    this.#port = port
    this.#wanted = { shapes, coverage: port.coverage(shapes) }
    this.#coverage = this.#wanted.coverage
  }

  /** Those that are asked for. */
  get wanted(): SentShapes {
    return this.#wanted.shapes
  }

  /** The contents are those of a moment. `isSame`: of the same shapes as before. */
  show({ shapes, held }: Position, isSame = false): void {
    if (!isSame) this.#coverage = this.#port.coverage(shapes)
    this.#coverage.hold(held)
  }

  /** A moment of a stream: true for its first one. */
  arrive({ shapes, held }: Position, stream: number): boolean {
    const isFirst = stream !== this.#arrived
    this.#arrived = stream
    if (isFirst)
      this.#coverage =
        shapes === this.#wanted.shapes ? this.#wanted.coverage : this.#port.coverage(shapes)
    this.#coverage.hold(held)
    return isFirst
  }

  /** Asks the server for other shapes. If it refuses, the former ones are asked for again later. */
  async ask(shapes: SentShapes): Promise<void> {
    const { coverage, status, again, opened } = this.#port
    const former = this.#wanted
    // Throws before anything changes.
    const wanted = { shapes, coverage: coverage(shapes) }
    const before = opened()
    this.#want(wanted)
    again()
    try {
      await status.unlessRefused(() => this.#arrived > before)
    } catch (error) {
      if (this.#wanted === wanted && !status.isClosed) this.#want(former)
      throw error
    }
  }

  #want(wanted: Covered): void {
    this.#wanted = wanted
    this.#port.changed(wanted.shapes)
  }

  readonly mustHold: Coverage['mustHold'] = (...asked) => this.#coverage.mustHold(...asked)
}
