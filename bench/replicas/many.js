/**
 * Many replicas of one server in memory: what each takes, what a commit costs that concerns ten of
 * them, how long 1000 take that come back at once, and how old what they show is under load. The
 * streams are read in this process: neither sockets nor pages are part of the figures.
 */
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, ReplicaState } from '@entia/rest'
import { readCommandLine } from '../harness/command-line.js'

const usage = `npm run bench:replicas:many -- [options]

  --n 100000            entities
  --replicas 10000      open streams, ten for each city
  --back 1000           replicas that come back at once, after --commits commits
  --commits 9000
  --rate 1000           commits per second while --back replicas are open
  --seconds 10
`
const options = readCommandLine(
  usage,
  {
    n: { type: 'string', default: '100000' },
    replicas: { type: 'string', default: '10000' },
    back: { type: 'string', default: '1000' },
    commits: { type: 'string', default: '9000' },
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
  },
  (values) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])),
)
const CONCERNED = 10
const cities = Math.ceil(options.replicas / CONCERNED)

const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  city: attribute.string({ indexed: true }),
  salary: attribute.long(),
})
const store = createDataStore({
  name: 'many',
  dataClasses: [Employee, ReplicaState],
  history: { commits: 50_000 },
})
store.Employee.load(
  Array.from({ length: options.n }, (_, at) => ({
    name: `name ${at % 5000}`,
    city: `city ${at % cities}`,
    salary: at,
  })),
)
const rest = createRestHandler(store, { replicas: { maxStreams: 100_000 } })

/** Opens a stream. `onMoment` gets each moment with its lines. */
async function open(number, at, onMoment) {
  const answer = await rest.handle({
    method: 'POST',
    url: '/rest/$replica',
    headers: {},
    body: JSON.stringify({
      replica: `replica${String(number).padStart(20, '0')}`,
      shapes: { Employee: { filter: 'city === :1', params: [`city ${number % cities}`] } },
      at,
    }),
  })
  const lines = answer.stream[Symbol.asyncIterator]()
  let heading = null
  const read = async () => {
    for (;;) {
      const { done, value } = await lines.next()
      if (done) return
      heading ??= JSON.parse(value.slice(0, value.indexOf('\n')))
      const end = value.lastIndexOf('["="')
      if (end >= 0) onMoment(JSON.parse(value.slice(end))[1], value, heading)
    }
  }
  void read()
  return { close: () => lines.return() }
}

/** Opens as many streams; resolves when each has a moment. */
async function openAll(count, at = null, onMoment = () => {}) {
  let waiting = count
  let done
  const ready = new Promise((resolve) => {
    done = resolve
  })
  const all = []
  let heading
  for (let number = 0; number < count; number++) {
    let isFirst = true
    all.push(
      await open(number, at, (stamp, text, given) => {
        heading = given
        if (isFirst) {
          isFirst = false
          if (--waiting === 0) done()
        } else onMoment(stamp, text)
      }),
    )
  }
  await ready
  return { all, heading, close: () => Promise.all(all.map((each) => each.close())) }
}
const used = () => {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
const pause = () => new Promise((resolve) => setTimeout(resolve, 20))
const print = (what, value) => process.stdout.write(`${what.padEnd(64)} ${value}\n`)
let changes = options.n
const change = (at) => store.Employee.update(1 + (at % options.n), { salary: ++changes })

const before = used()
let moments = 0
const many = await openAll(options.replicas, null, () => {
  moments++
})
await pause()
const bytes = (used() - before) / options.replicas
print(`memory of each of ${options.replicas} replicas`, `${(bytes / 1000).toFixed(1)} kB`)

const COMMITS = 2000
const spent = (since) => {
  const { user, system } = process.cpuUsage(since)
  return user + system
}
// Twice: the first time compiles the code.
for (const isMeasured of [false, true]) {
  await pause()
  moments = 0
  const since = process.cpuUsage()
  let inCommit = 0
  for (let at = 0; at < COMMITS; at++) {
    const before = process.cpuUsage()
    change(at * 11)
    inCommit += spent(before)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await pause()
  if (!isMeasured) continue
  const each = (microseconds) => `processor time ${(microseconds / COMMITS).toFixed(0)} us`
  print(`a commit that concerns ${CONCERNED} of them`, each(inCommit))
  print(`the same, with ${(moments / COMMITS).toFixed(0)} moments written`, each(spent(since)))
}
await many.close()

const stamp = store.globalStamp
const once = await openAll(1)
const at = [once.heading.instance, stamp, once.heading.fingerprint]
await once.close()
for (let each = 0; each < options.commits; each++) change(each * 13)
// Each replica has a shape of its own, and its fingerprint is that of its shape.
const prints = []
for (let number = 0; number < options.back; number++) {
  let done
  const ready = new Promise((resolve) => {
    done = resolve
  })
  const one = await open(number, null, (_stamp, _text, { fingerprint }) => done(fingerprint))
  prints.push(await ready)
  await one.close()
}
let waiting = options.back
let allBack
const back = new Promise((resolve) => {
  allBack = resolve
})
const from = performance.now()
const cpu = process.cpuUsage()
const modes = new Set()
const returned = await Promise.all(
  prints.map((fingerprint, number) => {
    let isFirst = true
    return open(number, [at[0], stamp, fingerprint], (_stamp, _text, { mode }) => {
      modes.add(mode)
      if (isFirst && --waiting === 0) allBack()
      isFirst = false
    })
  }),
)
await back
const took = performance.now() - from
const seconds = spent(cpu) / 1e6
print(
  `${options.back} come back at once after ${options.commits} commits (${[...modes]})`,
  `${(took / 1000).toFixed(2)} s, processor time ${seconds.toFixed(2)} s`,
)
await Promise.all(returned.map((each) => each.close()))

/** When each commit was made, by its global stamp. */
const madeAt = new Map()
const ages = []
const fresh = await openAll(options.back, null, (moment) => {
  const made = madeAt.get(moment)
  if (made !== undefined) ages.push(performance.now() - made)
})
const total = options.rate * options.seconds
const begin = performance.now()
for (let each = 0; each < total; ) {
  const due = Math.min(total, Math.floor(((performance.now() - begin) * options.rate) / 1000))
  // Commits of those cities that have a replica.
  for (; each < due; each++) {
    change(each % Math.min(options.back, cities))
    madeAt.set(store.globalStamp, performance.now())
  }
  await new Promise((resolve) => setTimeout(resolve, 1))
}
await pause()
const rate = total / ((performance.now() - begin) / 1000)
ages.sort((a, b) => a - b)
const quantile = (share) => `${ages[Math.floor(ages.length * share)]?.toFixed(1)} ms`
print(
  `age of moments, ${options.back} replicas, ${rate.toFixed(0)} commits per second`,
  `p50 ${quantile(0.5)}, p99 ${quantile(0.99)} (${ages.length} moments)`,
)
await fresh.close()
process.exit()
