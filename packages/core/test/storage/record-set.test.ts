import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type SetOperator, setBit, wordsFor } from '../../src/storage/bitset.ts'
import { bitsetKernelBytes } from '../../src/storage/bitset-kernel.generated.ts'
import { BitsetKernel, WordAllocator } from '../../src/storage/bitset-kernel.ts'
import {
  contains,
  countOf,
  denseSet,
  difference,
  EMPTY_SET,
  intersection,
  intersects,
  membersOf,
  type RecordSet,
  settleSet,
  slotsOf,
  sparseSet,
  union,
} from '../../src/storage/record-set.ts'
import { runs } from '../runs.ts'

// Enough records that the kernel combines dense sets, and lengths that are not a multiple of a
// lane.
const MOST = 40_000

interface Described {
  readonly isDense: boolean
  readonly length: number
  readonly step: number
  readonly first: number
}
const described: fc.Arbitrary<Described> = fc.record({
  isDense: fc.boolean(),
  length: fc.oneof(fc.nat(300), fc.integer({ min: 8000, max: MOST })),
  step: fc.integer({ min: 1, max: 7 }),
  first: fc.nat(70),
})
const slotsIn = ({ length, step, first, isDense }: Described): number[] => {
  const slots: number[] = []
  for (let slot = first; slot < length; slot += isDense ? step : step * 151) slots.push(slot)
  return slots
}
function setOf(set: Described): RecordSet {
  const slots = slotsIn(set)
  if (!set.isDense) return sparseSet(slots)
  const words = new Int32Array(wordsFor(set.length))
  for (const slot of slots) setBit(words, slot)
  return denseSet(words)
}

const operators = { and: intersection, or: union, except: difference }
const expectedOf = (
  operator: SetOperator,
  a: readonly number[],
  b: readonly number[],
): number[] => {
  const inB = new Set(b)
  if (operator === 'or') return [...new Set([...a, ...b])].sort((x, y) => x - y)
  return a.filter((slot) => inB.has(slot) === (operator === 'and'))
}
const operator = fc.constantFrom<SetOperator>('and', 'or', 'except')

