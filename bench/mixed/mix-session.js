import { threadNanoseconds } from '../harness/thread-time.js'
import { Latencies } from './latencies.js'

/** Operations are drawn so many at a time, outside of the time that is measured. */
const drawnTogether = 2_000

/**
 * One subject that runs one mix, in one process.
 *
 * Each operation is timed by itself, its answer is read within that time, and a collection of garbage counts for the operation in which it happens.
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
  /** Sum over what was read, so that reading cannot be left out by the compiler. */
  #readSum = 0

  /** Makes the data and loads it. The rows are dropped: what a subject keeps is its own. */
  static async open(subject, mix, rows) {
    const session = new MixSession(subject, mix)
    const data = mix.makeData(rows)
    session.#store = await subject[mix.family](data, mix)
    await mix.prepare?.(session.#store, data)
    session.#draw = mix.operations(data)
    return session
  }

  /** Use `open`. */
  constructor(subject, mix) {
    this.#subject = subject
    this.#mix = mix
    this.forget()
  }

  /** Methods of the subject that the mix needs and the subject lacks. */
  get missing() {
    const needed = [...this.#mix.kinds.keys(), 'all', ...(this.#mix.needs ?? [])]
    return needed.filter((name) => this.#store[name] === undefined)
  }

  /**
   * The answers to the first operations as text; fewer than asked for when the subject is slow.
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

  /** Forgets the latencies measured so far. */
  forget() {
    for (const kind of this.#mix.kinds.keys()) this.#latencies.set(kind, new Latencies())
  }

  /**
   * Runs operations for some time.
   * @param {number} milliseconds
   * @returns {Promise<{ operations: number, nanoseconds: number, worked: number | null }>}
   *          `worked` is what the thread of a synchronous subject has worked in the time, where the system tells
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
    return Object.fromEntries([...this.#latencies].map(([kind, latencies]) => [kind, latencies.summary()]))
  }

  /** How many operations were run, all rows that are there as one number, and whether the store finds itself consistent. */
  async settle() {
    await this.#store.verify?.()
    return { operations: this.#done, digest: this.#mix.digest([...(await this.#store.all())]) }
  }

  /** What the store says about what it holds. */
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

  /** Runs what is drawn until it has taken that long. @returns {number} nanoseconds that it took */
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

  /** The same for a subject whose methods return promises. */
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
