import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  type DataStore,
  defineDataClass,
} from '../../../core/src/index.ts'
import { handleOf } from '../../../core/src/store/kernel/capability.ts'
import { patience, runs } from '../../../core/test/runs.ts'
import { decide, type Missing, WorkingPool, WorkingStore } from '../../src/index.ts'
import { Backing } from './backing.ts'
import { type Log, leagueClasses } from './league.ts'
import { type League, outcome, type Step, step } from './steps.ts'

/** Every entity with stamp and timestamp, by key, and the sequences. */
function contents(store: object): unknown {
  return handleOf(store).writer.tables.map((table) => [
    table.sequence,
    [...table.liveSlots()]
      .map((slot) => [table.readAll(slot), table.stamps[slot], table.timestamps[slot]])
      .map((row) => JSON.stringify(row))
      .sort(),
  ])
}

class Ports {
  time = 0
  count = 0
  readonly clock = { now: () => this.time, monotonic: () => 1 }
  readonly ids = { uuid: () => uuidOf(++this.count), token: () => `token ${++this.count}` }
  next(command: number): void {
    this.time = 1000 + command
    this.count = command * 100
  }
}
const uuidOf = (number: number): string => number.toString(16).padStart(32, '0')

/** Entities for the steps to find. */
function populate(store: League): void {
  const [teams, players, passes] = ['Team', 'Player', 'Pass'].map((name) => store.dataClass(name))
  for (const [name, city] of [
    ['red', 'Rome'],
    ['blue', 'Oslo'],
    ['green', null],
  ])
    teams?.insert({ name, city })
  for (let at = 0; at < 7; at++)
    players?.insert({
      name: ['ann', 'Bob', 'cara'][at % 3],
      score: at,
      rank: at < 3 ? at + 1 : null,
      team: at % 4 === 0 ? null : at % 4,
      captain: at < 2 ? null : (at % 3) + 1,
    })
  passes?.insert({ code: 'a', holder: 2, sponsor: 1 })
  passes?.insert({ code: 'b', holder: 3, sponsor: 2 })
  teams?.update(1, { lead: 3 })
}

async function compare(commands: readonly (readonly Step[])[]): Promise<number> {
  const [directPorts, workingPorts] = [new Ports(), new Ports()]
  const [directLog, workingLog]: [Log, Log] = [[], []]
  const direct = createDataStore({
    name: 'league',
    dataClasses: leagueClasses(directLog),
    clock: directPorts.clock,
    ids: directPorts.ids,
  } as never) as unknown as DataStore & League
  const storedPorts = new Ports()
  const stored = createDataStore({
    name: 'league',
    dataClasses: leagueClasses(workingLog),
    clock: storedPorts.clock,
    ids: storedPorts.ids,
  } as never) as unknown as DataStore & League
  for (const store of [direct, stored]) populate(store)
  const backing = new Backing(stored)
  backing.globalStamp = stored.globalStamp
  const pool = new WorkingPool(handleOf(stored).catalog, {
    clock: workingPorts.clock,
    ids: workingPorts.ids,
  })
  let most = 0
  for (const [at, steps] of commands.entries()) {
    directPorts.next(at)
    workingPorts.next(at)
    const expected = steps.map((each) => outcome(direct, each))
    const working = pool.take()
    const decision = await decide(
      working,
      ({ store }) => steps.map((each) => outcome(store as unknown as League, each)),
      { name: 'the steps', fetch: backing.fetch },
    )
    most = Math.max(most, decision.runs)
    const found = decision.kind === 'returned' ? decision.value : decision.error
    expect(found).toEqual(expected)
    for (const commit of decision.commits) backing.apply(commit)
    for (const hook of decision.afterHooks) hook.run()
    pool.give(working)
    expect(workingLog).toEqual(directLog)
    expect(backing.globalStamp).toBe(direct.globalStamp)
    expect(contents(stored)).toEqual(contents(direct))
  }
  return most
}

