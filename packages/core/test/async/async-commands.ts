import type { AsyncSelection } from '@entia/core'
import fc from 'fast-check'
import type { AsyncLeague, LeagueModel } from './league.ts'

export interface State {
  readonly users: readonly AsyncLeague[]
  /** Copies that were read earlier, which may be stale. */
  readonly copies: Map<number, object>
  /** False if the ways order entities without an order by different record numbers. */
  readonly sameRecords: boolean
}
export type Command = (state: State) => Promise<unknown>

const user = fc.nat(1)
const playerKey = fc.integer({ min: 1, max: 11 })
const teamKey = fc.constantFrom('a', 'b/"', 'c', 'zz', '')
const playerValues = fc.record(
  {
    name: fc.constantFrom('P1', 'Ünï', 'a name that is too long', 'P4', '', null),
    goals: fc.constantFrom(null, 0, 3, -1),
    isFit: fc.constantFrom(null, true, false),
    joined: fc.constantFrom(null, '2021-05-05', new Date(0)),
    notes: fc.constantFrom(
      null,
      {},
      { tags: ['x'] },
      { tags: [], place: null },
      { place: { city: '' } },
    ),
    team: fc.constantFrom(null, 'a', { key: 'b/"' }, 'zz', '', { key: '' }),
    mentor: fc.constantFrom(null, 1, { key: 3 }, 99),
    label: fc.constantFrom('new!', 'P1!', '!', null),
    origin: fc.constantFrom('here', 'there'),
  },
  { requiredKeys: [] },
)
/** Null for what a new entity computes says nothing. */
const computedValues = fc.record(
  { shout: fc.constant(null), teamTitle: fc.constant(null) },
  { requiredKeys: [] },
)
const newValues = fc
  .tuple(playerValues, computedValues)
  .map(([values, computed]) => ({ ...values, ...computed }))
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
  (s) => s.query`name = ${''} or notes.place.city = ${''} or notes.tags is null`,
  (s) => s.query`goals = ${3}`.query``,
)
const selection = fc.tuple(user, condition, order).map(([who, where, by]) => (state: State) => {
  const found = where(state.users[who]!.Player.all())
  const terms = state.sameRecords ? [by] : [by, 'ID']
  const text = terms.filter((term) => term !== '').join()
  return text === '' ? found : found.orderBy(text as 'name')
})
const PATHS = [
  'name, goals',
  'team.title, team.founded, mentor.name',
  'notes.tags, team, mentor.team',
  'mentor.mentor.name, label, teamFounded',
  '*',
  '',
  'mentor.*, team, team.title',
  'team.players.*, mentor.door.*, team.badge',
  'notes.place.city, notes.lost, team.code',
  'notes.*, notes.place',
  'notes.tags[].x',
  'mentor.',
  'key, stamp, timestamp, name',
  'stamp, door.key, door.stamp, door.timestamp, mentor.key, mentor.timestamp',
] as const
const DOOR_PATHS = ['*', 'key, stamp', 'timestamp, player.key, player.name', 'opened.at, opened.by']
const GROUPS = ['name', 'team.title', 'door.day', 'joined.year', 'notes.place.city', 'teamFounded']
const listOf = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Commands on a league, with values that ways to reach a store could take differently. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  fc.tuple(user, playerKey).map(
    ([who, key]): Command =>
      async ({ users, copies }) => {
        const found = await users[who]!.Player.get(key)
        if (found !== undefined) copies.set(key, found)
        return found
      },
  ),
  fc.tuple(user, newValues).map(
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
  fc.tuple(user, teamKey, fc.constantFrom('Ants', 'Cats', '', null)).map(
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
      async ({ users }) => [
        await users[who]!.Team.get(code),
        await users[who]!.Team.update(code, { players: null, founded: '2000-01-01' } as never),
        await users[who]!.Team.saveAll([{ key: code, founded: null }]),
        await users[who]!.Team.lock(code),
        await users[who]!.Team.unlock(code),
      ],
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
  fc.tuple(selection, fc.constantFrom(...PATHS), fc.boolean()).map(
    ([find, paths, isPaged]): Command =>
      async (state) => {
        const shown = state.sameRecords ? paths : paths.replace('team.players.*, ', '')
        const found = find(state).select(shown as 'name')
        return isPaged ? listOf(found.iterate({ pageSize: 3 })) : found.toArray()
      },
  ),
  fc.tuple(user, fc.constantFrom(...DOOR_PATHS)).map(
    ([who, paths]): Command =>
      async ({ users }) => [
        await users[who]!.Door.all().toArray(),
        await users[who]!.Door.all()
          .select(paths as 'key')
          .toArray(),
      ],
  ),
  // Changes that a caller makes to its copies are visible to that caller only.
  fc.tuple(user, playerKey).map(
    ([who, key]): Command =>
      async ({ users }) => {
        const mine = await users[who]!.Player.query`ID = ${key}`.select('notes, key').first()
        for (const copy of [await users[who]!.Player.get(key), mine])
          if (copy?.notes) Object.assign(copy.notes, { tags: ['mine'] })
        return users[who]!.Player.get(key)
      },
  ),
  fc.tuple(selection, fc.constantFrom(...GROUPS)).map(
    ([find, names]): Command =>
      (state) =>
        find(state)
          .groupBy(names as 'name', { count: true, goals: ['sum', 'max'] })
          .orderBy(`count desc, ${names}`)
          .toArray(),
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
      async ({ users }: State) => users[0]!.Player.query``.remove(),
      async ({ users }: State) => JSON.stringify(users[0]!.Player.query`goals = ${3}`),
      async ({ users }: State) => JSON.stringify(await users[0]!.Player.all().entitySet()),
      async ({ users }: State) => users[0]!.Player.insert({ name: 'x', nme: undefined } as never),
      async ({ users }: State) => users[0]!.Player.update(1, { team: { key: null } } as never),
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

/** Reads all entities. */
export const everything: Command = async ({ users: [db] }) =>
  Promise.all([
    db!.Team.all().orderBy('code').toArray(),
    db!.Player.all().orderBy('ID').toArray(),
    db!.Door.all().orderBy('ID').toArray(),
  ])
