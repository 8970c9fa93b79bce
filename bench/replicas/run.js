/**
 * A replica of 100 000 entities in a page of Chromium: Entia, Zero, RxDB and TinyBase. First
 * contents from the server and from the storage of the browser, bytes of one change, and the
 * return after changes on both sides. Both sides have the same contents after each step, or the
 * subject is WRONG. Needs `npm ci --prefix bench/replicas/peers` and a Chromium; Zero needs
 * PostgreSQL with `wal_level = logical`.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { optionalPath, readCommandLine, splitList } from '../harness/command-line.js'
import { createRows } from './data.js'
import { Measurement } from './measurement.js'
import { printReplicas } from './report.js'
import { Site } from './site.js'

const SUBJECTS = {
  // Its history reaches back over all that happens meanwhile.
  entia: { folder: '.', commits: 50_000 },
  // Every return is beyond its history.
  'entia-short': { folder: '.', module: 'entia', commits: 10 },
  zero: { folder: './peers', needs: '@rocicorp/zero' },
  rxdb: { folder: './peers', needs: 'rxdb' },
  tinybase: { folder: './peers', needs: 'tinybase' },
}
const usage = `npm run bench:replicas -- [options]

  --n 100000            entities
  --rounds 3            each visits all subjects, in turn from another one
  --subjects A,B        ${Object.keys(SUBJECTS).join(',')} unless given
  --database URL        a server of PostgreSQL for Zero, with wal_level = logical; without it Zero
                        is left out; the run makes databases of its own there, and drops them
  --tabs 2              further replicas in the first round, for the server's cost per replica
  --json FILE           writes the numbers of every round
`
const options = readCommandLine(
  usage,
  {
    n: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    subjects: { type: 'string', default: Object.keys(SUBJECTS).join() },
    database: { type: 'string' },
    tabs: { type: 'string', default: '2' },
    json: { type: 'string' },
  },
  (values) => {
    const names = splitList(values.subjects)
    const unknown = names.find((name) => !(name in SUBJECTS))
    if (unknown !== undefined) throw new Error(`There is no subject ${unknown}.`)
    return { ...values, names, count: Number(values.n), tabs: Number(values.tabs) }
  },
)

const missing = {}
const names = options.names.filter((name) => {
  const { needs } = SUBJECTS[name]
  if (needs && !existsSync(new URL(`./peers/node_modules/${needs}`, import.meta.url)))
    missing[name] = 'npm ci --prefix bench/replicas/peers'
  else if (name === 'zero' && options.database === undefined) missing[name] = '--database URL'
  return !(name in missing)
})
const rows = createRows(options.count)
const site = await Site.open(Object.fromEntries(names.map((name) => [name, pathOf(name, 'pages')])))
const results = []
/** What has been measured so far. */
function report() {
  return {
    entities: options.count,
    node: process.version,
    chromium: site.browserVersion,
    machine: `${cpus().length} x ${cpus()[0]?.model.split(' ').slice(0, 2).join(' ')}`,
    missing,
    results,
  }
}
for (let round = 0; round < Number(options.rounds); round++)
  for (let at = 0; at < names.length; at++) {
    const name = names[(at + round) % names.length]
    process.stderr.write(`round ${round + 1}, ${name}\n`)
    const { commits } = SUBJECTS[name]
    const { count, database, tabs } = options
    const measurement = new Measurement(name, rows, site, {
      module: pathOf(name, 'servers').href,
      count,
      commits,
      database,
    })
    results.push({ name, round, ...(await measurement.run(round === 0 ? tabs : 0)) })
    if (options.json) writeFileSync(optionalPath(options.json), JSON.stringify(report(), null, 2))
  }
process.stdout.write(`${printReplicas(report())}\n`)
await site.close()
process.exit()

function pathOf(name, kind) {
  const { folder, module = name } = SUBJECTS[name]
  return new URL(`${folder}/${kind}/${module}.js`, import.meta.url)
}
