// Counts the functions and files of core, engine and rest that a warm operation runs:
// npm run measure-paths [-- --list]
import { Session } from 'node:inspector/promises'
import { register } from 'node:module'

if (!import.meta.resolve('@entia/core').endsWith('.ts')) {
  console.error('It measures the sources, which plain node does not find: npm run measure-paths')
  process.exit(1)
}
register('./typescript-loader.mjs', import.meta.url)
const { attribute, createDataStore, defineDataClass } = await import('@entia/core')
const { createRestHandler } = await import('@entia/rest')

const EMPLOYEES = 1_000
const WARM_UP = 200
const SOURCE = /packages\/((?:core|engine|rest)\/src\/.*)$/

const store = createDataStore({
  name: 'measured',
  dataClasses: [
    defineDataClass('Employee', {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string({ indexed: true }),
      salary: attribute.number({ indexed: true }),
    }),
  ],
})
store.Employee.load(
  Array.from({ length: EMPLOYEES }, (_, at) => ({ name: `n${at % 50}`, salary: at })),
)
const rest = createRestHandler(store)

/** @param {import('@entia/rest').RestInput} input */
async function request(input) {
  const { status, body } = await rest.handle({ headers: {}, ...input })
  if (status !== 200) throw new Error(`${status}: ${body}`)
}

/**
 * Each call differs from the last one, so that no cache answers it. @type {[name: string, run: (at:
 * number) => unknown][]}
 */
const OPERATIONS = [
  [
    'HTTP read',
    (at) =>
      request({
        method: 'GET',
        url: `/rest/Employee?$filter="salary>${at}"&$orderby=name&$top=10`,
      }),
  ],
  [
    'HTTP update',
    (at) =>
      request({
        method: 'POST',
        url: '/rest/Employee?$method=update',
        body: `{"__KEY":"7","salary":${at}}`,
      }),
  ],
  ['query()', (at) => store.Employee.query('salary > :1', [at]).page(0, 10).toArray()],
  ['update()', (at) => store.Employee.update(7, { salary: at })],
]

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/**
 * The functions that one call of a warm operation runs. @param {(at: number) => unknown} operation
 */
async function functionsOf(operation) {
  for (let at = 0; at < WARM_UP; at++) await operation(at)
  await inspector.post('Profiler.takePreciseCoverage')
  await operation(WARM_UP)
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  return result.flatMap(({ url, functions }) => {
    const file = SOURCE.exec(url)?.[1]
    if (file === undefined) return []
    return functions
      .filter(({ ranges }) => ranges[0].count > 0)
      .map(({ functionName, ranges }) => ({
        file,
        name: functionName,
        at: ranges[0].startOffset,
        calls: ranges[0].count,
      }))
  })
}

for (const [name, operation] of OPERATIONS) {
  const functions = await functionsOf(operation)
  const files = new Set(functions.map(({ file }) => file))
  console.log(
    `${name.padEnd(12)} ${String(functions.length).padStart(4)} functions  ${String(files.size).padStart(4)} files`,
  )
  if (!process.argv.includes('--list')) continue
  for (const file of [...files].sort()) {
    const own = functions.filter((entry) => entry.file === file)
    console.log(
      `  ${file}: ${own.map((entry) => `${entry.name || '(anonymous)'}${entry.calls > 1 ? ` x${entry.calls}` : ''}`).join(', ')}`,
    )
  }
}
inspector.disconnect()
