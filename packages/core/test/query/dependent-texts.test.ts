import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

let factor = 1
const Team = defineDataClass('Team', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  people: attribute.relatedEntities('Person', 'team'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  age: attribute.long(),
  notes: attribute.object(),
  team: attribute.relatedEntity('Team'),
  teamName: attribute.alias('team.name'),
  info: attribute.computed('object', {
    get: (({
      age,
      team,
    }: {
      readonly age: number
      readonly team: { readonly name: string } | null
    }) => ({
      age: age * factor,
      of: { team: team?.name ?? null },
    })) as never,
  }),
  scaled: attribute.computed('number', {
    get: ({ age }: { readonly age: number | null }) => (age ?? 0) * factor,
  }),
})

function people() {
  const store = createDataStore({ name: 'people', dataClasses: [Team, Person] })
  store.Team.load([{ ID: 1, name: 'red' }, { ID: 2 }])
  store.Person.load(
    [1, 2, 3].map((ID) => ({ ID, age: ID * 10, notes: { at: ID }, team: ID === 3 ? null : ID })),
  )
  return store
}

test.each([
  ['info.of.team'],
  ['info.age, ID'],
  ['ID, info'],
  ['scaled'],
  ['ID, teamName'],
  ['teamName, age'],
  ['age, team.name'],
  ['team.people.age'],
  ['team.people.info.age, notes.at'],
])('%s: texts that depend on more than their record are of this moment', (paths) => {
  factor = 1
  const store = people()
  const all = store.Person.all()
  const check = (): string => {
    for (let time = 0; time < 4; time++)
      expect(all.json(paths)).toBe(JSON.stringify(all.select(paths)))
    return all.json(paths)
  }
  const texts = [check()]
  store.Team.update(1, { name: 'blue' })
  factor = 3
  texts.push(check())
  store.Person.update(2, { team: 1, age: 7 })
  texts.push(check())
  expect(new Set(texts).size).toBeGreaterThan(1)
})

test('a reader who may see no attribute gets empty objects', () => {
  const store = people()
  const view = store.view({ hides: ({ owner }) => owner.name === 'Person' })
  const all = view.dataClass('Person').all()
  expect([all.select('*'), all.json(), all.json('*')]).toEqual([
    [{}, {}, {}],
    '[{},{},{}]',
    '[{},{},{}]',
  ])
  expect([all.count, all.keys()]).toEqual([3, [1, 2, 3]])
})
