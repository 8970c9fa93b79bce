import type { BitsetKernel } from './bitset-kernel.ts'

/**
 * Allocates zeroed word arrays as views of larger blocks: a typed array costs about 10 us from 10
 * KB up, a view a tenth of that. A block lives as long as any set cut from it.
 */
export class WordAllocator {
  readonly #makeKernel: () => BitsetKernel | null
  #kernel: BitsetKernel | null | undefined
  #block: ArrayBuffer = new ArrayBuffer(0)
  #used = 0

  constructor(makeKernel: () => BitsetKernel | null) {
    this.#makeKernel = makeKernel
  }

  /** Takes a number of words; returns that many, all zero. */
  take(words: number): Int32Array {
    const bytes = words * 4
    if (bytes > 65536) return new Int32Array(words)
    if (this.#used + bytes > this.#block.byteLength) {
      this.#block = new ArrayBuffer(262144)
      this.#used = 0
    }
    const view = new Int32Array(this.#block, this.#used, words)
    this.#used += bytes
    return view
  }

  /**
   * Combines large sets; null where the host has no WebAssembly SIMD, and in a store without the
   * capability `indexes`. Created at the first call.
   */
  get kernel(): BitsetKernel | null {
    if (this.#kernel === undefined) this.#kernel = this.#makeKernel()
    return this.#kernel
  }
}
