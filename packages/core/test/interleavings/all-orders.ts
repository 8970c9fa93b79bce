/** The steps of one session, in order. `W` is the state that all sessions share. */
type Steps<W> = readonly ((world: W) => void)[]

export interface Spec<W> {
  /** Creates the initial state. Called once for each order. */
  readonly begin: () => W
  readonly sessions: { readonly [name: string]: Steps<W> }
  /** Checks the state after the last step. */
  readonly end?: (world: W) => void
}

/**
 * Runs the steps of all sessions in every possible order, keeping the order within each session.
 * Returns the number of orders. If a step throws, the error names the order: `A1 B1 A2`.
 */
export function allOrders<W>({ begin, sessions, end }: Spec<W>): number {
  const names = Object.keys(sessions)
  let count = 0
  for (const order of mergesOf(names.map((name) => sessions[name].length))) {
    count++
    const world = begin()
    const done = names.map(() => 0)
    const taken: string[] = []
    try {
      for (const at of order) {
        taken.push(`${names[at]}${done[at] + 1}`)
        sessions[names[at]][done[at]++](world)
      }
      end?.(world)
    } catch (error) {
      throw new Error(`In the order ${taken.join(' ')}: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }
  return count
}

/**
 * All ways to merge sequences of these lengths, each as the list of sequences that take the steps.
 */
export function* mergesOf(lengths: readonly number[]): Generator<readonly number[]> {
  if (lengths.every((length) => length === 0)) yield []
  for (const [at, length] of lengths.entries()) {
    if (length === 0) continue
    const rest = lengths.map((one, other) => (other === at ? one - 1 : one))
    for (const order of mergesOf(rest)) yield [at, ...order]
  }
}
