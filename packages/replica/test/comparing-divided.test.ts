import { createDataStore, openDump } from '@entia/core'
import { BUCKET_PARTS } from '@entia/core/internal'
import { createRestHandler, ReplicaState, type RestHandler } from '@entia/rest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../core/test/runs.ts'
import { CLASSES } from './office.ts'
import { opened, untilSame } from './steps.ts'
import { until } from './waiting.ts'

/** Several buckets of entities. */
const COMPANIES = 300

// Entities that were saved equally often have the same stamp and timestamp.
const options = {
  name: 'office',
  dataClasses: [...CLASSES, ReplicaState] as const,
  history: { commits: 0 },
  clock: { now: () => 1_800_000_000_000, monotonic: () => performance.now() },
}

const change = fc.record({
  kind: fc.constantFrom('update', 'update', 'update', 'insert', 'remove'),
  at: fc.nat(COMPANIES - 1),
  revenue: fc.nat(3),
})
const changes = fc.array(change, { minLength: 1, maxLength: 12 })
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** A server that `apply` changes, and that calls `asked` before it answers a comparison. */
function createServer(asked: (dividedBuckets: number) => void) {
  let store = createDataStore(options)
  let rest = createRestHandler(store, { replicas: true })
  store.Company.load(Array.from({ length: COMPANIES }, (_, at) => ({ name: `C${at}` })))
  const saved = store.dump()
  const fetch = async (request: Request): Promise<Response> => {
    const text = request.url.endsWith('$replica') ? await request.clone().text() : '{}'
    const { marks } = JSON.parse(text) as { marks?: { Company?: { divided: readonly number[] } } }
    if (marks !== undefined) asked(marks.Company?.divided.length ?? 0)
    return rest.fetch(request)
  }
  return {
    rest: { fetch } as RestHandler,
    get store() {
      return store
    },
    apply({ kind, at, revenue }: Change): void {
      const { Company } = store
      const keys = Company.all().keys()
      const key = keys[at % keys.length]!
      if (kind === 'insert') Company.insert({ revenue })
      else if (kind === 'remove') Company.remove(key)
      else Company.update(key, { revenue })
    },
    restore(): void {
      store = openDump(saved, options)
      rest = createRestHandler(store, { replicas: true })
    },
  }
}

/** The lists of parts that were sent of companies. */
const sentParts = (lines: readonly string[]): readonly (readonly number[])[] =>
  lines
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('["~",0,['))
    .map((line) => (JSON.parse(line) as [string, number, number[]])[2])

test(
  'a comparison brings what has changed since its hints, and what they missed',
  patience,
  async () => {
    const seen = { divided: 0, whole: 0, parts: 0 }
    await fc.assert(
      fc.asyncProperty(
        changes,
        changes,
        changes,
        fc.boolean(),
        async (before, missed, later, isRestored) => {
          let pending: readonly Change[] = []
          const server = createServer((divided) => {
            seen.divided += divided
            for (const each of pending) server.apply(each)
            pending = []
          })
          const one = await opened({ rest: server.rest }, 0)
          for (const each of before) server.apply(each)
          await untilSame(server.store, one)
          one.cut()
          await until(() => one.replica.state === 'offline')
          if (isRestored) server.restore()
          for (const each of missed) server.apply(each)
          pending = later
          one.wire.lines.length = 0
          one.connect()
          await one.replica.current()
          await untilSame(server.store, one)
          one.replica.store.verify()
          for (const parts of sentParts(one.wire.lines)) {
            const buckets = new Map<number, number>()
            for (const part of parts) {
              const bucket = Math.floor(part / BUCKET_PARTS)
              buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1)
            }
            for (const count of buckets.values())
              if (count === BUCKET_PARTS) seen.whole++
              else seen.parts++
          }
          await one.replica.close()
        },
      ),
      runs(100),
    )
    // Buckets of which parts were sent, and whole ones, which the hints had not named.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
  },
)
