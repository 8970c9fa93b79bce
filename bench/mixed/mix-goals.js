// The goals of the mixes: operations per second as a multiple of the best peer in the same run, and
// latencies of Entia.

/** The goals hold for this number of rows. */
export const goalsRowCount = 100_000

/**
 * By mix: the factor by which Entia is ahead of the best peer. @type {ReadonlyMap<string, number>}
 */
export const mixGoals = new Map([
  ['ycsb-a', 3],
  ['ycsb-b', 3],
  ['ycsb-c', 2],
  ['ycsb-d', 3],
  ['ycsb-e', 3],
  ['ycsb-f', 3],
  ['web', 15],
  ['held', 7],
  ['suite', 8],
  ['dashboard', 1],
])

/** The maximum nanoseconds of one kind of operation in one mix. */
export const latencyGoals = [
  { mix: 'web', kind: 'update', percentile: 'p99', most: 200_000 },
  { mix: 'web', kind: 'update', percentile: 'p999', most: 1_000_000 },
]
