import type { Pass } from './text-prefixes.ts'

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
