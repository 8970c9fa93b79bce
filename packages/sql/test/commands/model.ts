import {
  type AnyDataStore,
  attribute,
  createDataStore,
  defineDataClass,
  EntiaError,
  isEntity,
  type ReadingLimits,
} from '@entia/core'

import type { Ports } from '../../../testing/src/conformance/ports.ts'
import { growingRecords } from '../growing-records.ts'
import { Door, Form } from './schema-classes.ts'

/** The part of a store that hooks and functions use. Every name is one of the model below. */
interface Club {
  dataClass(name: string): ClubTable
}
interface ClubTable {
  readonly count: number
  query(filter: string, parameters?: readonly unknown[]): ClubSelection
  insert(values: object): ClubEntity
  update(key: unknown, values: object, options?: object): ClubEntity
  findBy(name: string, value: unknown): ClubEntity | undefined
}
interface ClubSelection extends Iterable<ClubEntity> {
  readonly count: number
  orderBy(order: string): ClubSelection
  sum(path: string): number | null
  keys(): readonly unknown[]
  remove(): unknown
}
interface Plain {
  readonly key: string | number
  readonly name: string | null
  readonly level: number | null
}
interface ClubEntity extends Plain {
  readonly stamp: number
  readonly score: number | null
  readonly team: ClubEntity | null
  readonly captain: ClubEntity | null
  readonly mates: ClubSelection
}
interface Named {
  readonly name: string | null
}
interface Ranked {
  readonly score: number | null
  readonly mates: { readonly count: number }
}
interface Draft {
  name: string | null
  nick: string | null
  score: number | null
  level: number | null
}
interface Hooked {
  readonly store: unknown
}

const clubOf = ({ store }: Hooked): Club => store as Club
const logged = (context: Hooked, text: string): void => {
  clubOf(context).dataClass('Log').insert({ text })
}

const Team = defineDataClass('Team', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ unique: true, maxLength: 9 }),
  motto: attribute.string({ collation: 'exact' }),
  founded: attribute.date({ dateOnly: true, indexed: true }),
  crest: attribute.image(),
  lead: attribute.relatedEntity('Player'),
  players: attribute.relatedEntities('Player', 'team'),
  passes: attribute.relatedEntities('Pass', 'sponsor'),
  leadName: attribute.alias('lead.name'),
  size: attribute.computed('long', {
    get: (team: { players: { count: number } }) => team.players.count,
  }),
})

