// Work in steps, and texts as numbers that sort as the texts begin.

/**
 * Work in steps of some milliseconds, between which others may run. A step may be given the number
 * of entries to take.
 */
export type BuildSteps<R = void> = Generator<undefined, R, number | undefined>

/** Entries of one step. */
export const STEP_ENTRIES = 1 << 14

/** Takes all steps at once. */
export function runSteps<R>(steps: BuildSteps<R>): R {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Runs a loop over [0, `count`), a step for each block. */
export function* inBlocks(count: number, body: (from: number, to: number) => void): BuildSteps {
  for (let from = 0; from < count; ) {
    const to = Math.min(count, from + ((yield) ?? STEP_ENTRIES))
    body(from, to)
    from = to
  }
}

/** Code units per text that are read to choose the base. A number never holds more. */
const SAMPLED_UNITS = 12

/** Bits of a whole number in a double. */
const BITS = 53

/**
 * The code units after the common beginning of all texts, as numbers: where two numbers differ, the
 * texts have the same order. The narrower the range of code units, the more of them fit: eight or
 * more of ASCII, three of Unicode. Null is first. Cost O(texts). Comparing numbers is many times
 * cheaper than comparing texts, and most texts differ early.
 */
export function* textPrefixes(texts: readonly (string | null)[]): BuildSteps<Float64Array> {
  const count = texts.length
  const all: Shared = { first: null, length: 0 }
  yield* inBlocks(count, (from, to) => findShared(all, texts, from, to))
  const shared = all.length
  const units: UnitRange = { lowest: 0xffff, highest: 0 }
  yield* inBlocks(count, (from, to) => findUnits(units, texts, shared, from, to))
  const { lowest, highest } = units
  // 0 stands for the end of a text.
  const base = Math.max(2, highest - lowest + 2)
  const length = Math.max(1, Math.min(SAMPLED_UNITS, Math.floor(BITS / Math.log2(base))))
  const prefixes = new Float64Array(count)
  yield* inBlocks(count, (from, to) => {
    for (let i = from; i < to; i++) {
      const text = texts[i]
      if (text === null) {
        prefixes[i] = Number.NEGATIVE_INFINITY
        continue
      }
      const end = shared + length
      const last = Math.min(end, text.length)
      let prefix = 0
      let at = shared
      for (; at < last; at++) prefix = prefix * base + (text.charCodeAt(at) - lowest + 1)
      for (; at < end; at++) prefix *= base
      prefixes[i] = prefix
    }
  })
  return prefixes
}

interface UnitRange {
  lowest: number
  highest: number
}

function findUnits(
  range: UnitRange,
  texts: readonly (string | null)[],
  shared: number,
  from: number,
  to: number,
): void {
  let { lowest, highest } = range
  for (let i = from; i < to; i++) {
    const text = texts[i]
    if (text === null) continue
    const end = Math.min(shared + SAMPLED_UNITS, text.length)
    for (let at = shared; at < end; at++) {
      const unit = text.charCodeAt(at)
      if (unit < lowest) lowest = unit
      if (unit > highest) highest = unit
    }
  }
  range.lowest = lowest
  range.highest = highest
}

/** The first text, and the length of its beginning that all others share. */
interface Shared {
  first: string | null
  length: number
}

function findShared(
  all: Shared,
  texts: readonly (string | null)[],
  from: number,
  to: number,
): void {
  let { first, length } = all
  for (let i = from; i < to; i++) {
    const text = texts[i]
    if (text === null || text === first) continue
    if (first === null) {
      first = text
      length = text.length
      continue
    }
    if (length === 0) break
    length = Math.min(length, text.length)
    let at = 0
    while (at < length && text.charCodeAt(at) === first.charCodeAt(at)) at++
    length = at
  }
  all.first = first
  all.length = length
}
