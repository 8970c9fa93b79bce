import { expect, test } from 'vitest'
import type { Command, Keeping } from '../commands/command.ts'
import { runCommands } from '../commands/run-commands.ts'
import { serverStateStore } from './server-state-store.ts'

// Faults that `npm run test:long -- commands` found and minimised, with their seeds. Some lists end
// with all
// sets that remain.

const all = { className: 'Team', filter: null, order: [] } as const
const keep = (how: Partial<Keeping> = {}): Command => ({
  kind: 'keepSet',
  query: all,
  how: { handle: 0, seconds: null, owner: null, isAnew: false, ...how },
})

test('an expired set is evicted before the least recently read one (seed 4)', () => {
  const toEnd: Command = { kind: 'advance', toEnd: 0, off: 1 }
  runCommands([
    keep(),
    keep(),
    keep({ seconds: 60 }),
    toEnd,
    keep(),
    keep(),
    keep(),
    { kind: 'listSides' },
  ])
})

test('an expired set is evicted if bytes are short, even for a new set of no bytes (seed 107)', () => {
  const { store, clock } = serverStateStore({ entitySets: { maxBytes: 48 } })
  const create = (lifetimeSeconds: number, filter = 'ID > 0') =>
    store.entitySets.create(store.Employee.query(filter), { lifetimeSeconds })
  const kept = create(7200)
  create(60)
  clock.advance(60_000)
  create(7200, 'ID < 0')
  expect(store.entitySets.peek(kept)?.count).toBe(3)
})

test('the id of a set is free when its owner session has ended, noticed or not (seed 11)', () => {
  runCommands([
    { kind: 'openSession', session: 0, seconds: null },
    { kind: 'keepSet', query: all, how: { handle: 2, seconds: null, owner: 0, isAnew: false } },
    { kind: 'advance', toEnd: 0, off: 0 },
    keep({ handle: 2, isAnew: true }),
  ])
})

test('a set whose owner has ended is evicted before the least recently read one', () => {
  const { store, clock } = serverStateStore({ entitySets: { max: 2 } })
  const owner = store.sessions.open({ lifetimeSeconds: 60 })
  const kept = store.entitySets.create(store.Employee.all())
  store.entitySets.create(store.Employee.all(), { owner })
  clock.advance(60_000)
  store.entitySets.create(store.Employee.all())
  expect(store.entitySets.peek(kept)?.count).toBe(3)
})
