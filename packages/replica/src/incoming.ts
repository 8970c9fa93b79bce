import type { Contents } from './contents.ts'
import { type Hinted, type Marks, marksOf, randomSeed } from './marks.ts'
import { Lines, type Moment } from './moment.ts'
import type { Position } from './own-classes.ts'
import type { SentShapes } from './replica-parts.ts'

interface IncomingPort {
  readonly contents: Contents
  readonly replica: () => string
  readonly shapes: () => SentShapes
  /** The moment that is here. */
  readonly position: () => Position | null
  /** False if the contents cannot be continued as they are. */
  readonly continues: () => boolean
  /**
   * Whether the contents are those of a user. False: they were removed. May throw. The server has
   * named its era.
   */
  readonly isOf: (user: string | null, era: string) => boolean
  /** A moment of the stream with this number, for the shapes of its request. */
  readonly arrived: (moment: Moment, shapes: SentShapes, stream: number) => void
}

/** The requests for streams, and what their lines say. */
export class Incoming {
  readonly #port: IncomingPort
  /** The number of streams that were opened. */
  opened = 0
  /** The lines did not follow from what is here: everything is asked for. */
  isBroken = false
  /** What the server wants marks of, and the marks of the request that was sent. */
  #wanted: readonly Hinted[] | null = null
  #marks: Marks | null = null
  /** Of the hints and the marks. */
  #seed = 0

  constructor(port: IncomingPort) {
    this.#port = port
  }

  /** The body of the next request. */
  request(): unknown {
    const { contents, replica, shapes, position, continues } = this.#port
    const at = this.isBroken ? null : position()
    const wanted = at === null ? null : this.#wanted
    this.#wanted = null
    if (wanted === null) this.#seed = randomSeed()
    const seed = this.#seed
    const compared = wanted === null ? null : marksOf(contents, wanted, seed)
    this.#marks = compared?.marks ?? null
    return {
      replica: replica(),
      shapes: shapes(),
      at: at && [at.instance, at.globalStamp, continues() ? at.fingerprint : ''],
      ...(at === null ? {} : { seed }),
      ...(compared === null ? {} : { marks: compared.sent }),
      wait: null,
    }
  }

  /** A reader of the lines of the stream that was requested; true asks for another one at once. */
  begin(): (line: string) => boolean {
    const { contents, isOf, arrived, shapes } = this.#port
    const lines = new Lines(contents, this.#marks)
    const stream = ++this.opened
    const asked = shapes()
    let isChecked = false
    return (line) => {
      const moment = lines.read(line)
      if (!isChecked && lines.caller !== null) {
        isChecked = true
        const { user, era } = lines.caller
        if (!isOf(user, era)) return true
      }
      this.#wanted = lines.wanted
      if (moment === null) return lines.wanted !== null
      this.isBroken = false
      arrived(moment, asked, stream)
      return false
    }
  }
}
