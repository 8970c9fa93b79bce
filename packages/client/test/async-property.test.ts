import type { AsyncSelection, StoreError } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AsyncLeague, createLeague, type LeagueModel } from '../../core/test/async/league.ts'
import { ways } from './ways.ts'

interface State {
  readonly users: readonly AsyncLeague[]
  /** Copies that were read earlier, which may be stale. */
  readonly copies: Map<number, object>
}
type Command = (state: State) => Promise<unknown>

/** A value without what differs by design: where media are, who holds a lock, inner errors. */
async function plain(value: unknown): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value
  if ('bytes' in value && typeof value.bytes === 'function')
    return [...((await value.bytes()) as Uint8Array)]
  if (Array.isArray(value)) return Promise.all(value.map(plain))
  const entries = Object.entries(value)
    .filter(([name]) => name !== 'holder' && name !== 'errors')
    .map(async ([name, each]) => [name, await plain(each)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** The result, or the error with its code. */
async function outcomeOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await plain(await run())
  } catch (error) {
    const { errCode, errors, name } = error as StoreError
    if (errCode === undefined) throw error
    expect(name).toMatch(/^(EntiaError|RemoteError)$/)
    return { thrown: errCode, deepest: errors[0]?.errCode }
  }
}

const user = fc.nat(1)
const playerKey = fc.integer({ min: 1, max: 11 })
const teamKey = fc.constantFrom('a', 'b/"', 'c', 'zz')
const playerValues = fc.record(
  {
    name: fc.constantFrom('P1', 'Ünï', 'a name that is too long', 'P4'),
    goals: fc.constantFrom(null, 0, 3, -1),
    isFit: fc.constantFrom(null, true, false),
    joined: fc.constantFrom(null, '2021-05-05', new Date(0)),
    notes: fc.constantFrom(null, { tags: ['x'] }),
    team: fc.constantFrom(null, 'a', { key: 'b/"' }, 'zz'),
    mentor: fc.constantFrom(null, 1, { key: 3 }, 99),
    label: fc.constantFrom('new!', 'P1!'),
    origin: fc.constantFrom('here', 'there'),
  },
  { requiredKeys: [] },
)
const order = fc.constantFrom('', 'name, ID desc', 'goals desc', 'team.title, joined', 'label desc')
const condition = fc.constantFrom<
  (s: AsyncSelection<LeagueModel, 'Player'>) => AsyncSelection<LeagueModel, 'Player'>
