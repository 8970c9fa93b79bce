/**
 * `npm run test:long -- <target>`: runs that take minutes or hours. Without a target it lists them
 * with their options. A run exits with 1 if one of its claims does not hold.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { PrepareError, prepare, root, run, runMain } from './prepare.mjs'

/**
 * @typedef {Readonly<Record<string, string | number | boolean>>} Options with their defaults
 * @typedef {object} Target
 * @property {string} about
 * @property {Options} options
 * @property {string} [module] of scripts/long, over the built packages
 * @property {string | ((values: Options) => string)} [program] in TypeScript, over the sources of
 *   the packages: it reads the options itself
 * @property {string} [test] files of tests, parted by spaces, that read the options from ENTIA_
 *   variables
 */

const DATABASE = 'postgres://postgres@127.0.0.1:5432/postgres'
/** The number of pairs, of a filter and tables; of conditions. */
const PAIRS = 1_000_000

/** @type {Readonly<Record<string, Target>>} */
const targets = {
  commands: {
    about:
      'commands against plain arrays (core), and requests to other engines and ways in (slices, async, saved, sql, processes); --seed with --path repeats a difference',
    module: 'commands',
    options: { target: 'core', commands: 1_000_000, workers: 2, seed: '', path: '' },
  },
  differential: {
    about: 'filters against SQLite; --seed with --round repeats a difference',
    test: 'packages/core/test/differential/filters.slow.test.ts',
    options: { pairs: PAIRS, minutes: '', seed: '', round: '' },
  },
  'differential-sql': {
    about:
      'filters, orders, aggregates and groups of core against PostgreSQL; without --postgres, PGlite in this process',
    test: 'packages/sql/test/differential/filters.slow.test.ts',
    options: { pairs: PAIRS, seed: '', round: '', postgres: '' },
  },
  'words-sql': {
    about:
      'conditions with % in memory against PostgreSQL, with an index of words and without; without --postgres, PGlite in this process',
    test: 'packages/sql/test/differential/words.slow.test.ts',
    options: { conditions: PAIRS, seed: '', postgres: '' },
  },
  fuzz: {
    about:
      'hostile text for every parser, and requests in process; each finding names its --replay',
    program: 'packages/rest/test/fuzz/main.ts',
    options: { inputs: 1_000_000, requests: 100_000, guided: 1000, seed: '', only: '', replay: '' },
  },
  soak: {
    about:
      'a server with a small heap under mixed load, then anonymous reads: no 5xx response, no growth of memory or sessions, a consistent store',
    module: 'soak',
    options: { minutes: 10, anonymous: 1_000_000, connections: 20, heap: 128, seed: 1 },
  },
  blobs: {
    about:
      'clients replace BLOBs of 16 MiB, texts and objects: memory stays within the stored data, the history and the open requests',
    module: 'blobs',
    options: { minutes: 5, connections: 2 },
  },
  stalled: {
    about:
      'clients request pages of many megabytes (Article or Point) and read nothing: the server (entia or node) goes on and serves others; needs Linux',
    module: 'stalled',
    options: { server: 'entia', connections: 400, heap: 0, seconds: 75, page: 'Article' },
  },
  proxies: {
    about:
      'every emitted address of a hostile store, and a replica, through nginx, HAProxy, Caddy and Varnish, where installed',
    module: 'proxies',
    options: {},
  },
  rolling: {
    about:
      'restarts processes behind nginx under load; --in-rotation stops processes that nginx still uses',
    module: 'rolling',
    options: {
      database: DATABASE,
      processes: 4,
      rounds: 1,
      'in-rotation': false,
    },
  },
  races: {
    about:
      'processes over one database race for stamps, unique values and locks, and play histories; --only stamp,value,lock,cascade,batch,logout,locks,moments,histories',
    program: 'packages/sql/test/races/main.ts',
    options: {
      database: DATABASE,
      processes: 4,
      rounds: 1000,
      seconds: 86_400,
      only: '',
      seed: '',
    },
  },
  mirrors: {
    about:
      'random clients read and write through two stores with mirrors, whose followers are held back: each sees what it has seen or written; --seed repeats a run',
    test: 'packages/sql/test/mirror/reads.slow.test.ts',
    options: { histories: 10_000, seed: '' },
  },
  replicas: {
    about:
      'random histories of replicas whose wires are cut, whose tabs are killed and whose permissions change; --runs times as many as in the tests, and of those with permissions --runs times --histories',
    test: 'packages/replica/test/watched packages/replica/test/histories.test packages/replica/test/comparing.test packages/replica/test/tabs.test',
    options: { histories: 150, runs: 700, seed: '' },
  },
  'replicas-sql': {
    about:
      'random histories of replicas over PostgreSQL whose wires are cut, while processes lose their connections or are killed: each batch is applied once or is a problem; --seed repeats a run',
    test: 'packages/sql/test/mirror/replica-histories',
    options: { histories: 2000, seed: '' },
  },
  'replica-faults': {
    about: 'plants faults in the code of replicas: the properties of replicas must find each',
    module: 'replica-faults',
    options: { from: 0 },
  },
  'replica-lines': {
    about:
      'a wire changes lines of replicas and answers to them, 120 in each history, then their requests: replicas go on, and the server refuses; --seed repeats a run',
    test: 'packages/replica/test/hostile-',
    options: { histories: 8500, requests: 1_000_000, seed: '' },
  },
  leases: {
    about:
      'random replicas lease keys from a server that ends and is put back to backups: each key is given once (so many histories without restores, and as many with them); --seed repeats a run',
    test: 'packages/replica/test/leases.slow.test.ts',
    options: { histories: 10_000, seed: '' },
  },
  life: {
    about:
      'a day of a store with several processes, with time that passes faster: state, statements, heap and tables are bounded',
    program: 'packages/sql/test/life/main.ts',
    options: { database: DATABASE, processes: 4, hours: 24, step: 5, visitors: 20, seed: '' },
  },
  failure: {
    about:
      'breaks connections at every message of every kind of request; --kills kills serving processes, --cluster stops, crashes, fills, locks and delays a server',
    program: ({ kills, cluster }) =>
      `packages/sql/test/failure/${kills !== '' ? 'kills' : cluster ? 'cluster' : 'main'}.ts`,
    options: {
      database: DATABASE,
      batches: 500,
      only: '',
      kills: '',
      cluster: false,
    },
  },
  failover: {
    about:
      'kills, hangs or cuts off primaries under load and promotes standbys, made by the programs in ENTIA_POSTGRES_BIN; --asynchronous loses commits, which the run must find',
    program: 'packages/sql/test/failover/main.ts',
    options: {
      failovers: 50,
      processes: 2,
      failure: '',
      replicas: false,
      asynchronous: false,
      seed: '',
    },
  },
}

