import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import { CLASSES } from '../../../replica/test/office.ts'
import {
  expected,
  held,
  type Opened,
  opened,
  placeOf,
  type Server,
  server,
  step,
  write,
} from '../../../replica/test/steps.ts'
import { until } from '../../../replica/test/waiting.ts'
import type { VolatileState } from '../../src/live/wake-ups.ts'
import { pgPool } from '../../src/pg.ts'
import { describeDatabases, run, type TestDatabase } from '../database.ts'
import { messageProxy } from '../failure/message-proxy.ts'
import { POOLING } from '../tested.ts'
import {
  createCopy,
  fill,
  Moments,
  noted,
  openOffice,
  type SavedMarks,
  type SqlOffice,
  writeTo,
} from './replica-office.ts'

/** `npm run test:long -- replicas-sql` plays more, see scripts/long.mjs. */
const HISTORIES = Number(process.env.ENTIA_HISTORIES ?? 24)
const SEED = process.env.ENTIA_SEED
/** What some callers may see. */
const RULE = "salary > 0 and employer.city === 'Paris'"

/**
 * A process loses its connections to the database, and is killed by that or goes on, while it gets
 * a batch of a replica.
 */
const failure = fc.record({
  kind: fc.constantFrom('break' as const, 'kill' as const, 'kill' as const),
  replica: fc.nat(1),
  write: server,
  direction: fc.constantFrom('toServer' as const, 'toClient' as const),
  message: fc.nat(12),
  isLate: fc.boolean(),
  turns: fc.nat(3),
})
type Failure = typeof failure extends fc.Arbitrary<infer F> ? F : never
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(step(true), fc.nat(1)) },
    { weight: 1, arbitrary: fc.tuple(failure, fc.nat(1)) },
  ),
  { maxLength: 16, size: 'max' },
)
type Steps = typeof steps extends fc.Arbitrary<infer S> ? S : never
/** The first message of a batch ends a process, then its connections. */
const EACH_FAILURE: Steps = (['kill', 'break'] as const).map((kind) => [
  {
    kind,
    replica: 0,
    write: { kind: 'hire', salary: 1, employer: 0, manager: 0 },
    direction: 'toServer',
    message: 0,
    isLate: false,
    turns: 3,
  },
  0,
])

describeDatabases('histories of replicas', { connections: 'several', on: 'one' }, (database) => {
  test.each([
    ['all entities', null],
    ['entities of a row filter', RULE],
  ] as const)(
    'each batch is applied once or is a problem, and each complete moment is one of the database: %s',
    patience,
    async (_what, rule) => {
      const world = new World(database, rule)
      await world.begin()
      await fc.assert(
        fc.asyncProperty(fc.tuple(fc.nat(3), fc.nat(3)), steps, (kinds, each) =>
          history(world, kinds, each),
        ),
        {
          ...runs(HISTORIES / 2),
          examples: [[[0, 0], EACH_FAILURE]],
          ...(SEED === undefined ? {} : { seed: Number(SEED) }),
          endOnFailure: true,
        },
      )
      await world.end()
      if (process.env.ENTIA_HISTORIES) console.log(world.met)
      const { breaks, kills, applied, problems } = world.met
      expect(Math.min(breaks + kills, applied + problems)).toBeGreaterThan(0)
    },
  )
})

/** One of the processes that serve replicas. */
interface Serving {
  readonly office: SqlOffice
  readonly proxy: Awaited<ReturnType<typeof messageProxy>>
  /** The replicas that it serves. */
  readonly links: Set<Pick<Opened, 'wire' | 'cut' | 'connect'>>
}

/** A database, two processes that serve replicas of it, and one that writes and never fails. */
class World {
  readonly met = { breaks: 0, kills: 0, applied: 0, problems: 0 }
  readonly saved: SavedMarks = new Map()
  marks = 0
  readonly serving: Serving[] = []
  writer!: SqlOffice
  readonly #database: TestDatabase
  readonly #schema: string
  readonly #rule: string | null
  #moments!: Moments
  readonly #listeners = new Set<(globalStamp: number) => void>()
  /** Processes that are being started in the place of killed ones. */
  readonly #starting: (Promise<void> | null)[] = [null, null]
  readonly #closing: Promise<void>[] = []

  constructor(database: TestDatabase, rule: string | null) {
    this.#database = database
    this.#schema = database.newSchema()
    this.#rule = rule
  }

