import { beforeAll, describe, expect, test } from 'vitest'
import { type CountedCore, countedCore } from './counted-core.ts'
import { type Forest, forest, readsOf } from './reads.ts'

// Steps are calls of functions and runs of loops, of which a record takes several. So the bounds
// are stricter than the same numbers of records.

/** Records of the store in which slices end as early as they can. */
const FEW = 1500
/** A slice repeats the work that depends on the question alone: binding, planning, memo keys. */
const STEPS_PER_SLICE = 1500
/** More work than the same read without slices. */
const MORE = 1.2

/** Records of the store in which slices are as long as usual. */
const MANY = 16_000
/**
 * Steps between two readings of the clock: a few passes over all records that are not cut. For
 * 300,000 records these take 10 to 40 ms.
 */
const STEPS_PER_RECORD = 5
/** Milliseconds of a step on the clock of that store: blocks have fewer steps than records. */
const PACE = 1e-3

const limit = { timeout: 1_200_000 }
const reads = readsOf()
let counted: CountedCore

beforeAll(async () => {
  counted = await countedCore()
}, limit.timeout)

/** Nothing that an earlier read has kept, such as the order of words, makes this one shorter. */
function change({ Tree }: Forest, at: number): void {
  const text = `n${at}`
  Tree.update(1, { name: text, note: text, code: text, sorted: text, plain: text, age: at % 9 })
}

describe('a read in time slices', () => {
  test('has the same answer, and no slice repeats the work of earlier ones', limit, () => {
    let now = 0
    // Every reading of the clock ends a slice.
    const store = forest(counted.core, FEW, () => (now += 2), 0)
    const whole = forest(counted.core, FEW, () => (now += 2), 1e15)
    const stepsOf = (body: () => unknown): { readonly steps: number; readonly json: string } => {
      const before = counted.steps()
      const found = body()
      return { steps: counted.steps() - before, json: JSON.stringify(found) ?? '' }
    }
    const failures: string[] = []
    for (const [at, [name, read]] of reads.entries()) {
      let slices = 0
      const inSlices = (of: Forest) => () => {
        const reading = of.reading(() => read(of) as never)
        for (slices = 1; !reading.advance(); slices++) if (slices > 20 * FEW) return 'endless'
        return reading.value
      }
      change(store, at)
      const unsliced = stepsOf(() => read(store))
      change(whole, at)
      const inOne = stepsOf(inSlices(whole))
      change(store, at + 1)
      change(store, at)
      counted.mark()
      const sliced = stepsOf(inSlices(store))
      const count = slices
      // Sorting in blocks compares more often than sorting at once.
      const most = MORE * Math.max(unsliced.steps, inOne.steps) + STEPS_PER_SLICE * count
      if (sliced.json !== unsliced.json) failures.push(`${name}: another answer`)
      if (sliced.steps > most)
        failures.push(
          `${name}: ${sliced.steps} steps in ${count} slices\n${counted.busiest(6).join('\n')}`,
        )
    }
    expect(failures).toEqual([])
  })

  test('looks at the clock after a few passes over the records', limit, () => {
    let last = 0
    let longest = 0
    const clock = (): number => {
      const steps = counted.steps()
      longest = Math.max(longest, steps - last)
      last = steps
      return steps * PACE
    }
    const store = forest(counted.core, MANY, clock, 10)
    const failures: string[] = []
    for (const [at, [name, read]] of reads.entries()) {
      // What a read returns is made in one piece: adapters render it in pieces of their own.
      if (/entities|members|select|JSON/.test(name)) continue
      change(store, at)
      const reading = store.reading(() => read(store) as never)
      counted.mark()
      last = counted.steps()
      longest = 0
      while (!reading.advance());
      clock()
      if (longest > STEPS_PER_RECORD * MANY)
        failures.push(`${name}: ${longest} steps\n${counted.busiest(4).join('\n')}`)
    }
    expect(failures).toEqual([])
  })
})
