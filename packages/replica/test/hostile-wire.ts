import { connect } from '@entia/client'
import { isEntiaError, openDump } from '@entia/core'
import { createRestHandler, ReplicaState, type RestHandler } from '@entia/rest'
import { expect } from 'vitest'
import type { Chance } from '../../rest/test/fuzz/chance.ts'
import { HOSTILE, mutate } from '../../rest/test/fuzz/mutate.ts'
import { replicate } from '../src/index.ts'
import { CLASSES, createOffice, rowsOf } from './office.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const VALUES: readonly Json[] = [
  ...[null, true, false, 0, -1, 1, 3, 0.5, 2 ** 31, 2 ** 53, 1e300, '', 'x', '=', 'b', '~'],
  ...['__proto__', 'constructor', 'length', '0', '\ud800', [], [[]], {}, { w: ['a'], c: [1] }],
]

/** Another JSON value, or another text in its place. */
export function mutated(chance: Chance, text: string, other: () => string): string {
  if (chance.holds(0.3)) return mutate(chance, text, other)
  let parsed: Json
  try {
    parsed = JSON.parse(text) as Json
  } catch {
    return mutate(chance, text, other)
  }
  return JSON.stringify(changed(chance, parsed))
}

function changed(chance: Chance, value: Json): Json {
  const isDeep = typeof value === 'object' && value !== null
  const names = isDeep ? Object.keys(value) : []
  if (names.length === 0 || chance.holds(0.1))
    return chance.holds(0.3) ? chance.oneOf(HOSTILE) : structuredClone(chance.oneOf(VALUES))
  const copy = structuredClone(value) as { [name: string]: Json }
  const name = chance.oneOf(names)
  if (chance.holds(0.75)) copy[name] = changed(chance, copy[name]!)
  else if (Array.isArray(copy)) copy.splice(Number(name), Number(chance.holds(0.5)), copy[0])
  else if (chance.holds(0.5)) delete copy[name]
  else copy[chance.oneOf(['x', '__proto__', 'constructor', name])] = chance.oneOf(VALUES)
  return copy as Json
}

/** A line without a user: lines with another one remove what is here, as they should. */
const isOfGuest = (line: string): boolean => {
  try {
    const { user } = JSON.parse(line) as { readonly user?: unknown }
    return user === undefined || user === null
  } catch {
    return true
  }
}

/** What a wire has seen, as material for others. */
const SEEN: string[] = ['["=",1]']

/**
 * A server, and a connection to it that changes lines of streams and answers to batches. Counts
 * what was changed in `tally`.
 */
function hostileOffice(chance: Chance, tally: Tally) {
  let { store, rest } = createOffice({}, 3)
  const wire = { isHostile: true, isUp: true, requests: 0 }
  const open = new Set<AbortController>()
  const change = (text: string): string => {
    if (SEEN.length < 200) SEEN.push(text)
    if (!wire.isHostile || !chance.holds(0.4)) return text
    const next = mutated(chance, text, () => chance.oneOf(SEEN))
    if (!isOfGuest(next)) return text
    tally.lines++
    return next
  }
  const db = connect('http://office.test/rest', {
    fetch: async (request) => {
      wire.requests++
      if (!wire.isUp) throw new TypeError('no connection')
      const cut = new AbortController()
      open.add(cut)
      request.signal.addEventListener('abort', () => cut.abort(), { once: true })
      if (request.signal.aborted) cut.abort()
      const answer = await rest.fetch(new Request(request, { signal: cut.signal }))
      if (cut.signal.aborted) throw new TypeError('no connection')
      const { status, headers } = answer
      if (status !== 200 || answer.body === null || !request.url.endsWith('$replica')) {
        open.delete(cut)
        const text = await answer.text()
        return new Response(status === 200 ? change(text) : text, { status, headers })
      }
      const lines = new TransformStream<string, string>({
        transform: (piece, controller) => {
          // Pieces of a stream end with lines.
          const given = piece.split('\n').slice(0, -1)
          controller.enqueue(`${given.map((line) => line && change(line)).join('\n')}\n`)
        },
      })
      const body = answer.body
        .pipeThrough(new TextDecoderStream() as never)
        .pipeThrough(lines)
        .pipeThrough(new TextEncoderStream())
      return new Response(body as never, { status, headers })
    },
  })
  const cut = (): void => {
    for (const each of open) each.abort()
    open.clear()
  }
  return {
    db,
    wire,
    cut,
    get store() {
      return store
    },
    get rest(): RestHandler {
      return rest
    },
    /** Another instance with the same contents. */
    restart(): void {
      const dataClasses = [...CLASSES, ReplicaState]
      const next = openDump(store.dump(), { name: 'office', dataClasses, history: { commits: 3 } })
      store.close()
      cut()
      store = next as never
      rest = createRestHandler(store, { replicas: true })
    },
  }
}