/** An operation on the sets created so far, by their positions. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('combine' as const), operator, a: fc.nat(40), b: fc.nat(40) }),
  fc.record({
    kind: fc.constantFrom('count' as const, 'members' as const, 'settle' as const),
    a: fc.nat(40),
  }),
)

const kernels: Record<string, () => BitsetKernel | null> = {
  'a kernel': () => BitsetKernel.create(),
  // Room for two sets and their result, so that copies are evicted repeatedly.
  'a kernel with little memory': () => BitsetKernel.create(15_360),
  'a kernel with too little memory': () => BitsetKernel.create(4096),
  'no kernel': () => null,
}
for (const [name, makeKernel] of Object.entries(kernels)) {
  test(`with ${name} sets combine as sets of numbers do, and stay what they were`, () => {
    const sets = fc.array(described, { minLength: 2, maxLength: 5 })
    fc.assert(
      fc.property(sets, fc.array(step, { maxLength: 25 }), (given, steps) => {
        const allocator = new WordAllocator(makeKernel)
        const made = given.map((set) => ({ set: setOf(set), slots: slotsIn(set) }))
        for (const next of steps) {
          const a = made[next.a % made.length]
          if (next.kind === 'combine') {
            const b = made[next.b % made.length]
            const set = operators[next.operator](a.set, b.set, allocator)
            made.push({ set, slots: expectedOf(next.operator, a.slots, b.slots) })
          } else if (next.kind === 'settle') settleSet(a.set)
          else if (next.kind === 'count') expect(countOf(a.set)).toBe(a.slots.length)
          else expect(membersOf(a.set, 3, 50)).toEqual(a.slots.slice(3, 53))
        }
        for (const { set, slots } of made) {
          expect([...slotsOf(set)]).toEqual(slots)
          expect(countOf(set)).toBe(slots.length)
          expect(contains(set, 77)).toBe(slots.includes(77))
          expect(intersects(set, made[0].set)).toBe(
            expectedOf('and', slots, made[0].slots).length > 0,
          )
        }
      }),
      runs(40),
    )
  })
}

test('pairs of sets of all lengths combine equally with and without a kernel, also in a small memory', () => {
  const lengths = [31, 8192, 8193, 16_385, 39_999, MOST]
  const sets = lengths.map((length, i) => ({ isDense: true, length, step: 3 + (i % 3), first: i }))
  for (const makeKernel of Object.values(kernels)) {
    const allocator = new WordAllocator(makeKernel)
    const made = sets.map((set) => ({ set: setOf(set), slots: slotsIn(set) }))
    for (const a of made) {
      for (const b of made) {
        for (const operator of ['and', 'or', 'except'] as const) {
          const expected = expectedOf(operator, a.slots, b.slots)
          const counted = operators[operator](a.set, b.set, allocator)
          expect(countOf(counted)).toBe(expected.length)
          const found = slotsOf(counted)
          expect(expected.every((slot, at) => found[at] === slot)).toBe(true)
        }
      }
    }
  }
})

const everyThird = { isDense: true, step: 3, first: 0 }

test('the memory of a kernel may grow while sets are in use, and a set may be combined with itself', () => {
  const allocator = new WordAllocator(() => BitsetKernel.create())
  const sets = Array.from({ length: 12 }, (_, i) => ({ ...everyThird, length: MOST * 5, first: i }))
  const made = sets.map((set) => ({ set: setOf(set), slots: slotsIn(set) }))
  for (const { set, slots } of made) {
    expect(countOf(intersection(set, set, allocator))).toBe(slots.length)
    expect(countOf(difference(set, set, allocator))).toBe(0)
    expect(countOf(union(set, made[0].set, allocator))).toBe(
      expectedOf('or', slots, made[0].slots).length,
    )
  }
})

for (const length of [174_080, 240_000]) {
  const what = length === 174_080 ? 'two sets and their result' : 'two sets, but not their result,'
  test(`a memory with room for ${what} is never written beyond`, () => {
    const allocator = new WordAllocator(() => BitsetKernel.create(65_536))
    const sets = [0, 1, 2, 3].map((first) => ({ isDense: true, step: 11, first, length }))
    const made = sets.map((set) => ({ set: setOf(set), slots: slotsIn(set) }))
    for (const a of made) {
      for (const b of made) {
        expect(countOf(intersection(a.set, b.set, allocator))).toBe(a === b ? a.slots.length : 0)
        expect(countOf(union(a.set, b.set, allocator))).toBe(
          a.slots.length + (a === b ? 0 : b.slots.length),
        )
      }
    }
  })
}

test('a set that one kernel has copied is not taken for a copy of another kernel', () => {
  const [first, second] = [
    new WordAllocator(() => BitsetKernel.create()),
    new WordAllocator(() => BitsetKernel.create()),
  ]
  const [a, b, c] = [0, 1, 2].map((at) => setOf({ ...everyThird, length: MOST, first: at }))
  expect(countOf(intersection(c, b, first))).toBe(0)
  expect(countOf(union(a, b, second))).toBe(countOf(a) + countOf(b))
  expect(countOf(intersection(a, a, first))).toBe(countOf(a))
})

test('a long chain of uncounted combinations does not accumulate sets', () => {
  const allocator = new WordAllocator(() => BitsetKernel.create())
  const all = setOf({ isDense: true, step: 1, first: 0, length: 9000 })
  let set = all
  for (let i = 0; i < 50_000; i++)
    set = i % 2 === 0 ? intersection(set, all, allocator) : union(set, all, allocator)
  expect(countOf(set)).toBe(9000)
  expect(countOf(union(EMPTY_SET, set, allocator))).toBe(9000)
})

test('there is no kernel if WebAssembly is missing or forbidden', () => {
  expect(BitsetKernel.create()).not.toBeNull()
  const { WebAssembly } = globalThis as { WebAssembly?: unknown }
  // An environment that forbids compiling, as a page whose content security policy lacks
  // wasm-unsafe-eval.
  const forbidden = runInContext(
    'WebAssembly',
    createContext({}, { codeGeneration: { wasm: false } }),
  )
  try {
    Object.assign(globalThis, { WebAssembly: forbidden })
    expect(() => new forbidden.Module(bitsetKernelBytes())).toThrow()
    expect(BitsetKernel.create()).toBeNull()
    Object.assign(globalThis, { WebAssembly: undefined })
    expect(BitsetKernel.create()).toBeNull()
  } finally {
    Object.assign(globalThis, { WebAssembly })
  }
})

test('a host that forbids compilation has no kernel', () => {
  const bytes = `Uint8Array.from([${bitsetKernelBytes()}])`
  const text = `process.stdout.write(String(Object.keys(new WebAssembly.Instance(new WebAssembly.Module(${bytes})).exports)))`
  const args = ['--disallow-code-generation-from-strings', '--eval', text]
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('memory,and,or,except')
})

test('the generated kernel equals the output of the script', () => {
  const script = fileURLToPath(new URL('../../scripts/generate-bitset-kernel.mjs', import.meta.url))
  expect(
    execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8', stdio: 'pipe' }),
  ).toBe('')
})
