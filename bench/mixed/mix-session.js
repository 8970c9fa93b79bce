import { threadNanoseconds } from '../harness/thread-time.js'
import { Latencies } from './latencies.js'

/** The number of operations to draw at a time, outside the measured time. */
const drawnTogether = 2_000

/**
 * One subject that runs one mix, in one process. Each operation is timed on its own, including
 * reading its answer. A garbage collection counts for the operation during which it runs.
 */
export class MixSession {
  #subject
  #mix
  #store
  #draw
  /** @type {import('./mixes/mix.js').Operation[]} drawn and not yet run */
  #drawn = []
  #next = 0
  #done = 0
  /** @type {Map<string, Latencies>} */
  #latencies = new Map()
  /** The sum of the read values, which keeps the compiler from removing the reads. */
  #readSum = 0

  /**
   * Creates the data and loads it. The session drops the rows, so only what the subject keeps
   * remains.
   */
  static async open(subject, mix, rows) {
    const session = new MixSession(subject, mix)
    const data = mix.makeData(rows)
    session.#store = await subject[mix.family](data, mix)
    // A subject that lacks something does not run the mix.
    if (session.missing.length === 0) await mix.prepare?.(session.#store, data)
    session.#draw = mix.operations(data)
    return session
  }

  /** Use `open`. */
  constructor(subject, mix) {
    this.#subject = subject
    this.#mix = mix
    this.forget()
  }

  /** Methods that the mix needs and the subject lacks. */
  get missing() {
    const needed = [...this.#mix.kinds.keys(), 'all', ...(this.#mix.needs ?? [])]
    return needed.filter((name) => this.#store[name] === undefined)
  }

  /**
   * The answers to the first operations as text; a slow subject returns fewer than `count`.
   * @param {number} count
   * @param {number} milliseconds
   */
  async answers(count, milliseconds) {
    const texts = []
    const end = performance.now() + milliseconds
    while (texts.length < count && (texts.length === 0 || performance.now() < end)) {
      const operation = this.#take()
      const answer = await this.#store[operation.kind](operation)
      texts.push(this.#mix.kinds.get(operation.kind).describe?.(answer, operation) ?? '')
    }
    return texts
  }

  /** Discards the latencies so far. */
  forget() {
    for (const kind of this.#mix.kinds.keys()) this.#latencies.set(kind, new Latencies())
  }

  /**
   * Runs operations for some time.
   * @param {number} milliseconds
   * @returns {Promise<{ operations: number, nanoseconds: number, worked: number | null }>} `worked`
   * is the processor time of a synchronous subject's thread, if the system reports it
   */
  async measure(milliseconds) {
    globalThis.gc?.({ type: 'minor' })
    const before = this.#done
    const most = milliseconds * 1e6
    let nanoseconds = 0
    let worked = 0
    while (nanoseconds < most) {
      if (this.#next === this.#drawn.length) this.#drawMore()
      const from = threadNanoseconds()
      nanoseconds += this.#subject.isAsynchronous
        ? await this.#runAwaited(most - nanoseconds)
        : this.#run(most - nanoseconds)
      worked += threadNanoseconds() - from
    }
    const isKnown = worked > 0 && !this.#subject.isAsynchronous
    return { operations: this.#done - before, nanoseconds, worked: isKnown ? worked : null }
  }

  /** Latencies by kind. @returns {Record<string, import('./latencies.js').LatencySummary>} */
  latencies() {
    return Object.fromEntries(
      [...this.#latencies].map(([kind, latencies]) => [kind, latencies.summary()]),
    )
  }

  /** The number of operations, a checksum of all rows, and whether the store verifies. */
  async settle() {
    await this.#store.verify?.()
    return { operations: this.#done, digest: this.#mix.digest([...(await this.#store.all())]) }
  }

  /** The store's own figures about its contents. */
  figures() {
    return this.#store.figures?.() ?? {}
  }

  #take() {
    if (this.#next === this.#drawn.length) this.#drawMore()
    this.#done++
    return this.#drawn[this.#next++]
  }

  #drawMore() {
    this.#next = 0
    for (let i = 0; i < drawnTogether; i++) this.#drawn[i] = this.#draw()
  }

  /**
   * Runs the drawn operations until `most` nanoseconds have passed. @returns {number} the
   * nanoseconds
   */
  #run(most) {
    const store = this.#store
    const kinds = this.#mix.kinds
    let spent = 0
    do {
      const operation = this.#take()
      const { kind } = operation
      const { read } = kinds.get(kind)
      const latencies = this.#latencies.get(kind)
      const from = performance.now()
      const answer = store[kind](operation)
      if (read !== undefined) this.#readSum += read(answer)
      const nanoseconds = (performance.now() - from) * 1e6
      latencies.add(nanoseconds)
      spent += nanoseconds
    } while (spent < most && this.#next < this.#drawn.length)
    return spent
  }

  /** The same for a subject with asynchronous methods. */
  async #runAwaited(most) {
    const store = this.#store
    const kinds = this.#mix.kinds
    let spent = 0
    do {
      const operation = this.#take()
      const { kind } = operation
      const { read } = kinds.get(kind)
      const latencies = this.#latencies.get(kind)
      const from = performance.now()
      const answer = await store[kind](operation)
      if (read !== undefined) this.#readSum += read(answer)
      const nanoseconds = (performance.now() - from) * 1e6
      latencies.add(nanoseconds)
      spent += nanoseconds
    } while (spent < most && this.#next < this.#drawn.length)
    return spent
  }
}
