// Every read with every write: the cost of a pair compared with the sum of both alone. Selections,
// a view, a snapshot, a past and live queries are held during the measurement.
//
//   node bench/mixed/matrix.js [--n 100000] [--reads get,keyset] [--writes updateAll] [--rounds 5] [--json FILE]

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { whereAndWhen } from '../harness/report.js'
import { createContext } from './context.js'
import { measurePair } from './measure-pair.js'
import { reads } from './reads.js'
import { pairTable } from './report-pairs.js'
import { writes } from './writes.js'

const { values } = parseArgs({
  options: {
    n: { type: 'string', default: '100000' },
    reads: { type: 'string', default: '' },
    writes: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'string' },
  },
})
const chosen = (shapes, names) =>
  Object.entries(shapes).filter(
    ([name]) => names === '' || names.split(',').some((part) => name.includes(part)),
  )

const readList = chosen(reads, values.reads)
const writeList = chosen(writes, values.writes)
const context = createContext(Number(values.n))
const started = performance.now()
// Compile each read and write before the first pair is measured.
for (const [, run] of [...readList, ...writeList]) for (let i = 0; i < 300; i++) run(context)

const pairs = []
for (const [readName, read] of readList) {
  for (const [writeName, write] of writeList) {
    context.renewHeld()
    const pair = {
      read: readName,
      write: writeName,
      ...measurePair(context, read, write, Number(values.rounds)),
    }
    pairs.push(pair)
    if (pair.median > 1.5 || pair.p99 > 3) process.stderr.write(`${JSON.stringify(pair)}\n`)
  }
}
const result = {
  ...whereAndWhen(),
  rows: Number(values.n),
  seconds: Math.round((performance.now() - started) / 1000),
  pairs,
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 1)}\n`)
console.log(pairTable(result))
