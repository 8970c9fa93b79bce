import {
  type AnyEntity,
  type AnySelection,
  type AsyncStore,
  attribute,
  createDataStore,
  type DataStore,
  defineDataClass,
  type Model,
} from '@entia/core'

const Team = defineDataClass('Team', {
  code: attribute.string({ key: true }),
  title: attribute.string({ unique: true, notNull: true }),
  founded: attribute.date({ dateOnly: true }),
  badge: attribute.blob(),
  players: attribute.relatedEntities('Player', 'team'),
})
interface Notes {
  readonly tags?: readonly string[]
  readonly place?: { readonly city?: string | null } | null
}
const Player = defineDataClass(
  'Player',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ notNull: true, maxLength: 12, indexed: true }),
    goals: attribute.long({ min: 0 }),
    isFit: attribute.bool(),
    joined: attribute.date(),
    notes: attribute.object<Notes>(),
    origin: attribute.string({ readOnly: true, default: 'here' }),
    team: attribute.relatedEntity('Team', { onDelete: 'restrict' }),
    mentor: attribute.relatedEntity('Player'),
    door: attribute.relatedEntity('Door'),
    label: attribute.computed('string', {
      get: (player: { name: string }) => `${player.name}!`,
      set: (label) => ({ name: label?.slice(0, -1) ?? null }),
    }),
    shout: attribute.computed('string', {
      get: (player: { name: string }) => player.name.toUpperCase(),
    }),
    teamTitle: attribute.alias('team.title'),
    teamFounded: attribute.alias('team.founded'),
  },
  {
    functions: {
      best: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }, count: number) =>
          dataClass.all().orderBy('goals desc, ID').page(0, count),
      },
      rename: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }, player: AnyEntity) =>
          dataClass.update(Number(player.key), { name: player.name }),
      },
      save: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }, player: AnyEntity) =>
          dataClass.update(Number(player.key), player as object, { stamp: player.stamp }),
      },
      renameLater: {
        on: 'dataClass',
        exposed: true,
        run: async ({ dataClass }, key: number) => {
          await null
          return dataClass.update(key, { name: 'Late' }).name
        },
      },
      totalOf: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }, keys: number[], by: { each?: number }) => {
          let total = 0
          while (keys.length > 0) total += (dataClass.get(keys.pop()!)?.goals ?? 0) * by.each!
          delete by.each
          return total
        },
      },
      goalsOf: {
        on: 'dataClass',
        exposed: true,
        run: (_context, { goals, label, mentor }: AnyEntity) => [goals, label, mentor?.key],
      },
      shared: {
        on: 'dataClass',
        exposed: true,
        run: (_context, one: AnySelection, other: AnySelection) => one.and(other).count,
      },
      summary: {
        on: 'selection',
        exposed: true,
        run: ({ selection }, label: string) => ({
          label,
          goals: selection.sum('goals'),
          when: new Date(0),
          none: undefined,
          first: selection.first(),
          all: selection,
        }),
      },
      scored: {
        on: 'entity',
        exposed: true,
        run: async ({ entity }, more: number) => (entity.goals ?? 0) + more,
      },
      teamOf: { on: 'entity', exposed: true, run: ({ entity }) => entity.team },
      userName: {
        on: 'dataClass',
        exposed: true,
        run: ({ session }) => session?.user?.userName ?? null,
      },
    },
  },
)
/** Attributes with the names of marks and of the parts of a date, and values that are not JSON. */
const Door = defineDataClass('Door', {
  ID: attribute.uuid({ key: true }),
  key: attribute.long(),
  stamp: attribute.long(),
  day: attribute.date({ dateOnly: true }),
  player: attribute.relatedEntity('Player'),
  opened: attribute.computed('object', {
    get: (door: { key: number | null }) => ({ at: new Date(0), by: undefined, width: door.key }),
  }),
  width: attribute.computed('number', {
    get: (door: { key: number | null }) => 1 / (door.key ?? 0),
  }),
  checked: attribute.computed('date', { get: () => new Date(0) }),
})

/** Values that JSON has no form for. */
export const FORMLESS: readonly unknown[] = [
  Number.NaN,
  5n,
  Symbol('none'),
  () => 5,
  new Map([[1, 2]]),
  new Set([1]),
  new Uint8Array(2),
  new ArrayBuffer(2),
  Promise.resolve(5),
]

/** A store whose clock only a test advances. */
export function createLeague() {
  let time = Date.UTC(2026, 0, 1)
  const store = createDataStore({
    name: 'league',
    dataClasses: [Team, Player, Door],
    functions: {
      ping: { exposed: true, run: () => 'pong' },
      nothing: { exposed: true, run: () => undefined },
      sparse: {
        exposed: true,
        run: (): unknown => Object.assign(new Array(3), { 0: -0, 2: { left: undefined } }),
      },
      formless: { exposed: true, run: (_context, at: number): unknown => [FORMLESS[at]] },
    },
    singletons: {
      Units: { double: { exposed: true, run: (_context, value: number) => value * 2 } },
    },
    clock: { now: () => time, monotonic: () => time },
  })
  store.Team.load([
    { code: 'a', title: 'Ants', founded: '1980-01-15', badge: Uint8Array.of(1, 2, 3) },
    { code: 'b/"', title: 'Bees' },
  ])
  store.Player.load(
    Array.from({ length: 8 }, (_, i) => ({
      name: `P${i % 5}`,
      goals: i % 3 === 0 ? null : i,
      isFit: i % 2 === 0,
      joined: `2020-0${(i % 3) + 1}-01T10:00:00Z`,
      notes: { tags: i % 2 === 0 ? [] : [`t${i}`] },
      team: i % 4 === 0 ? null : i % 2 === 0 ? 'a' : 'b/"',
    })),
  )
  store.Door.insert({
    ID: '00000000000000000000000000000001',
    key: 7,
    stamp: 9,
    day: '2020-02-02',
    player: 1,
  })
  return { store, advance: () => void (time += 1000) }
}

export type League = ReturnType<typeof createLeague>['store']
export type LeagueModel = League extends DataStore<infer M extends Model> ? M : never
export type AsyncLeague =
  League extends DataStore<infer M extends Model, infer F, infer S> ? AsyncStore<M, F, S> : never

/** Gives users access to one store: each call of the result returns another user. */
export type Way = (store: League) => () => AsyncLeague
/** As `Way`, for a copy of the store. */
export type AsyncWay = (store: League) => Promise<() => AsyncLeague>
