const keptResults = 16
const batchNanoseconds = 2e6
const mostCalls = 1 << 24

/**
 * Times operations in batches.
 *
 * Each result is kept for sixteen operations: were it dropped at once, the compiler could leave out the making of what
 * nobody reads. Time is the whole of a batch, garbage collection included, divided by its operations.
 */
export class Stopwatch {
  #kept = new Array(keptResults)
  /** Sum over what `read` answered, so that reading cannot be left out either. */
  #readSum = 0

  /**
   * @param {object} plan
   * @param {import('../subjects/subject.js').SubjectStore} plan.store
   * @param {(store: object, argument: unknown) => unknown} plan.run
   * @param {((result: unknown) => number) | undefined} plan.read
   * @param {readonly unknown[]} plan.args   used in turn
   * @param {number} from                    place of the first argument
   * @param {number} count                   operations
   * @returns {number} nanoseconds
   */
  time({ store, run, read, args }, from, count) {
    const kept = this.#kept
    let place = from % args.length
    let sum = 0
    const started = process.hrtime.bigint()
    for (let i = 0; i < count; i++) {
      const result = run(store, args[place])
      kept[i & (keptResults - 1)] = result
      if (read !== undefined) sum += read(result)
      if (++place === args.length) place = 0
    }
    const nanoseconds = Number(process.hrtime.bigint() - started)
    this.#readSum += sum
    return nanoseconds
  }

  /** The same for a subject whose operations return promises. */
  async timeAwaited({ store, run, read, args }, from, count) {
    const kept = this.#kept
    let place = from % args.length
    let sum = 0
    const started = process.hrtime.bigint()
    for (let i = 0; i < count; i++) {
      const result = await run(store, args[place])
      kept[i & (keptResults - 1)] = result
      if (read !== undefined) sum += read(result)
      if (++place === args.length) place = 0
    }
    const nanoseconds = Number(process.hrtime.bigint() - started)
    this.#readSum += sum
    return nanoseconds
  }

  /** The results kept last; for writes of at most sixteen operations these are all. */
  get kept() {
    return this.#kept
  }
}

/**
 * How many operations make a batch of two milliseconds, found by doubling; this is the first part of the warm-up.
 * @param {(count: number) => number | Promise<number>} timeBatch
 */
export async function findBatchSize(timeBatch) {
  for (let count = 1; count < mostCalls; count *= 2) {
    if ((await timeBatch(count)) >= batchNanoseconds) return count
  }
  return mostCalls
}

/**
 * Repeats a batch for some time.
 * @param {(count: number) => number | Promise<number>} timeBatch
 * @param {number} batch
 * @param {number} milliseconds   at least
 * @param {number} mostOperations
 * @returns {Promise<number>} nanoseconds per operation
 */
export async function repeatBatches(timeBatch, batch, milliseconds, mostOperations = Number.POSITIVE_INFINITY) {
  let nanoseconds = 0
  let operations = 0
  while (nanoseconds < milliseconds * 1e6 && operations < mostOperations) {
    nanoseconds += await timeBatch(batch)
    operations += batch
  }
  return nanoseconds / operations
}
