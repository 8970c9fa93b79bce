// The cost of an operation with many dataclasses per store, and with many stores per model:
// `node bench/many-classes.js`.
//
//   node bench/many-classes.js [--widths 10,300] [--only get,page] [--rounds 5] [--core path/to/index.js]
//
// Each column is a separate process, and the processes alternate. User code is monomorphic, as
// hand-written code is: each dataclass has its own functions to read its attributes. Times are
// microseconds per operation, the median of the rounds. The operations cycle through the
// dataclasses (or the stores).
import { execFileSync } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    widths: { type: 'string', default: '10,300' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    core: {
      type: 'string',
      default: fileURLToPath(new URL('../packages/core/dist/index.js', import.meta.url)),
    },
    child: { type: 'string' },
  },
})
const columns = [1, 4, 8, 16, 64].map((classes) => ({ classes, stores: 1 }))
columns.push(...[2, 5, 20].map((stores) => ({ classes: 1, stores })))
const isWanted = (name) => values.only === '' || values.only.split(',').includes(name)

function compareAll() {
  for (const width of values.widths.split(',').map(Number)) {
    const found = columns.map(() => new Map())
    for (let round = 0; round < Number(values.rounds); round++) {
      columns.forEach((column, at) => {
        const child = JSON.stringify({ ...column, width })
        const args = [
          fileURLToPath(import.meta.url),
          '--child',
          child,
          '--core',
          values.core,
          '--only',
          values.only,
        ]
        for (const [name, time] of JSON.parse(
          execFileSync(process.execPath, args, { encoding: 'utf8' }),
        )) {
          found[at].set(name, [...(found[at].get(name) ?? []), time])
        }
      })
    }
    print(width, found)
  }
}

function print(width, found) {
  const median = (times) => times.sort((a, b) => a - b)[times.length >> 1]
  const titles = columns.map(({ classes, stores }) =>
    stores > 1 ? `${stores} stores` : `${classes}`,
  )
  console.log(
    `\n| ${width} attributes, dataclasses: | ${titles.join(' | ')} |\n|---|${'---:|'.repeat(titles.length)}`,
  )
  for (const name of found[0].keys()) {
    const times = found.map((column) => median(column.get(name)))
    const cells = times.map(
      (time, at) => `${format(time)}${at === 0 ? '' : ` (${(time / times[0]).toFixed(2)})`}`,
    )
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
}
const format = (time) => (time >= 100 ? time.toFixed(0) : time.toPrecision(3))

async function measure({ classes, stores, width }) {
  const core = await import(pathToFileURL(values.core).href)
  const tables = []
  const models = Array.from({ length: classes }, (_, at) => defineModel(core, at, width))
  const rowCount = Math.max(200, Math.floor(20_000 / (classes * stores * Math.max(1, width / 10))))
  for (let at = 0; at < stores; at++) {
    const store = core.createDataStore({
      name: `s${at}`,
      dataClasses: models.map(({ dataClass }) => dataClass),
    })
    for (const { name, rowOf, user } of models) {
      const table = store.dataClass(name)
      table.load(Array.from({ length: rowCount }, (_, i) => rowOf(i + 1)))
      tables.push({ table, user, rowOf, rowCount, next: rowCount + 1 })
    }
  }
  return Object.entries(operations)
    .filter(([name]) => isWanted(name))
    .map(([name, [size, operation]]) => [
      name,
      timeOf(tables, width > 50 ? Math.ceil(size / 8) : size, operation),
    ])
}

/** By name: the number of operations per batch, and the function that runs a batch on one table. */
const operations = {
  get: [400, (of, count) => of.user.get(of.table, of.rowCount, count)],
  'get, read all': [400, (of, count) => of.user.getAll(of.table, of.rowCount, count)],
  'page of 100': [8, (of, count) => of.user.page(of.table, count)],
  'page of 100, read all': [8, (of, count) => of.user.pageAll(of.table, count)],
  insert: [
    50,
    (of, count) => {
      for (let i = 0; i < count; i++) of.table.insert(of.rowOf(of.next++))
    },
  ],
  update: [100, (of, count) => of.user.update(of.table, of.rowCount, count)],
}

/**
 * Microseconds per operation: the best of many passes per table, because load only adds time; then
 * the mean over the tables.
 */
function timeOf(tables, size, operation) {
  const best = tables.map(() => Number.POSITIVE_INFINITY)
  // Enough passes for compilation to finish and the collector to settle.
  const passes = Math.max(60, Math.ceil(240 / tables.length))
  for (let pass = 0; pass < passes * 2; pass++) {
    tables.forEach((of, at) => {
      const started = performance.now()
      operation(of, size)
      const time = performance.now() - started
      if (pass >= passes) best[at] = Math.min(best[at], time)
    })
  }
  return (best.reduce((sum, time) => sum + time, 0) * 1000) / (size * tables.length)
}

function defineModel({ attribute, defineDataClass }, at, width) {
  const name = `Class${at}`
  const names = Array.from({ length: width - 1 }, (_, i) => `a${at}x${i}`)
  const kinds = ['string', 'number', 'long', 'bool', 'string']
  const attributes = names.map((own, i) => [own, attribute[kinds[i % kinds.length]]()])
  const rowOf = (id) => {
    const row = { ID: id }
    for (let i = 0; i < names.length; i++) row[names[i]] = sampleOf(kinds[i % kinds.length], id + i)
    return row
  }
  const dataClass = defineDataClass(name, {
    ID: attribute.long({ key: true }),
    ...Object.fromEntries(attributes),
  })
  return { name, rowOf, dataClass, user: writeUser(names) }
}
const sampleOf = (kind, n) => {
  if (kind === 'string') return `text ${n % 50}`
  if (kind === 'bool') return n % 2 === 0
  return kind === 'long' ? n : n + 0.5
}

/** The code that a user of this dataclass would write. */
function writeUser(names) {
  const sum = names.map((name) => `if (e.${name} === null) n++`).join(';')
  const changed = names[1]
  return new Function(`
    let at = 0
    const nextOf = (rows) => 1 + (at = (at + 7919) % rows)
    const readAll = (e) => { let n = e.ID; ${sum}; return n }
    return {
      get(table, rows, count) { let n = 0; for (let i = 0; i < count; i++) n += table.get(nextOf(rows)).ID; return n },
      getAll(table, rows, count) { let n = 0; for (let i = 0; i < count; i++) n += readAll(table.get(nextOf(rows))); return n },
      page(table, count) { let n = 0; for (let i = 0; i < count; i++) n += table.all().page(0, 100).toArray().length; return n },
      pageAll(table, count) {
        let n = 0
        for (let i = 0; i < count; i++) for (const e of table.all().page(0, 100).toArray()) n += readAll(e)
        return n
      },
      update(table, rows, count) {
        let n = 0
        for (let i = 0; i < count; i++) n += table.update(nextOf(rows), { ${changed}: at + 0.5 + (n % 3) }).ID
        return n
      },
    }`)()
}

if (values.child === undefined) compareAll()
else console.log(JSON.stringify(await measure(JSON.parse(values.child))))
