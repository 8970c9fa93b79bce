// The goals of the mixes: operations per second as a multiple of the best peer in the same run, and
// latencies of Entia.

/** The goals hold for this number of rows. */
export const goalsRowCount = 100_000

/**
 * By mix: the factor by which Entia is ahead of the best peer. @type {ReadonlyMap<string, number>}
 */
export const mixGoals = new Map([
  ['ycsb-a', 4],
  ['ycsb-b', 4.5],
  ['ycsb-c', 2],
  ['ycsb-d', 3.5],
  ['ycsb-e', 6],
  ['ycsb-f', 4],
  ['web', 18],
  ['held', 7],
  ['suite', 8],
  ['dashboard', 4],
  ['http', 1.5],
])

/** The maximum nanoseconds of one kind of operation in one mix. */
export const latencyGoals = [
  { mix: 'web', kind: 'update', percentile: 'p99', most: 200_000 },
  { mix: 'web', kind: 'update', percentile: 'p999', most: 1_000_000 },
]
