import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Team = defineDataClass('Team', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  people: attribute.relatedEntities('Person', 'team'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, minLength: 1 }),
  salary: attribute.number({ notNull: true, indexed: true, min: 0 }),
  team: attribute.relatedEntity('Team'),
})

/** Two teams and eight people. */
export function createStore() {
  const store = createDataStore({ name: 'staff', dataClasses: [Team, Person] })
  store.Team.load([{ name: 'Engines' }, { name: 'Languages' }])
  store.Person.load([
    { name: 'Ada Byron', salary: 72_000, team: 1 },
    { name: 'Charles Babbage', salary: 58_000, team: 1 },
    { name: 'Grace Hopper', salary: 91_000, team: 2 },
    { name: 'Alan Turing', salary: 84_000, team: 1 },
    { name: 'Barbara Liskov', salary: 95_000, team: 2 },
    { name: 'Edsger Dijkstra', salary: 79_000, team: 2 },
    { name: 'Mary Somerville', salary: 63_000, team: 1 },
    { name: 'John Backus', salary: 68_000, team: 2 },
  ])
  return store
}
