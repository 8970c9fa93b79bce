/** Characters of all streams together before other work has its turn: some milliseconds of it. */
const CHARACTERS_OF_SLICE = 250_000

/**
 * Wakes many streams without holding up other requests: each time slice wakes those that wait,
 * the first one first, until they have taken enough.
 */
export class PacedWakes {
  readonly #nextSlice: () => Promise<void>
  readonly #waiting: (() => void)[] = []
  #characters = 0
  #isRunning = false

  constructor(nextSlice: () => Promise<void>) {
    this.#nextSlice = nextSlice
  }

  /** Wakes a stream in a later time slice. `wake` must not throw. */
  add(wake: () => void): void {
    this.#waiting.push(wake)
    if (!this.#isRunning) void this.#run()
  }
  /** Call this with the length of what a stream has taken. */
  count(characters: number): void {
    this.#characters += characters
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await this.#nextSlice()
      this.#characters = 0
      let woken = 0
      // Those that are added meanwhile have the next slice.
      const count = this.#waiting.length
      while (woken < count && this.#characters < CHARACTERS_OF_SLICE) this.#waiting[woken++]!()
      this.#waiting.splice(0, woken)
    }
    this.#isRunning = false
  }
}