>(
  (s) => s,
  (s) => s.query`goals > ${1}`,
  (s) => s.query`team.title begin ${'b'} or goals = ${3}`,
  (s) => s.query`isFit = ${true}`.query`joined < ${new Date('2020-02-15')}`,
  (s) => s.query`name in ${['P1', 'P2']} and label is not null`,
  (s) => s.query`notes.tags[] = ${'t1'}`,
)
const selection = fc.tuple(user, condition, order).map(([who, where, by]) => ({ users }: State) => {
  const found = where(users[who]!.Player.all())
  return by === '' ? found : found.orderBy(by as 'name')
})
const PATHS = [
  'name, goals',
  'team.title, team.founded, mentor.name',
  'notes.tags, team, mentor.team',
  'mentor.mentor.name, label, teamFounded',
] as const
const listOf = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.tuple(user, playerKey).map(
    ([who, key]): Command =>
      async ({ users, copies }) => {
        const found = await users[who]!.Player.get(key)
        if (found !== undefined) copies.set(key, found)
        return found
      },
  ),
  fc.tuple(user, playerValues).map(
    ([who, values]): Command =>
      ({ users }) =>
        users[who]!.Player.insert(values as never),
  ),
  fc.tuple(user, playerKey, playerValues).map(
    ([who, key, values]): Command =>
      ({ users }) =>
        users[who]!.Player.update(key, values as never),
  ),
  fc.tuple(user, playerKey, playerValues, fc.boolean()).map(
    ([who, key, values, isWhole]): Command =>
      async ({ users, copies }) => {
        const copy = copies.get(key)
        if (copy === undefined) return null
        const patch = isWhole ? { ...copy, ...values } : values
        return users[who]!.Player.update(copy as { key: number; stamp: number }, patch as never)
      },
  ),
  fc
    .tuple(
      user,
      fc.array(
        fc
          .tuple(fc.option(playerKey), playerValues)
          .map(([key, values]) => (key === null ? values : { ...values, key })),
        { minLength: 1, maxLength: 3 },
      ),
    )
    .map(
      ([who, changes]): Command =>
        ({ users }) =>
          users[who]!.Player.saveAll(changes as never),
    ),
  fc.tuple(user, playerKey).map(
    ([who, key]): Command =>
      ({ users }) =>
        users[who]!.Player.remove(key),
  ),
  fc.tuple(user, teamKey, fc.constantFrom('Ants', 'Cats', null)).map(
    ([who, code, title]): Command =>
      ({ users }) =>
        users[who]!.Team.insert({ code, title: title as string, founded: '1999-12-31' }),
  ),
  fc.tuple(user, teamKey).map(
    ([who, code]): Command =>
      ({ users }) =>
        users[who]!.Team.remove(code),
  ),
  fc.tuple(user, teamKey).map(
    ([who, code]): Command =>
      ({ users }) =>
        users[who]!.Team.get(code),
  ),
  fc.tuple(user, fc.integer({ min: 1, max: 3 }), fc.constantFrom<number | null>(5, null)).map(
    ([who, place, stamp]): Command =>
      async ({ users }) => {
        const doors = users[who]!.Door
        const ID = `${place}`.padStart(32, '0')
        const door = await doors.get(ID)
        return door === undefined
          ? doors.insert({ ID, key: place, stamp, player: { key: 2 } })
          : doors.saveAll([
              { ...door, stamp },
              { __KEY: ID, key: 1 },
            ])
      },
  ),
  fc.tuple(user, playerKey, fc.boolean()).map(
    ([who, key, isLock]): Command =>
      ({ users }) =>
        isLock ? users[who]!.Player.lock(key) : users[who]!.Player.unlock(key),
  ),
  selection.map(
    (find): Command =>
      async (state) =>
        (await find(state)).count(),
  ),
  fc.tuple(selection, fc.nat(4), fc.nat(4)).map(
    ([find, skip, top]): Command =>
      async (state) =>
        find(state).page(skip, top),
  ),
  selection.map(
    (find): Command =>
      async (state) =>
        find(state).first(),
  ),
  fc.tuple(selection, fc.integer({ min: 1, max: 4 })).map(
    ([find, pageSize]): Command =>
      (state) =>
        listOf(find(state).iterate({ pageSize })),
  ),
  fc.tuple(selection, fc.constantFrom(...PATHS)).map(
    ([find, paths]): Command =>
      (state) =>
        find(state).select(paths).toArray(),
  ),
  selection.map(
    (find): Command =>
      async (state) => {
        const found = find(state)
        return [
          await found.sum('goals'),
          await found.average('goals'),
          await found.min('joined'),
          await found.max('teamFounded'),
          await found.min('label'),
          await found.distinct('name'),
          await found.distinct('teamFounded'),
          await found.distinct('isFit'),
        ]
      },
  ),
  fc.tuple(selection, selection, playerKey).map(
    ([findOne, findOther, key]): Command =>
      async (state) => {
        await using one = await findOne(state).entitySet()
        await using other = await findOther(state).entitySet({ lifetimeSeconds: 60 })
        await state.users[0]!.Player.remove(key)
        const sets = await Promise.all([one.and(other), one.or(other), one.except(other)])
        const lists = await Promise.all(sets.map((set) => set.toArray()))
        const cleaned = await one.clean()
        const first = [await one.count(), await one.page(0, 3), await cleaned.count()]
        const rest = [await one.intersects(other), await one.query`goals > ${0}`.count()]
        const released = await Promise.all([...sets, cleaned].map((set) => set.release()))
        return [lists, first, rest, released, await sets[0].release()]
      },
  ),
  fc
    .constantFrom(
      async ({ users }: State) => users[0]!.Player.query`goals = ${3}`.remove(),
      async ({ users }: State) => users[0]!.Player.query`goalz = ${3}`.count(),
      async ({ users }: State) => users[0]!.Player.query`goals >> ${3}`.count(),
      async ({ users }: State) => users[0]!.Player.query`goals > ${'x'}`.count(),
      async ({ users }: State) =>
        users[0]!.Player.all()
          .orderBy('nme' as 'name')
          .toArray(),
      async ({ users }: State) =>
        users[0]!.Player.all()
          .select('nme' as 'name')
          .toArray(),
      async ({ users }: State) => users[0]!.Player.all().sum('name' as 'goals'),
      async ({ users }: State) => users[0]!.Player.insert({ name: 'x', nme: 1 } as never),
    )
    .map((run): Command => run),
)

test('random commands have the same outcomes in the process and over HTTP', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 30 }), async (commands) => {
      const sides = Object.values(ways).map((way) => {
        const { store, advance } = createLeague()
        const open = way(store)
        return { store, advance, state: { users: [open(), open()], copies: new Map() } }
      })
      for (const run of commands) {
        const outcomes: unknown[] = []
        for (const { advance, state } of sides) {
          advance()
          outcomes.push(await outcomeOf(() => run(state)))
        }
        expect(outcomes[0]).toEqual(outcomes[1])
      }
      const [local, remote] = sides.map(({ store }) => store)
      for (const name of ['Team', 'Player', 'Door'] as const)
        expect(local![name].all().json()).toBe(remote![name].all().json())
    }),
    { numRuns: Number(process.env.ENTIA_RUNS ?? 1) * 60 },
  )
})
