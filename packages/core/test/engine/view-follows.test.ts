import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { runs } from '../runs.ts'

const Team = defineDataClass('Team', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  people: attribute.relatedEntities('Person', 'team'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  wage: attribute.long({ indexed: true }),
  team: attribute.relatedEntity('Team'),
  boss: attribute.relatedEntity('Person'),
  double: attribute.computed('long', {
    get: (person: { wage: number | null }) => (person.wage ?? 0) * 2,
  }),
})
const PEOPLE = 40
const TEAMS = 5

function office() {
  const store = createDataStore({ name: 'office', dataClasses: [Team, Person] })
  store.Team.load(Array.from({ length: TEAMS }, (_, i) => ({ ID: i + 1, name: `T${i % 2}` })))
  store.Person.load(
    Array.from({ length: PEOPLE }, (_, i) => ({
      ID: i + 1,
      wage: (i * 7) % 20,
      team: (i % TEAMS) + 1,
      boss: i === 0 ? null : 1,
    })),
  )
  return store
}

const RULES = [
  { Person: 'wage > 9' },
  { Person: 'not (wage > 4) or ID < 4' },
  { Person: 'team.name = "T1"' },
  { Person: 'boss.wage > 9' },
  { Person: 'double > 15' },
  { Person: 'wage > 3', Team: 'people.wage > 12' },
]
const key = fc.integer({ min: 1, max: PEOPLE + 4 })
const write = fc.record({
  kind: fc.constantFrom(
    'wage',
    'team',
    'boss',
    'name',
    'insert',
    'remove',
    'undone',
    'restore',
    'many',
    'load',
  ),
  key,
  value: fc.integer({ min: 0, max: 19 }),
})
type Store = ReturnType<typeof office>

function carryOut(
  store: Store,
  { kind, key, value }: { kind: string; key: number; value: number },
): void {
  const { Person, Team } = store
  if (kind === 'name') Team.update((key % TEAMS) + 1, { name: `T${value % 3}` })
  else if (kind === 'many')
    Person.updateAll(
      Person.all()
        .keys()
        .map((key) => ({ key, patch: { wage: value } })),
    )
  else if (kind === 'load')
    Person.load([{ ID: 1000 + store.globalStamp, wage: value, team: 1, boss: null }])
  else if (kind === 'insert') {
    if (!Person.has(key)) Person.insert({ ID: key, wage: value, team: (value % TEAMS) + 1 })
  } else if (!Person.has(key)) return
  else if (kind === 'remove') Person.remove(key)
  else if (kind === 'restore') {
    const snapshot = store.snapshot()
    Person.update(key, { wage: value })
    store.restore(snapshot)
    snapshot.dispose()
  } else if (kind === 'wage') Person.update(key, { wage: value })
  else if (kind === 'team') Person.update(key, { team: (value % TEAMS) + 1 })
  else if (kind === 'boss') Person.update(key, { boss: Person.has(value) ? value : null })
}

test('after any write a held view shows what a new view shows, even inside a transaction that is rolled back', () => {
  fc.assert(
    fc.property(fc.constantFrom(...RULES), fc.array(write, { maxLength: 30 }), (rows, writes) => {
      const store = office()
      const kept = store.view({ rows: rows as never })
      const shown = (view: typeof kept) => [
        Array.from(
          { length: PEOPLE + 4 },
          (_, i) => view.dataClass('Person').get(i + 1) !== undefined,
        ),
        view.apply(store.Person.all()).keys(),
        view.dataClass('Person').query('team.ID > 0 and ID > 3').keys(),
        view.dataClass('Person').all().orderBy('team.name, ID').distinct('team.name'),
      ]
      for (const write of writes) {
        carryOut(store, write)
        if (write.kind === 'undone' && store.Person.has(1)) {
          const undone = () =>
            store.transact((tx) => {
              tx.Person.update(1, { wage: write.value })
              expect(shown(kept)).toEqual(shown(store.view({ rows: rows as never })))
              throw new Error('undone')
            })
          expect(undone).toThrow('undone')
        }
        if (write.value % 3 === 0)
          expect(shown(kept)).toEqual(shown(store.view({ rows: rows as never })))
      }
      expect(shown(kept)).toEqual(shown(store.view({ rows: rows as never })))
    }),
    runs(60),
  )
})