  /** Wakes the processes up after a commit, of which some are lost. */
  get volatileState(): VolatileState {
    const listeners = this.#listeners
    const publish = (globalStamp: number): void => {
      if (globalStamp % 4 > 0) for (const listener of listeners) listener(globalStamp)
    }
    const subscribe = (listener: (globalStamp: number) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
    return { wakeUps: { publish, subscribe }, close: async () => undefined }
  }

  async begin(): Promise<void> {
    const { volatileState } = this
    const pool = this.#database.open()
    this.writer = await openOffice(pool, this.#schema, {}, null, CLASSES, { volatileState })
    this.#moments = new Moments(noted(this.writer.store.changes({ since: 0 }), this.saved))
    for (const at of [0, 1]) await this.#start(at)
  }
  async end(): Promise<void> {
    for (const { office, proxy } of this.serving) {
      await office.store.close()
      await proxy.close()
    }
    await this.writer.store.close()
    await this.#moments.ended()
    await Promise.all(this.#closing)
  }

  async #start(at: number): Promise<void> {
    const proxy = await messageProxy(this.#database.connectionString!)
    const { connectionString } = proxy
    const pool = pgPool({ connectionString, max: 4, idleMilliseconds: 1000, ...POOLING })
    const authorize = ({ dataClass }: { readonly dataClass: string | null }) =>
      dataClass === 'Employee' ? { filter: this.#rule! } : true
    const rest = this.#rule === null ? {} : { authorize }
    const { volatileState } = this
    const office = await openOffice(pool, this.#schema, rest, undefined, CLASSES, { volatileState })
    this.serving[at] = { office, proxy, links: new Set() }
  }

  /** Breaks the connections of a process at a message from now on. */
  fail(at: number, { kind, direction, message, isLate }: Failure): void {
    if (this.#starting[at] !== null) return
    const { proxy } = this.serving[at]!
    if (kind === 'break') {
      const broken = (): void => void this.met.breaks++
      proxy.cut({ direction, message, times: 2, isLate, broken })
    } else proxy.cut({ direction, message, times: 1, isLate, broken: () => this.#kill(at) })
  }
  /** Nothing fails from now on. Resolves once each process serves. */
  async heal(): Promise<void> {
    for (const { proxy } of this.serving) proxy.cut(null)
    await Promise.all(this.#starting)
  }

  /** What is under way at the process is lost, and another one takes its place. */
  #kill(at: number): void {
    if (this.#starting[at] !== null) return
    this.met.kills++
    const { office, proxy, links } = this.serving[at]!
    const connected = [...links].filter(({ wire }) => wire.isUp)
    for (const one of links) one.cut()
    this.#starting[at] = proxy.close().then(async () => {
      // Its memory is gone; here it would go on without a database.
      this.#closing.push(office.store.close().catch(() => undefined))
      await this.#start(at)
      for (const one of links) this.serving[at]!.links.add(one)
      for (const one of connected) one.connect()
      this.#starting[at] = null
    })
  }

  /** A replica that is served by one of the processes at a time. */
  async opened(kind: number) {
    let from = 0
    const fetch = async (request: Request): Promise<Response> => {
      if (this.#starting[from] !== null) throw new TypeError('no process')
      return this.serving[from]!.office.rest.fetch(request)
    }
    const one = await opened({ rest: { fetch } } as never, kind)
    this.serving[from]!.links.add(one)
    const go = (to: number): void => {
      for (const { links } of this.serving) links.delete(one)
      from = to
      this.serving[to]!.links.add(one)
    }
    return { ...one, go, at: () => from }
  }

  async globalStamp(): Promise<number> {
    const text = `SELECT stamp FROM "${this.#schema}".entia_store`
    return Number((await run(this.#database.pool, text)).rows[0]![0])
  }
  /** What a caller sees in the shapes of a replica, read directly. */
  async seenAt(globalStamp: number, one: Opened): Promise<unknown> {
    await until(() => this.#moments.has(globalStamp))
    const now = this.#moments.at(globalStamp)
    if (this.#rule === null) return expected(now, one)
    // The same store, whose other entities are not there.
    const seen = createCopy()
    fill(seen, now.Company.all(), now.Employee.query(this.#rule))
    return expected(seen as never, one)
  }
}

/** Two replicas go from process to process, which fail. */
async function history(world: World, kinds: readonly [number, number], steps: Steps) {
  const all = [await world.opened(kinds[0]), await world.opened(kinds[1])]
  const seen: { readonly stamp: number; readonly one: Opened; readonly shown: unknown }[] = []
  const sent: { readonly mark: string; readonly outcome: Promise<{ readonly kind: string }> }[] = []
  const stops = all.map((one) => {
    let last = -1
    const look = (): void => {
      const stamp = placeOf(one)
      if (stamp === last || one.replica.waiting.count > 0) return
      last = stamp
      seen.push({ stamp, one, shown: held(one) })
    }
    look()
    return one.replica.subscribe(look)
  })
  const local = async ({ replica }: Opened, change: Server): Promise<void> => {
    const mark = `mine ${++world.marks}`
    const { number, outcome } = await replica.transact((tx) => write(tx as never, change, mark))
    if (number > 0 && (change.kind === 'hire' || change.kind === 'change'))
      sent.push({ mark, outcome })
  }
  for (const [each, at] of steps) {
    const one = 'replica' in each ? all[each.replica]! : all[0]!
    switch (each.kind) {
      case 'server':
        await writeTo(world.writer, each.writes)
        break
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, each.turns * 40))
        break
      case 'wire':
        one.cut()
        one.go(at)
        if (each.isUp) one.connect()
        break
      case 'lose':
        one.wire.lost++
        break
      case 'break':
      case 'kill':
        one.connect()
        world.fail(one.at(), each)
        await local(one, each.write)
        await new Promise((resolve) => setTimeout(resolve, each.turns * 20))
        break
      case 'local':
        await local(one, each.write)
    }
  }
  await world.heal()
  for (const one of all) {
    one.connect()
    await one.replica.current()
    for (const { number } of [...one.replica.problems]) await one.replica.solve(number, 'theirs')
    await one.replica.current()
  }
  const now = await world.globalStamp()
  for (const one of all) {
    const wanted = JSON.stringify(await world.seenAt(now, one))
    await until(() => one.errors.length > 0 || JSON.stringify(held(one)) === wanted)
    expect(one.errors).toEqual([])
    one.replica.store.verify()
  }
  for (const stop of stops) stop()
  for (const { stamp, one, shown } of seen)
    expect({ stamp, shown }).toEqual({ stamp, shown: await world.seenAt(stamp, one) })
  for (const { mark, outcome } of sent) {
    const isApplied = (await outcome).kind === 'applied'
    world.met[isApplied ? 'applied' : 'problems']++
    const count = world.saved.get(mark)?.length ?? 0
    expect({ mark, count }).toEqual({ mark, count: isApplied ? 1 : 0 })
  }
  for (const { replica } of all) await replica.close()
  // The next history begins with few entities again.
  await world.writer.store.Employee.query`salary >= 0`.remove()
}
