/** What one session does, step by step; a world is what all of them work on. */
export type Steps<W> = readonly ((world: W) => void)[]

export interface Spec<W> {
  /** A world of its own for each order. */
  readonly begin: () => W
  readonly sessions: { readonly [name: string]: Steps<W> }
  /** What must hold when all steps are done. */
  readonly end?: (world: W) => void
}

/**
 * Runs the steps of sessions in every order in which they can happen, each session's own in theirs;
 * answers how many orders there were. What a step throws fails the order, which is named in the
 * error: `A1 B1 A2`.
 */
export function allOrders<W>({ begin, sessions, end }: Spec<W>): number {
  const names = Object.keys(sessions)
  let count = 0
  for (const order of mergesOf(names.map((name) => sessions[name].length))) {
    count++
    const world = begin()
    const done = names.map(() => 0)
    const told: string[] = []
    try {
      for (const at of order) {
        told.push(`${names[at]}${done[at] + 1}`)
        sessions[names[at]][done[at]++](world)
      }
      end?.(world)
    } catch (error) {
      throw new Error(`In the order ${told.join(' ')}: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }
  return count
}

/** Every way to merge sequences of these lengths: whose next step it is, one after the other. */
export function* mergesOf(lengths: readonly number[]): Generator<readonly number[]> {
  if (lengths.every((length) => length === 0)) yield []
  for (const [at, length] of lengths.entries()) {
    if (length === 0) continue
    const rest = lengths.map((one, other) => (other === at ? one - 1 : one))
    for (const order of mergesOf(rest)) yield [at, ...order]
  }
}
