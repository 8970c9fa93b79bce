import type { SetOperator } from './bitset.ts'
import { bitsetKernelBytes, TURN_BYTES } from './bitset-kernel.generated.ts'

/** Words that never change again, so that a kernel may keep a copy. */
export interface KernelOperand {
  readonly words: Int32Array
  /** The kernel that copied them last, and the address of the copy. For the kernel only. */
  kernel: BitsetKernel | null
  address: number
}

type Combine = (left: number, right: number, target: number, leftEnd: number) => number
interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly and: Combine
  readonly or: Combine
  readonly except: Combine
}
/** The part of the host's WebAssembly that is used. Some hosts have none. */
interface Host {
  readonly WebAssembly?: {
    readonly Module: new (bytes: Uint8Array) => object
    readonly Instance: new (module: object) => { readonly exports: object }
  }
}

const PAGE = 65536
/** Bound of the kernel's memory. Beyond it, operands are copied in again. */
const MAX_MEMORY_BYTES = 16 * 1024 * 1024

/**
 * Combines sets of bits 128 at a time, in a WebAssembly memory of its own. That memory holds only
 * copies of operands and of the last result. The sets themselves are ordinary memory, so that
 * nothing has to be pinned or released. A full memory drops all its copies. Copying a set in takes
 * a quarter of the time of combining it.
 */
export class BitsetKernel {
  readonly #exports: KernelExports
  readonly #maxBytes: number
  #words: Int32Array
  #used = 0
  /** Address of the memory's first byte. Copies with lower addresses are gone. */
  #base = 0
  /** Offset of the last result. */
  #result = 0

  private constructor(exports: KernelExports, maxBytes: number) {
    this.#exports = exports
    this.#maxBytes = maxBytes
    this.#words = new Int32Array(exports.memory.buffer)
  }

  /**
   * Null where the host has no WebAssembly or SIMD, or forbids compiling (a content security policy
   * without `wasm-unsafe-eval`). Cost: about a millisecond.
   */
  static create(maxBytes = MAX_MEMORY_BYTES): BitsetKernel | null {
    const { WebAssembly } = globalThis as Host
    if (WebAssembly === undefined) return null
    try {
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bitsetKernelBytes()))
      return new BitsetKernel(exports as KernelExports, maxBytes)
    } catch {
      return null
    }
  }

  /**
   * Combines two sets; returns the number of bits set in the result, or -1 where they are too large
   * for the memory. The shorter set counts as padded with zeros. Cost: a microsecond per 200 000
   * bits.
   */
  combine(operator: SetOperator, a: KernelOperand, b: KernelOperand): number {
    if (!this.#load(a, b)) return -1
    const left = a.address - this.#base
    const right = b.address - this.#base
    const leftBytes = paddedBytes(a.words)
    const rightBytes = paddedBytes(b.words)
    const shared = Math.min(leftBytes, rightBytes)
    const result = this.#used
    this.#result = result
    let count = shared === 0 ? 0 : this.#exports[operator](left, right, result, left + shared)
    if (leftBytes > shared && operator !== 'and')
      count += this.#copy(left + shared, result + shared, left + leftBytes)
    if (rightBytes > shared && operator === 'or')
      count += this.#copy(right + shared, result + shared, right + rightBytes)
    return count
  }

  /** The words of the last result; `out` is no longer than that. */
  copyResult(out: Int32Array): void {
    const first = this.#result >>> 2
    out.set(this.#words.subarray(first, first + out.length))
  }

  /** Copies, and counts what it copies. */
  #copy(from: number, target: number, end: number): number {
    return this.#exports.or(from, from, target, end)
  }

  /**
   * Copies both in where needed, with room for a result behind them. False where they do not fit.
   */
  #load(a: KernelOperand, b: KernelOperand): boolean {
    const hasA = this.#has(a)
    const hasB = this.#has(b)
    const leftBytes = paddedBytes(a.words)
    const rightBytes = paddedBytes(b.words)
    const result = Math.max(leftBytes, rightBytes)
    const missing = (hasA ? 0 : leftBytes) + (hasB ? 0 : rightBytes)
    if (!this.#hasRoom(this.#used + missing + result)) {
      if (!this.#hasRoom(leftBytes + rightBytes + result)) return false
      this.#base += this.#used
      this.#used = 0
    }
    if (!this.#has(a)) this.#copyIn(a, leftBytes)
    if (!this.#has(b)) this.#copyIn(b, rightBytes)
    return true
  }
  #has(set: KernelOperand): boolean {
    return set.kernel === this && set.address >= this.#base
  }
  #copyIn(set: KernelOperand, bytes: number): void {
    const { words } = set
    const first = this.#used >>> 2
    this.#words.set(words, first)
    this.#words.fill(0, first + words.length, (this.#used + bytes) >>> 2)
    set.kernel = this
    set.address = this.#base + this.#used
    this.#used += bytes
  }

  /**
   * Grows the memory where needed, up to the bound. Growing moves the memory, so that the view is
   * replaced too.
   */
  #hasRoom(bytes: number): boolean {
    const present = this.#words.byteLength
    if (bytes > this.#maxBytes) return false
    if (bytes <= present) return true
    try {
      const wanted = Math.min(this.#maxBytes, Math.max(bytes, present * 2))
      this.#exports.memory.grow(Math.ceil((wanted - present) / PAGE))
    } catch {
      return false
    }
    this.#words = new Int32Array(this.#exports.memory.buffer)
    return true
  }
}

/** Rounded up to whole iterations of the kernel's loop. */
const paddedBytes = (words: Int32Array): number =>
  Math.ceil((words.length * 4) / TURN_BYTES) * TURN_BYTES

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