const Player = defineDataClass(
  'Player',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ indexed: true }),
    nick: attribute.string({ collation: 'exact', maxLength: 6, pattern: /^[^!]*$/ }),
    score: attribute.number({ indexed: true, min: 0 }),
    level: attribute.long({ default: 1 }),
    serial: attribute.long({ readOnly: true }),
    big: attribute.long64(),
    joined: attribute.date(),
    pause: attribute.duration(),
    active: attribute.bool(),
    token: attribute.uuid({ unique: true }),
    info: attribute.object(),
    cv: attribute.blob(),
    team: attribute.relatedEntity('Team', { foreignKey: 'teamID' }),
    teamID: attribute.long(),
    captain: attribute.relatedEntity('Player', { onDelete: 'cascade' }),
    mates: attribute.relatedEntities('Player', 'captain'),
    passes: attribute.relatedEntities('Pass', 'holder'),
    forms: attribute.relatedEntities('Form', 'player'),
    doors: attribute.relatedEntities('Door', 'player'),
    teamName: attribute.alias('team.name'),
    label: attribute.computed('string', {
      get: (player: Named & { team: Named | null }) => `${player.name}@${player.team?.name ?? '-'}`,
    }),
    rank: attribute.computed('number', {
      get: ({ score, mates }: Ranked) => (score ?? 0) + mates.count,
      set: (value: number | null) => ({ score: value }),
    }),
  },
  {
    hooks: {
      init: (draft: Draft) => {
        draft.nick = 'new'
      },
      beforeSave: (draft: Draft, context: Hooked) => {
        draft.score ??= 0
        if (draft.name === 'Count')
          draft.level = clubOf(context).dataClass('Player').query('score > 1').count
        if (draft.name === 'Write') logged(context, 'before')
      },
      validateSave: (player: Plain, context: Hooked) => {
        if (player.name === 'Boom') throw new Error('a hook fails')
        const isTaken = (): boolean =>
          clubOf(context).dataClass('Player').query('name = :1', ['Alone']).count > 1
        if (player.name === 'No' || (player.name === 'Alone' && isTaken()))
          return { errCode: 10_001, message: `${player.name} is refused.` }
        return null
      },
      validateRemove: (player: Plain) =>
        player.name === 'Keep' ? { errCode: 10_002, message: 'Kept.' } : null,
      afterSave: (player: Plain, context: Hooked) => {
        if (player.level === 7) logged(context, `saved ${player.key}`)
        if (player.name === 'Late') throw new Error('too late')
      },
      afterRemove: (player: Plain, context: Hooked) => {
        if (player.level === 7) logged(context, `removed ${player.name}`)
      },
    },
    functions: {
      best: {
        on: 'selection',
        exposed: true,
        onHttpGet: true,
        run: ({ selection }) => (selection as unknown as ClubSelection).orderBy('score desc, ID'),
      },
      total: {
        on: 'selection',
        exposed: true,
        run: ({ selection }) => {
          const found = selection as unknown as ClubSelection
          return { count: found.count, sum: found.sum('score'), keys: found.keys() }
        },
      },
      raise: {
        on: 'selection',
        exposed: true,
        run: ({ selection, store }, by: number) => {
          const keys: unknown[] = []
          for (const { key, score } of selection as unknown as ClubSelection)
            keys.push(playersOf(store).update(key, { score: (score ?? 0) + by }).key)
          return keys
        },
      },
      drop: {
        on: 'selection',
        exposed: true,
        run: ({ selection }) => {
          const found = selection as unknown as ClubSelection
          const { count } = found
          found.remove()
          return count
        },
      },
      hire: {
        on: 'dataClass',
        exposed: true,
        run: ({ store }, values: object) => playersOf(store).insert(values),
      },
      save: {
        on: 'dataClass',
        exposed: true,
        run: ({ store }, sent: ClubEntity) =>
          isEntity(sent)
            ? playersOf(store).update(sent.key, sent, { stamp: sent.stamp })
            : playersOf(store).insert(sent),
      },
      named: {
        on: 'dataClass',
        exposed: true,
        onHttpGet: true,
        run: ({ store }, name: string) => playersOf(store).findBy('name', name) ?? null,
      },
      risk: {
        on: 'dataClass',
        exposed: true,
        run: ({ store }, how: string) => {
          playersOf(store).insert({ name: 'Risk' })
          if (how === 'refuse')
            throw new EntiaError('functionRefused', { errCode: 10_003, message: 'closed' })
          if (how === 'fail') throw new Error('a secret of the application')
          return playersOf(store).query('name = Risk').count
        },
      },
      promote: {
        on: 'entity',
        exposed: true,
        run: ({ entity, store }) => {
          const { key, level, captain } = entity as unknown as ClubEntity
          if (captain !== null) playersOf(store).update(captain.key, { level: 7 })
          return playersOf(store).update(key, { level: (level ?? 0) + 1 })
        },
      },
      mateNames: {
        on: 'entity',
        exposed: true,
        onHttpGet: true,
        run: ({ entity }) =>
          [...(entity as unknown as ClubEntity).mates.orderBy('ID')].map(({ name }) => name),
      },
    },
  },
)

const playersOf = (store: unknown): ClubTable => (store as Club).dataClass('Player')

const Pass = defineDataClass(
  'Pass',
  {
    code: attribute.string({ key: true }),
    colour: attribute.string({ notNull: true, default: 'red' }),
    holder: attribute.relatedEntity('Player', { onDelete: 'cascade' }),
    sponsor: attribute.relatedEntity('Team', { onDelete: 'restrict' }),
    tickets: attribute.relatedEntities('Ticket', 'pass'),
  },
  {
    hooks: {
      beforeSave: (pass: { colour: string }, context: Hooked) => {
        if (pass.colour === 'gold') logged(context, 'gold')
      },
    },
  },
)

const Ticket = defineDataClass('Ticket', {
  code: attribute.uuid({ key: true, autoSequence: true }),
  price: attribute.number({ min: 0, max: 100 }),
  pass: attribute.relatedEntity('Pass', { notNull: true }),
})

const Log = defineDataClass('Log', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
})

/** Every dataclass with its key, in the order in which contents are compared. */
export const CLUB_KEYS = {
  Team: 'ID',
  Player: 'ID',
  Pass: 'code',
  Ticket: 'code',
  Form: 'code',
  Door: 'ID',
  Log: 'ID',
}

/** An empty club whose record numbers only grow, as they do in a database. */
export function createClub(
  ports: Ports,
  options: { readonly reading?: Partial<ReadingLimits> } = {},
): AnyDataStore {
  const store = createDataStore({
    name: 'club',
    dataClasses: [Team, Player, Pass, Ticket, Form, Door, Log],
    functions: {
      stats: {
        exposed: true,
        onHttpGet: true,
        run: ({ store }) => [playersOf(store).count],
      },
      swap: {
        exposed: true,
        run: ({ store }, a: number, b: number) => {
          const players = playersOf(store)
          const first = players.findBy('ID', a)
          const second = players.findBy('ID', b)
          if (first === undefined || second === undefined) return null
          players.update(a, { team: second.team })
          return players.update(b, { team: first.team })
        },
      },
    },
    ...ports,
    ...options,
  })
  return growingRecords(store as unknown as AnyDataStore)
}
