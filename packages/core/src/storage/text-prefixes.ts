// Texts as numbers that sort as the texts begin. They are computed in passes, which a build runs at
// once or in steps.

/**
 * Runs a loop over [0, `count`), possibly in several time slices, and returns its state. `name`
 * identifies the loop within one build.
 */
export type Pass = <S>(
  name: string,
  count: number,
  start: () => S,
  body: (state: S, from: number, to: number) => void,
) => S

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
export function textPrefixes(texts: readonly (string | null)[], pass: Pass = atOnce): Float64Array {
  const { length: shared } = pass(
    'shared beginning',
    texts.length,
    nothingShared,
    (all, from, to) => findShared(all, texts, from, to),
  )
  const noUnits = (): UnitRange => ({ lowest: 0xffff, highest: 0 })
  const { lowest, highest } = pass('code units', texts.length, noUnits, (all, from, to) =>
    findUnits(all, texts, shared, from, to),
  )
  // 0 stands for the end of a text.
  const base = Math.max(2, highest - lowest + 2)
  const length = Math.max(1, Math.min(SAMPLED_UNITS, Math.floor(BITS / Math.log2(base))))
  const start = (): Float64Array => new Float64Array(texts.length)
  return pass('prefixes', texts.length, start, (prefixes, from, to) => {
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
}

/** A pass as one loop. */
export const atOnce: Pass = (_name, count, start, body) => {
  const state = start()
  if (count > 0) body(state, 0, count)
  return state
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

const nothingShared = (): Shared => ({ first: null, length: 0 })

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

/** Work in steps of some milliseconds, between which others may run. */
export type BuildSteps<R = void> = Generator<undefined, R>

/** Entries of one step. */
export const STEP_ENTRIES = 1 << 14

/** Takes all steps at once. */
export function runSteps<R>(steps: BuildSteps<R>): R {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Ends a run whose loops are not through yet. */
const PAUSED = Symbol('paused')

/**
 * Work whose loops are passes, in steps: after each step it runs again, and its loops go on from
 * where they were. Between its loops it must do little, and the same each time.
 */
export function* stepsOfPasses<R>(work: (pass: Pass) => R): BuildSteps<R> {
  const loops: { readonly state: unknown; next: number }[] = []
  for (;;) {
    let at = 0
    const pass: Pass = (_name, count, start, body) => {
      const loop = (loops[at] ??= { state: start(), next: 0 })
      at++
      const state = loop.state as ReturnType<typeof start>
      if (loop.next >= count) return state
      const from = loop.next
      loop.next = Math.min(count, from + STEP_ENTRIES)
      body(state, from, loop.next)
      if (loop.next < count) throw PAUSED
      return state
    }
    try {
      return work(pass)
    } catch (paused) {
      if (paused !== PAUSED) throw paused
    }
    yield
  }
}
