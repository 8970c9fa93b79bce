const keptResults = 16
const batchNanoseconds = 2e6
const mostCalls = 1 << 24

/**
 * Times operations in batches.
 *
 * It keeps each result for sixteen operations: otherwise the compiler could remove work whose
 * result is never read. The time is that of the whole batch, including garbage collection, per
 * operation.
 */
export class Stopwatch {
  #kept = new Array(keptResults)
  /** The sum of the `read` results, which keeps the compiler from removing the reads. */
  #readSum = 0

  /**
   * @param {object} plan
   * @param {import('../subjects/subject.js').SubjectStore} plan.store
   * @param {(store: object, argument: unknown) => unknown} plan.run
   * @param {((result: unknown) => number) | undefined} plan.read
   * @param {readonly unknown[]} plan.args   used cyclically
   * @param {number} from                    index of the first argument
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

  /** The same for a subject with asynchronous operations. */
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

  /** The last results; all results for at most sixteen writes. */
  get kept() {
    return this.#kept
  }
}

/**
 * Finds the batch size for two milliseconds by doubling, which is also the first part of the
 * warm-up.
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
export async function repeatBatches(
  timeBatch,
  batch,
  milliseconds,
  mostOperations = Number.POSITIVE_INFINITY,
) {
  let nanoseconds = 0
  let operations = 0
  while (nanoseconds < milliseconds * 1e6 && operations < mostOperations) {
    nanoseconds += await timeBatch(batch)
    operations += batch
  }
  return nanoseconds / operations
}
