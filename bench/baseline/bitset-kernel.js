import { assembleModule, op, type } from '../../packages/core/scripts/wasm-assembler.mjs'

const pageBytes = 65_536
const laneBytes = 16
const resultSlots = 8

// Locals of a kernel function: four parameters, then two vectors.
const left = 0
const right = 1
const target = 2
const leftEnd = 3
const lanes = 4
const counts = 5

/**
 * (left, right, target, leftEnd) -> number of bits set in the result. All are byte addresses; the
 * sets have equal sizes. Each iteration combines 16 bytes, stores them, and adds their bit counts
 * to four sums.
 */
const kernelBody = (combine) => [
  ...op.loop,
  ...[...op.getLocal(left), ...op.v128Load()],
  ...[...op.getLocal(right), ...op.v128Load()],
  ...[...combine, ...op.setLocal(lanes)],
  ...[...op.getLocal(target), ...op.getLocal(lanes), ...op.v128Store()],
  ...[...op.getLocal(counts), ...op.getLocal(lanes)],
  ...[
    ...op.i8x16CountBits,
    ...op.i16x8AddPairs,
    ...op.i32x4AddPairs,
    ...op.i32x4Add,
    ...op.setLocal(counts),
  ],
  ...advance(left),
  ...advance(right),
  ...advance(target),
  ...[...op.getLocal(left), ...op.getLocal(leftEnd), ...op.i32LessUnsigned, ...op.branchIf(0)],
  ...op.end,
  ...[...lane(0), ...lane(1), ...op.i32Add, ...lane(2), ...lane(3), ...op.i32Add, ...op.i32Add],
]

function advance(local) {
  return [...op.getLocal(local), ...op.i32Constant(laneBytes), ...op.i32Add, ...op.setLocal(local)]
}

function lane(index) {
  return [...op.getLocal(counts), ...op.i32x4Lane(index)]
}

const kernelFunction = (name, combine) => ({
  name,
  locals: [[2, type.v128]],
  body: kernelBody(combine),
})

const kernelModule = assembleModule({
  parameters: [type.i32, type.i32, type.i32, type.i32],
  results: [type.i32],
  memoryPages: 64,
  functions: [
    kernelFunction('and', op.v128And),
    kernelFunction('or', op.v128Or),
    kernelFunction('except', op.v128AndNot),
  ],
})

/**
 * Two saved sets of records, and the last eight combinations in a ring, all in WebAssembly memory.
 */
export class BitsetPair {
  #kernel = new WebAssembly.Instance(new WebAssembly.Module(kernelModule)).exports
  #setBytes
  #slot = 0

  /**
   * @param {number} recordCount
   * @param {(record: number) => boolean} isInLeft
   * @param {(record: number) => boolean} isInRight
   */
  constructor(recordCount, isInLeft, isInRight) {
    this.#setBytes = Math.ceil(recordCount / 128) * laneBytes
    const { memory } = this.#kernel
    const missingBytes = this.#setBytes * (2 + resultSlots) - memory.buffer.byteLength
    if (missingBytes > 0) memory.grow(Math.ceil(missingBytes / pageBytes))

    const leftWords = new Int32Array(memory.buffer, 0, this.#setBytes / 4)
    const rightWords = new Int32Array(memory.buffer, this.#setBytes, this.#setBytes / 4)
    for (let record = 0; record < recordCount; record++) {
      if (isInLeft(record)) leftWords[record >>> 5] |= 1 << (record & 31)
      if (isInRight(record)) rightWords[record >>> 5] |= 1 << (record & 31)
    }
  }

  /**
   * Combines the two sets into a new one and counts it.
   * @param {'and' | 'or' | 'except'} operator
   */
  combine(operator) {
    const size = this.#setBytes
    this.#slot = (this.#slot + 1) % resultSlots
    return this.#kernel[operator](0, size, size * (2 + this.#slot), size)
  }
}
