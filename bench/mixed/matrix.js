// Every shape of a read with every shape of a write: what does a pair cost, against the sum of both alone?
//
//   node bench/mixed/matrix.js [--n 100000] [--reads get,keyset] [--writes updateAll]

import { parseArgs } from 'node:util'
import { createContext } from './context.js'
import { reads } from './reads.js'
import { writes } from './writes.js'

const { values } = parseArgs({
  options: {
    n: { type: 'string', default: '100000' },
    reads: { type: 'string', default: '' },
    writes: { type: 'string', default: '' },
  },
})
const chosen = (shapes, names) =>
  Object.entries(shapes).filter(([name]) => names === '' || names.split(',').some((part) => name.includes(part)))

const readList = chosen(reads, values.reads)
const writeList = chosen(writes, values.writes)
const context = createContext(Number(values.n))

/** Microseconds of each call, for as long as `milliseconds`, at least `least` calls. */
function timed(run, milliseconds = 60, least = 15) {
  const times = []
  const end = performance.now() + milliseconds
  while (times.length < least || (performance.now() < end && times.length < 3000)) times.push(run())
  return times
}
function clock(run) {
  const start = performance.now()
  run(context)
  return (performance.now() - start) * 1000
}
const at = (times, share) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))]
const text = (x) => (x >= 100 ? x.toFixed(0) : x.toFixed(1))

const alone = new Map()
for (const [name, run] of [...readList, ...writeList]) {
  timed(() => clock(run), 100)
  const times = timed(() => clock(run), 150)
  alone.set(name, { median: at(times, 0.5), p99: at(times, 0.99) })
}
console.log('alone (us):')
for (const [name, { median, p99 }] of alone)
  console.log(`  ${name.padEnd(36)} ${text(median).padStart(9)} p99 ${text(p99).padStart(9)}`)
console.log('\npairs beyond 1.5x at the median: read, write, sum alone -> together (read part, write part) us')
let worst = 0
for (const [readName, read] of readList) {
  for (const [writeName, write] of writeList) {
    const readTimes = []
    const writeTimes = []
    timed(() => {
      const writing = clock(write)
      const reading = clock(read)
      writeTimes.push(writing)
      readTimes.push(reading)
      return writing + reading
    })
    const sum = alone.get(readName).median + alone.get(writeName).median
    const sum99 = alone.get(readName).p99 + alone.get(writeName).p99
    const both = readTimes.map((time, i) => time + writeTimes[i])
    const ratio = at(both, 0.5) / sum
    const ratio99 = at(both, 0.99) / sum99
    worst = Math.max(worst, ratio)
    if (ratio > 1.5 || ratio99 > 3)
      console.log(
        `  ${readName.padEnd(34)} ${writeName.padEnd(28)} ${text(sum).padStart(8)} -> ${text(at(both, 0.5)).padStart(8)}  x${ratio.toFixed(1)}  p99 x${ratio99.toFixed(1)}  (${text(at(readTimes, 0.5))}, ${text(at(writeTimes, 0.5))})`,
      )
  }
}
console.log(`worst x${worst.toFixed(1)}`)
