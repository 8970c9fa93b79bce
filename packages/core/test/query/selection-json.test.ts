import { expect, test } from 'vitest'
import { attribute, createDataStore, createMedia, defineDataClass } from '../../src/index.ts'

const Team = defineDataClass('Team', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  players: attribute.relatedEntities('Player', 'team'),
})
const Player = defineDataClass('Player', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  born: attribute.date(),
  notes: attribute.object(),
  badge: attribute.image(),
  team: attribute.relatedEntity('Team'),
  label: attribute.computed('string', { get: (player: { name: string | null }) => player.name }),
})
const Odd = defineDataClass('Odd', {
  ID: attribute.long({ key: true }),
  toJSON: attribute.string(),
})
const store = createDataStore({ name: 'teams', dataClasses: [Team, Player, Odd] })
store.Team.insert({ ID: 1, name: 'Reds' })
store.Player.insert({ ID: 1, name: 'Ada', team: 1, born: '1815-12-10', notes: { a: [1] } })
store.Player.insert({ ID: 2, badge: createMedia('image/png', new Uint8Array(3)) })
store.Odd.insert({ ID: 1, toJSON: 'text' })

test('the JSON of a selection is that of its entities, in its order', () => {
  const all = store.Player.all().orderBy('ID desc')
  const expected = [...all].map((player) => JSON.parse(JSON.stringify(player)))
  for (const selection of [
    all,
    all.page(0, 1),
    all.query('ID > 5'),
    store.at(store.globalStamp).Player.all().orderBy('ID desc'),
    store
      .view({ rows: { Player: 'ID = 1' } })
      .dataClass('Player')
      .all(),
    store.Team.get(1)!.players,
    store.entitySets.get(store.entitySets.create(all))!,
  ])
    expect(JSON.parse(JSON.stringify({ selection })).selection).toEqual(
      expected.filter(({ ID }) => selection.has(ID)),
    )
  expect(JSON.parse(JSON.stringify(all))).toHaveLength(2)
})

test('deleted members are left out', () => {
  const all = store.Team.all()
  store.Team.insert({ ID: 2, name: 'Blues' })
  const both = store.Team.all()
  store.Team.remove(2)
  expect(JSON.stringify(both)).toBe(JSON.stringify(all))
})

test('an attribute may be called toJSON', () => {
  expect(JSON.stringify(store.Odd.all())).toBe('[{"ID":1,"toJSON":"text"}]')
})
