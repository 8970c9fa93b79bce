import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { fixedPorts } from './models.ts'

export interface TeamRow {
  readonly ID: number
  readonly name: string | null
  readonly level: number | null
}

export interface PersonRow {
  readonly ID: number
  readonly name: string | null
  readonly age: number | null
  readonly wage: number | null
  readonly team: number | null
  readonly boss: number | null
}

/**
 * Two dataclasses with relations each way, an alias and computed attributes. `unexposed` names
 * `Class` or `Class.attribute`.
 */
export function createClub(
  teams: readonly TeamRow[],
  people: readonly PersonRow[],
  unexposed = new Set<string>(),
) {
  const isExposed = (name: string) => ({ exposed: !unexposed.has(name) })
  const Team = defineDataClass(
    'Team',
    {
      ID: attribute.long({ key: true }),
      name: attribute.string({ indexed: true, ...isExposed('Team.name') }),
      level: attribute.long(isExposed('Team.level')),
      people: attribute.relatedEntities('Person', 'team', isExposed('Team.people')),
      size: attribute.computed('long', {
        get: (team: { people: { count: number } }) => team.people.count,
        ...isExposed('Team.size'),
      }),
    },
    isExposed('Team'),
  )
  const Person = defineDataClass(
    'Person',
    {
      ID: attribute.long({ key: true }),
      name: attribute.string({ indexed: true, ...isExposed('Person.name') }),
      age: attribute.long({ indexed: true, ...isExposed('Person.age') }),
      wage: attribute.number(isExposed('Person.wage')),
      team: attribute.relatedEntity('Team', isExposed('Person.team')),
      boss: attribute.relatedEntity('Person', isExposed('Person.boss')),
      reports: attribute.relatedEntities('Person', 'boss', isExposed('Person.reports')),
      teamName: attribute.alias('team.name', isExposed('Person.teamName')),
      bossLevel: attribute.alias('boss.team.level', isExposed('Person.bossLevel')),
      // Another name of the relation, by which it can be written too.
      teamID: attribute.computed('long', {
        get: (person: { team: { ID: number } | null }) => person.team?.ID ?? null,
        set: (team: number | null) => ({ team }),
        ...isExposed('Person.teamID'),
      }),
      label: attribute.computed('string', {
        get: (person: { name: string | null; team: { name: string | null } | null }) =>
          `${person.name}@${person.team?.name}`,
        ...isExposed('Person.label'),
      }),
    },
    isExposed('Person'),
  )
  const store = createDataStore({ name: 'club', dataClasses: [Team, Person], ...fixedPorts() })
  store.Team.load(teams)
  store.Person.load(people)
  return store
}
