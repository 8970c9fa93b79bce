/** Milliseconds of one block of calls. */
const BLOCK_MILLISECONDS = 20
/** The minimum number of calls in a block. */
const MIN_CALLS = 20
/**
 * Writes during the life of one selection: the cost of a selection grows with the changes since its
 * creation.
 */
const WRITES_PER_SELECTION = 50

/**
 * The cost of alternating a read and a write, compared with the sum of both alone. Blocks of reads,
 * of writes and of pairs alternate round by round, so that all run under the same conditions. Times
 * are in microseconds; the factors compare medians and 99th percentiles over all rounds.
 * @param {import('./context.js').Context} context
 * @param {(context: import('./context.js').Context) => unknown} read
 * @param {(context: import('./context.js').Context) => unknown} write
 */
export function measurePair(context, read, write, rounds = 5) {
  const times = { read: [], write: [], readTogether: [], writeTogether: [], together: [] }
  const clock = (run) => {
    const start = performance.now()
    run(context)
    return (performance.now() - start) * 1000
  }
  const block = (step) => {
    const end = performance.now() + BLOCK_MILLISECONDS
    for (let calls = 0; calls < MIN_CALLS || performance.now() < end; calls++) step()
  }
  const round = (kept) => {
    context.renewSelections()
    read(context)
    block(() => kept.read.push(clock(read)))
    block(() => kept.write.push(clock(write)))
    let pairs = 0
    block(() => {
      if (pairs++ % WRITES_PER_SELECTION === 0) {
        context.renewSelections()
        read(context)
      }
      const writing = clock(write)
      const reading = clock(read)
      kept.writeTogether.push(writing)
      kept.readTogether.push(reading)
      kept.together.push(writing + reading)
    })
  }
  round({ read: [], write: [], readTogether: [], writeTogether: [], together: [] })
  for (let i = 0; i < rounds; i++) round(times)
  const shares = Object.fromEntries(
    Object.entries(times).map(([name, list]) => [
      name,
      { median: at(list, 0.5), p99: at(list, 0.99) },
    ]),
  )
  return {
    median: shares.together.median / (shares.read.median + shares.write.median),
    p99: shares.together.p99 / (shares.read.p99 + shares.write.p99),
    microseconds: shares,
  }
}

function at(times, share) {
  const sorted = times.sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
