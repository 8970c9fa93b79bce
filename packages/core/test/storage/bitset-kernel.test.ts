import { expect, test } from 'vitest'
import { combineWords, type SetOperator } from '../../src/storage/bitset.ts'
import { TURN_BYTES } from '../../src/storage/bitset-kernel.generated.ts'
import { BitsetKernel, type KernelOperand } from '../../src/storage/bitset-kernel.ts'
import { dice, upTo } from './dice.ts'

interface Host {
  readonly WebAssembly: {
    readonly Module: unknown
    readonly Memory: { readonly prototype: { grow(pages: number): number } }
  }
}
const { WebAssembly: host } = globalThis as unknown as Host

const OPERATORS: readonly SetOperator[] = ['and', 'or', 'except']
const TURN_WORDS = TURN_BYTES / 4
const padded = (words: number) => Math.ceil(words / TURN_WORDS) * TURN_WORDS

function operand(words: number, seed: number): KernelOperand {
  const roll = dice(seed)
  return {
    words: Int32Array.from({ length: words }, () => roll(2 ** 32) | 0),
    kernel: null,
    address: 0,
  }
}
const lengthOf = (operator: SetOperator, a: number, b: number) =>
  operator === 'and' ? Math.min(a, b) : operator === 'or' ? Math.max(a, b) : a

/** The loops of `bitset.ts` are the reference; other tests compare them with sets of numbers. */
function mustCombine(
  kernel: BitsetKernel,
  operator: SetOperator,
  a: KernelOperand,
  b: KernelOperand,
): void {
  const expected = new Int32Array(lengthOf(operator, a.words.length, b.words.length))
  const count = combineWords(operator, a.words, b.words, expected)
  expect(kernel.combine(operator, a, b)).toBe(count)
  const found = new Int32Array(expected.length)
  kernel.copyResult(found)
  expect(found.findIndex((word, at) => word !== expected[at])).toBe(-1)
}
const create = (mostBytes?: number) => BitsetKernel.create(mostBytes) as BitsetKernel

test('the kernel gives the same words and counts as the loops in `bitset.ts`, for sets of all lengths', () => {
  const lengths = [0, 1, TURN_WORDS - 1, TURN_WORDS, TURN_WORDS + 1, 3 * TURN_WORDS, 257, 1000]
  const kernel = create()
  const sets = lengths.map((length, seed) => operand(length, seed))
  for (const a of sets)
    for (const b of sets) for (const operator of OPERATORS) mustCombine(kernel, operator, a, b)
})

test('the kernel reuses a copy while it is in its memory, and makes a new one after that', () => {
  const words = 16 * TURN_WORDS
  // With room for at most five sets, copies are evicted repeatedly.
  for (const places of [3, 4, 5]) {
    const kernel = create(places * words * 4)
    const sets = upTo(6).map((seed) => operand(words, seed))
    const roll = dice(places)
    for (let i = 0; i < 150; i++)
      mustCombine(kernel, OPERATORS[roll(3)], sets[roll(6)], sets[roll(6)])
  }
})

test('longer and shorter sets alternate in a small memory', () => {
  const kernel = create(60 * TURN_BYTES)
  const sets = upTo(8).map((seed) => operand(1 + seed * 2 * TURN_WORDS + seed, seed))
  const roll = dice(3)
  for (let i = 0; i < 200; i++)
    mustCombine(kernel, OPERATORS[roll(3)], sets[roll(8)], sets[roll(8)])
})

test('the kernel combines two sets only if both and their result fit in its memory', () => {
  const mostBytes = 64 * TURN_BYTES
  for (const [left, right] of [
    [20, 22],
    [21, 21],
    [22, 20],
    [21, 22],
    [22, 21],
    [1, 31],
    [31, 2],
    [1, 32],
    [32, 1],
    [63, 1],
    [64, 64],
  ]) {
    const [a, b] = [operand(left * TURN_WORDS, 1), operand(right * TURN_WORDS, 2)]
    const fits = left + right + Math.max(left, right) <= 64
    const kernel = create(mostBytes)
    if (fits) for (const operator of OPERATORS) mustCombine(kernel, operator, a, b)
    else for (const operator of OPERATORS) expect(kernel.combine(operator, a, b)).toBe(-1)
    // The kernel still combines other sets.
    mustCombine(kernel, 'or', operand(7, 3), operand(300, 4))
  }
})

test('the memory grows page by page up to its bound, and keeps its contents', () => {
  const kernel = create(2 * 1024 * 1024)
  const small = operand(100, 1)
  const large = [5000, 20_000, 60_000, 150_000].map((words, i) => operand(words, i + 2))
  for (const set of large) {
    mustCombine(kernel, 'or', small, set)
    mustCombine(kernel, 'and', set, small)
  }
  const [a, b] = [operand(180_000, 8), operand(180_000, 9)]
  expect(padded(180_000) * 3 * 4).toBeGreaterThan(2 * 1024 * 1024)
  expect(kernel.combine('and', a, b)).toBe(-1)
  mustCombine(kernel, 'except', small, large[0])
})

test('the default memory of a kernel is 16 MiB', () => {
  const most = (16 * 1024 * 1024) / 4 / 3
  const fits = Math.floor(most / TURN_WORDS) * TURN_WORDS
  const empty = (words: number): KernelOperand => ({
    words: new Int32Array(words),
    kernel: null,
    address: 0,
  })
  expect(create().combine('and', empty(fits), empty(fits))).toBe(0)
  expect(create().combine('and', empty(fits + TURN_WORDS), empty(fits + TURN_WORDS))).toBe(-1)
})

test('a set copied by another kernel is copied again', () => {
  const [first, second] = [create(), create()]
  const sets = upTo(4).map((seed) => operand(400, seed))
  const roll = dice(9)
  for (let i = 0; i < 60; i++)
    mustCombine(i % 3 === 0 ? second : first, OPERATORS[roll(3)], sets[roll(4)], sets[roll(4)])
})

test('if the memory cannot grow, the kernel refuses sets that do not fit and still combines smaller ones', () => {
  const kernel = create()
  const [a, b] = [operand(20_000, 1), operand(20_000, 2)]
  const { prototype } = host.Memory
  const { grow } = prototype
  try {
    prototype.grow = () => {
      throw new RangeError('no more memory')
    }
    expect(kernel.combine('or', a, b)).toBe(-1)
    mustCombine(kernel, 'or', operand(100, 3), operand(90, 4))
  } finally {
    prototype.grow = grow
  }
  mustCombine(kernel, 'or', a, b)
})

test('a host without WebAssembly has no kernel', () => {
  try {
    for (const missing of [undefined, {}, { Module: host.Module }]) {
      Object.assign(globalThis, { WebAssembly: missing })
      expect(BitsetKernel.create()).toBeNull()
    }
  } finally {
    Object.assign(globalThis, { WebAssembly: host })
  }
})
