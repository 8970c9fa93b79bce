/** Milliseconds that one block of calls lasts. */
const BLOCK = 20
/** Calls of a block, at least. */
const FEWEST = 20
/** So many writes go by while one selection is held: what it costs to keep it as it was grows with what has changed. */
const WRITES_HELD = 50

/**
 * What a read and a write cost when they take turns, against the sum of both alone: blocks of reads, of writes and of pairs follow each other,
 * round by round, so that all meet the same store and the same machine. Times in microseconds; the factors are those of medians and of 99th
 * percentiles over all rounds.
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
    const end = performance.now() + BLOCK
    for (let calls = 0; calls < FEWEST || performance.now() < end; calls++) step()
  }
  const round = (kept) => {
    context.selectAnew()
    read(context)
    block(() => kept.read.push(clock(read)))
    block(() => kept.write.push(clock(write)))
    let pairs = 0
    block(() => {
      if (pairs++ % WRITES_HELD === 0) {
        context.selectAnew()
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
    Object.entries(times).map(([name, list]) => [name, { median: at(list, 0.5), p99: at(list, 0.99) }]),
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
