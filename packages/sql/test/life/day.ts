import { setTimeout as wait } from 'node:timers/promises'
import { randomOf } from '../../../../scripts/long/random.mjs'
import type { SqlPool } from '../../src/connect/port.ts'
import { pgPool } from '../../src/pg.ts'
import { POOLING } from '../tested.ts'
import { type Census, census, passTime } from './census.ts'
import { LIMITS, MAX_PREPARED, type Office, openOffice } from './office.ts'
import { TASKS, type Visits, visit } from './visitor.ts'

export interface DayOptions {
  readonly connectionString: string
  /** A schema that exists. */
  readonly schema: string
  readonly processes: number
  readonly hours: number
  /** Pieces of time: what happens in one happens at its beginning. */
  readonly stepMinutes: number
  /** Visitors in each piece of time. */
  readonly visitors: number
  readonly seed: number
  /** Called after each hour. */
  readonly onHour?: (hour: number, found: Census, visits: Visits) => Promise<void>
}

/** Minutes that each lives after its last use, by default. */
const LIVES = { sessions: 60, sets: 120, uploads: 2 }
const SWEEP_MILLISECONDS = 60_000

/**
 * Lives through some hours of a busy store with several processes, and returns what was not
 * bounded: nothing, if all is well. Throws for a wrong answer.
 */
export async function liveOneDay(options: DayOptions): Promise<readonly string[]> {
  const { connectionString, schema, stepMinutes, seed } = options
  const offices: Office[] = []
  const pool = pgPool({ connectionString, max: 1, ...POOLING })
  const random = randomOf(seed)
  const past: Visits[] = []
  const violations: string[] = []
  try {
    for (let at = 0; at < options.processes; at++)
      offices.push(await openOffice(connectionString, schema, at === 0))
    await addTasks(offices[0]!)
    const steps = Math.ceil((options.hours * 60) / stepMinutes)
    for (let step = 1; step <= steps; step++) {
      const visits = { sessions: 0, sets: 0, uploads: 0, commits: 0 }
      const seeds = Array.from({ length: options.visitors }, () => random() * 2 ** 32)
      await Promise.all(seeds.map((each) => visit(offices, randomOf(each), visits)))
      past.push(visits)
      await passTime(pool, schema, stepMinutes)
      const found = await swept(pool, schema, offices)
      const where = `after ${((step * stepMinutes) / 60).toFixed(1)} hours`
      for (const violation of judge(found, past, stepMinutes))
        violations.push(`${violation}, ${where}`)
      const isHour =
        Math.floor((step * stepMinutes) / 60) > Math.floor(((step - 1) * stepMinutes) / 60)
      if (!isHour) continue
      for (const office of offices)
        for (const count of await office.prepared())
          if (count > MAX_PREPARED) violations.push(`${count} prepared statements, ${where}`)
      await options.onHour?.((step * stepMinutes) / 60, found, sum(past))
    }
  } finally {
    for (const office of offices) await office.close()
    await pool.close()
  }
  for (const { failures } of offices) for (const each of failures) violations.push(String(each))
  return violations
}

async function addTasks({ rest }: Office): Promise<void> {
  const body = JSON.stringify(
    Array.from({ length: TASKS }, (_, at) => ({ title: `Task ${at}`, weight: at, place: at % 7 })),
  )
  const { status } = await rest.handle({
    method: 'POST',
    url: '/rest/Task?$method=update&$atomic=true',
    headers: {},
    body,
  })
  if (status !== 200) throw new Error(`The tasks could not be added: ${status}`)
}

/** Waits until the processes have deleted what has expired. */
async function swept(pool: SqlPool, schema: string, offices: readonly Office[]): Promise<Census> {
  const start = performance.now()
  for (;;) {
    // A process that still sweeps ignores it.
    for (const { tick } of offices) tick()
    const found = await census(pool, schema)
    const isDone = found.leftovers === 0 && found.changes <= LIMITS.history.commits
    if (isDone || performance.now() - start > SWEEP_MILLISECONDS) return found
    await wait(5)
  }
}

/** The counts beyond their bounds, which follow from the lifetime of each kind. */
function judge(found: Census, past: readonly Visits[], stepMinutes: number): readonly string[] {
  const during = (name: keyof Visits, minutes: number): number =>
    past.slice(-Math.ceil(minutes / stepMinutes)).reduce((count, each) => count + each[name], 0)
  const { sessions, entitySets, uploads, history } = LIMITS
  const kept = Math.max(during('commits', (history.hours + 1) * 60), history.commits)
  const bounds: readonly (readonly [keyof Census, number])[] = [
    ['leftovers', 0],
    ['sessions', Math.min(sessions.maxGuests, during('sessions', LIVES.sessions))],
    ['locks', TASKS],
    ['sets', during('sets', LIVES.sets)],
    ['members', entitySets.maxBytes / 8],
    ['uploads', Math.min(uploads.max, during('uploads', LIVES.uploads))],
    ['changes', history.commits],
    // One set more: that of the tasks.
    ['commits', kept + 1],
  ]
  return bounds.flatMap(([name, most]) =>
    found[name] > most ? [`${found[name]} ${name} instead of ${most} at most`] : [],
  )
}

const sum = (past: readonly Visits[]): Visits =>
  past.reduce((all, each) => ({
    sessions: all.sessions + each.sessions,
    sets: all.sets + each.sets,
    uploads: all.uploads + each.uploads,
    commits: all.commits + each.commits,
  }))
