/** Pauses between attempts, which grow to a bound. Half of each is random. */
export class Pauses {
  readonly #first: number
  readonly #longest: number
  #failures = 0
  #end = (): void => {}

  constructor(first: number, longest: number) {
    this.#first = first
    this.#longest = longest
  }

  reset(): void {
    this.#failures = 0
  }

  /** Resolves after the next pause, or once `end` is called. */
  wait(): Promise<void> {
    const whole = Math.min(this.#longest, this.#first * 2 ** this.#failures++)
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, whole / 2 + (Math.random() * whole) / 2)
      this.#end = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
  end(): void {
    this.#end()
  }
}