export interface Tally {
  lines: number
  readonly outcomes: Map<string, number>
}

const STEPS = 200
const PAUSES = { first: 1, longest: 2 }
const turns = (count: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, count))

/**
 * One replica whose lines are changed. Once the wire is honest and the server has started again, it
 * must hold what the server has: nothing that was read has broken it.
 */
export async function hostileHistory(chance: Chance, tally: Tally): Promise<void> {
  const office = hostileOffice(chance, tally)
  const { wire } = office
  for (let at = 0; at < 20; at++)
    office.store.Employee.insert({ name: `n${at % 3}`, salary: at, notes: { text: 'x' } })
  office.store.Company.insert({ name: 'Acme', city: 'Paris' })
  const errors: unknown[] = []
  const replica = await first(office.store, () =>
    replicate(office.db, {
      dataClasses: CLASSES,
      shapes: { Company: true, Employee: true },
      pauses: PAUSES,
      onError: (error) => errors.push(error),
    }),
  )
  const before = wire.requests
  for (let step = 0; step < STEPS; step++) {
    const { Employee } = office.store
    const keys = Employee.all().keys()
    switch (chance.below(5)) {
      case 0:
        Employee.insert({ name: 'new', salary: step })
        break
      case 1:
        Employee.update(keys[chance.below(keys.length)]!, { salary: step })
        break
      case 2:
        if (keys.length > 5) Employee.remove(keys[chance.below(keys.length)]!)
        break
      case 3:
        office.cut()
        replica.reconnect()
        break
      case 4:
        // A changed line may have brought what no transaction can change.
        await replica
          .transact((tx) => tx.Employee.insert({ name: 'mine', salary: step }))
          .catch((error: unknown) => expect(isEntiaError(error) || error).toBe(true))
        break
    }
    await turns(0)
  }
  const asked = wire.requests - before
  for (const error of errors) {
    const name = error instanceof Error ? error.constructor.name : typeof error
    tally.outcomes.set(name, (tally.outcomes.get(name) ?? 0) + 1)
  }
  // A wire that is broken must not be asked again and again without a pause.
  expect(asked).toBeLessThan(10 * STEPS)
  wire.isHostile = false
  office.restart()
  replica.reconnect()
  for (let patience = 4000; ; patience--) {
    for (const { number } of [...replica.problems]) await replica.solve(number, 'theirs')
    const here = JSON.stringify(rowsOf(replica.store.Employee.all()))
    const there = JSON.stringify(rowsOf(office.store.Employee.all()))
    if (replica.state === 'current' && replica.waiting.count === 0 && here === there) break
    if (patience === 0)
      throw new Error(
        `${replica.state} ${replica.waiting.count} ${replica.error}\n${here}\n${there}`,
      )
    await turns(1)
  }
  replica.store.verify()
  await replica.close()
  office.cut()
  office.store.close()
}

/**
 * A replica, after as many attempts as it takes. Where the line is lost that completes a moment, it
 * waits for the next one: the server commits from time to time.
 */
async function first<T>(
  { Company }: ReturnType<typeof createOffice>['store'],
  open: () => Promise<T>,
): Promise<T> {
  const commits = setInterval(() => Company.insert({ name: 'later' }), 200)
  try {
    for (;;)
      try {
        return await open()
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
  } finally {
    clearInterval(commits)
  }
}
