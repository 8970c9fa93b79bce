/** Buckets per doubling of the time: each is about one percent wide. */
const bucketsPerDoubling = 64
const bucketCount = 40 * bucketsPerDoubling

/**
 * Latencies of one kind of operation in buckets of about one percent; the largest is exact. Memory
 * is constant.
 */
export class Latencies {
  #buckets = new Uint32Array(bucketCount)
  #count = 0
  #sum = 0
  #largest = 0

  /** @param {number} nanoseconds */
  add(nanoseconds) {
    const bucket =
      nanoseconds <= 1
        ? 0
        : Math.min(bucketCount - 1, Math.floor(Math.log2(nanoseconds) * bucketsPerDoubling))
    this.#buckets[bucket]++
    this.#count++
    this.#sum += nanoseconds
    if (nanoseconds > this.#largest) this.#largest = nanoseconds
  }

  /**
   * @typedef {object} LatencySummary   times in nanoseconds
   * @property {number} count
   * @property {number} mean
   * @property {number} p50
   * @property {number} p99
   * @property {number} p999
   * @property {number} largest
   * @returns {LatencySummary}
   */
  summary() {
    return {
      count: this.#count,
      mean: this.#sum / this.#count,
      p50: this.#percentile(0.5),
      p99: this.#percentile(0.99),
      p999: this.#percentile(0.999),
      largest: this.#largest,
    }
  }

  /** The upper end of the bucket of a percentile. */
  #percentile(share) {
    const wanted = Math.ceil(this.#count * share)
    let cumulated = 0
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      cumulated += this.#buckets[bucket]
      if (cumulated >= wanted)
        return Math.min(this.#largest, 2 ** ((bucket + 1) / bucketsPerDoubling))
    }
    return this.#largest
  }
}
