/**
 * Since when the changes of a stream wait for its client, which takes each text when it has sent
 * the one before. Cost: a clock reading for the first change that waits.
 */
export class Lag {
  readonly #monotonic: () => number
  #since: number | null = null

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  begin(): void {
    this.#since ??= this.#monotonic()
  }
  end(): void {
    this.#since = null
  }
  get milliseconds(): number {
    return this.#since === null ? 0 : Math.round(this.#monotonic() - this.#since)
  }
}