await runMain(async () => {
  const [name = '', ...given] = process.argv.slice(2)
  const target = new Map(Object.entries(targets)).get(name)
  if (target === undefined) {
    console.log('npm run test:long -- <target> [options]\n')
    for (const [each, { about, options }] of Object.entries(targets))
      console.log(`${each}: ${about}\n    ${Object.entries(options).map(printed).join(' ')}\n`)
    if (name !== '') throw new PrepareError(`There is no target "${name}".`)
    return
  }
  const values = readOptions(given, target.options)
  if (target.program !== undefined) runProgram(target.program, values, given)
  else if (target.test !== undefined) runTest(target.test, values)
  else {
    prepare(['--no-types'])
    const { main } = await import(`./long/${target.module}.mjs`)
    if (!(await main(values))) process.exitCode = 1
  }
})

/** @param {[name: string, value: string | number | boolean]} option */
function printed([name, value]) {
  return `--${name}${value === '' ? ' …' : value === false ? '' : ` ${value}`}`
}

/**
 * The options as their defaults: numbers where these are numbers.
 * @param {string[]} given
 * @param {Options} defaults
 * @returns {Options}
 */
function readOptions(given, defaults) {
  const { values } = parseArgs({
    args: given,
    options: Object.fromEntries(
      Object.entries(defaults).map(([name, value]) => [
        name,
        { type: /** @type {'string' | 'boolean'} */ (value === false ? 'boolean' : 'string') },
      ]),
    ),
  })
  return Object.fromEntries(
    Object.entries(defaults).map(([name, usual]) => {
      const value = values[name] ?? usual
      if (typeof usual !== 'number') return [name, value]
      const number = Number(value)
      if (Number.isFinite(number) && number >= 0) return [name, number]
      throw new PrepareError(`--${name} must be a number from 0, not "${value}".`)
    }),
  )
}

/**
 * @param {Exclude<Target['program'], undefined>} program
 * @param {Options} values
 * @param {readonly string[]} given
 */
function runProgram(program, values, given) {
  prepare(['--no-types'])
  const preloaded = pathToFileURL(join(root, 'scripts/typescript-processes.mjs')).href
  process.exitCode = run(process.execPath, [
    ...['--expose-gc', '--conditions=entia-source', '--import', preloaded],
    join(root, typeof program === 'string' ? program : program(values)),
    ...given,
  ])
}

/**
 * @param {string} test
 * @param {Options} values
 */
function runTest(test, values) {
  for (const [name, value] of Object.entries({
    ...values,
    seed: values.seed || Date.now() % 1_000_000_000,
  }))
    if (value !== '') process.env[`ENTIA_${name.toUpperCase()}`] = String(value)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const files = test.split(' ')
  process.exitCode = run(process.execPath, [
    ...[vitest, 'run', '--config', 'vitest.workspace.ts'],
    ...files,
  ])
}
