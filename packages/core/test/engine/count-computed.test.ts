import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  createMedia,
  defineDataClass,
  type Untyped,
} from '../../src/index.ts'

// A getter in JavaScript may return anything. What does not have the type of the attribute counts
// as null.

const VALUES: readonly unknown[] = [
  ...['text', 5, 1.5, Number.NaN, true, [1], { a: 1 }, new Map(), () => 1, null, undefined],
  ...[new Date(0), new Date(Number.NaN), new Uint8Array([1])],
  createMedia('image/png', new Uint8Array([1])),
]
const TYPES = [
  'object',
  'image',
  'blob',
  'long',
  'number',
  'string',
  'bool',
  'date',
  'uuid',
] as const

test.each(TYPES)('values of a computed attribute of the type %s are counted alike', (type) => {
  const get = ({ ID }: { ID: number }) => VALUES[ID] as never
  const Team = defineDataClass('Team', {
    ID: attribute.long({ key: true }),
    shown: attribute.computed(type, { get }),
  })
  const Player = defineDataClass('Player', {
    ID: attribute.long({ key: true }),
    team: attribute.relatedEntity('Team'),
    shown: attribute.computed(type, { get }),
  })
  const store: Untyped = createDataStore({ name: 'counts', dataClasses: [Team, Player] })
  const keys = VALUES.map((_, ID) => ID)
  store.Team.load(keys.map((ID) => ({ ID })))
  store.Player.load(keys.map((ID) => ({ ID, team: ID })))
  const players = store.Player.all()
  const { count } = store.Player.query('shown !== null')
  if (type !== 'uuid') expect(count).toBeGreaterThan(0)
  expect(count).toBeLessThan(VALUES.length - 2)
  expect(players.countOf('shown')).toBe(count)
  const counts = { shown: ['count'], 'team.shown': ['count'] }
  const groups: readonly Untyped[] = players.groupBy('ID', counts).toArray()
  const sum = (path: string): number =>
    groups.reduce((all, { [path]: counted }) => all + counted.count, 0)
  expect([sum('shown'), sum('team.shown')]).toEqual([count, count])
})
