/**
 * Runs tasks, at most some at a time, in the order in which they were added. So live queries leave
 * connections for requests.
 */
export class Lanes {
  readonly #waiting: (() => Promise<void>)[] = []
  #free: number

  constructor(lanes: number) {
    this.#free = lanes
  }

  /** The task must not reject. */
  add(task: () => Promise<void>): void {
    this.#waiting.push(task)
    if (this.#free > 0) void this.#run()
  }

  async #run(): Promise<void> {
    this.#free -= 1
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift())
      await task()
    this.#free += 1
  }
}