test('decisions on fetched entities equal those of a complete store', patience, () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 25 }),
      async (commands) => void (await compare(commands)),
    ),
    runs(60),
  ),
)

const isAboutPlayers = (missing: Missing): boolean =>
  missing.kind === 'referrers' ||
  (missing.kind === 'matches' && missing.dataClass.name === 'Player')

test.each([
  ['every entity', {}],
  ['some entities', { rows: { Player: 'ID > 0' } }],
])(
  'entities behind a relation, read of one entity after the other by readers of %s, take few runs',
  async (_, options) => {
    const Team = defineDataClass('Team', {
      ID: attribute.long({ key: true }),
      players: attribute.relatedEntities('Player', 'team'),
    })
    const Player = defineDataClass('Player', {
      ID: attribute.long({ key: true }),
      team: attribute.relatedEntity('Team'),
    })
    const store = createDataStore({ name: 'teams', dataClasses: [Team, Player] })
    for (let ID = 1; ID <= 200; ID++) store.Team.insert({ ID })
    for (let ID = 1; ID <= 400; ID++) store.Player.insert({ ID, team: (ID % 200) + 1 })
    const backing = new Backing(store)
    let asked = 0
    const working = new WorkingStore(store.catalog)
    const countsOf = (limit: number) => (of: WorkingStore) =>
      of.store
        .view(options)
        .dataClass('Team')
        .all()
        .orderBy('ID desc')
        .page(0, limit)
        .toArray()
        .map((team: unknown) => (team as { players: { count: number } }).players.count)
    const decided = (limit: number) =>
      decide(working, countsOf(limit), {
        name: 'counts',
        fetch: (missing) => {
          asked += missing.filter(isAboutPlayers).length
          return backing.fetch(missing)
        },
      })
    const all = await decided(200)
    expect([all.kind, all.runs]).toEqual(['returned', 7])
    expect(all).toMatchObject({ value: Array(200).fill(2) })
    expect(asked).toBe(200)

    // For a few entities, at most four times as many are fetched.
    working.empty()
    asked = 0
    const some = await decided(9)
    expect(some).toMatchObject({ kind: 'returned', value: Array(9).fill(2) })
    expect(asked).toBeLessThan(36)
  },
)

interface Counted {
  readonly beds: { readonly count: number }
  readonly lamps: { readonly count: number }
  readonly doors: { readonly count: number }
}

test('code that reads three relations of a thousand entities takes fewer runs than it may', async () => {
  const Room = defineDataClass('Room', {
    ID: attribute.long({ key: true }),
    beds: attribute.relatedEntities('Thing', 'bedOf'),
    lamps: attribute.relatedEntities('Thing', 'lampOf'),
    doors: attribute.relatedEntities('Thing', 'doorOf'),
  })
  const Thing = defineDataClass('Thing', {
    ID: attribute.long({ key: true, autoSequence: true }),
    bedOf: attribute.relatedEntity('Room'),
    lampOf: attribute.relatedEntity('Room'),
    doorOf: attribute.relatedEntity('Room'),
  })
  const store = createDataStore({ name: 'rooms', dataClasses: [Room, Thing] })
  store.Room.load(Array.from({ length: 1000 }, (_, at) => ({ ID: at + 1 })))
  store.Thing.insert({ bedOf: 7, lampOf: 8, doorOf: 9 })
  const backing = new Backing(store)
  const working = new WorkingStore(store.catalog)
  const body = (of: WorkingStore) =>
    (of.store.dataClass('Room').all().toArray() as unknown as Counted[]).reduce(
      (sum, { beds, lamps, doors }) => sum + beds.count + lamps.count + doors.count,
      0,
    )
  const found = await decide(working, body, {
    name: 'counts',
    fetch: (missing) => backing.fetch(missing),
  })
  expect(found).toMatchObject({ kind: 'returned', value: 3 })
  expect(found.runs).toBeLessThan(16)
})
