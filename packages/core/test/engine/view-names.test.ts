import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AnyEntity,
  type AttributeModel,
  attribute,
  createDataStore,
  defineDataClass,
  type EntiaError,
  isEntiaError,
  type View,
} from '../../src/index.ts'

const Team = defineDataClass('Team', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ exposed: false }),
  budget: attribute.number(),
  people: attribute.relatedEntities('Person', 'team'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ indexed: true }),
  wage: attribute.number({ exposed: false }),
  notes: attribute.object({ exposed: false }),
  stamp: attribute.long({ exposed: false }),
  team: attribute.relatedEntity('Team', { foreignKey: 'teamID' }),
  teamID: attribute.long({ exposed: false }),
  teamName: attribute.alias('team.name'),
  secret: attribute.alias('team.budget', { exposed: false }),
  double: attribute.computed('number', {
    exposed: false,
    get: (person: { readonly wage: number | null }) => (person.wage ?? 0) * 2,
  }),
  safe: attribute.relatedEntity('Safe'),
})
const Safe = defineDataClass('Safe', { ID: attribute.long({ key: true }) }, { exposed: false })

function club() {
  const store = createDataStore({ name: 'club', dataClasses: [Team, Person, Safe] })
  store.Team.insert({ ID: 1, name: 'Red', budget: 10 })
  store.Safe.insert({ ID: 1 })
  store.Person.insert({ ID: 1, name: 'Ann', wage: 5, notes: { a: 1 }, stamp: 9, team: 1, safe: 1 })
  store.Person.insert({ ID: 2, name: 'Bob' })
  return store
}

/** Attributes hidden by exposedOnly, or by name: the same callers, described in two ways. */
const HIDDEN = [
  'Team.name',
  'Person.wage',
  'Person.notes',
  'Person.stamp',
  'Person.teamID',
  'Person.secret',
  'Person.double',
  'Person.safe',
]
const isHidden = ({ owner, name }: AttributeModel): boolean =>
  HIDDEN.includes(`${owner.name}.${name}`)
const readers: readonly [string, () => View][] = [
  ['exposedOnly', () => club().view({ exposedOnly: true })],
  ['hides', () => club().view({ hides: isHidden })],
  [
    'both, with rows',
    () =>
      club().view({
        exposedOnly: true,
        hides: isHidden,
        rows: { Person: 'ID > 0', Team: 'ID > 0' },
      }),
  ],
]

const hiddenPaths = [
  ...['wage', 'notes', 'notes.a', 'stamp', 'teamID', 'secret', 'double', 'safe', 'safe.ID'],
  ...['team.name', 'team.people.wage', 'team.people.team.name'],
]
const uses: readonly [string, (view: View, path: string) => unknown][] = [
  ['filter', (view, path) => view.dataClass('Person').query(`ID > 0 and ${path} = 5`)],
  [
    'filter with a placeholder',
    (view, path) => view.dataClass('Person').query(`${path} = :1`, [5]),
  ],
  ['attribute placeholder', (view, path) => view.dataClass('Person').query(':1 = 5', [path])],
  ['null', (view, path) => view.dataClass('Person').query(`${path} = null`)],
  ['filter within', (view, path) => view.dataClass('Person').all().query(`not ${path} = 5`)],
  ['order of a filter', (view, path) => view.dataClass('Person').query(`ID > 0 order by ${path}`)],
  ['order', (view, path) => view.dataClass('Person').all().orderBy(`name, ${path} desc`)],
  ['distinct', (view, path) => view.dataClass('Person').all().distinct(path)],
  ['compute', (view, path) => view.dataClass('Person').all().compute(path)],
  ['countOf', (view, path) => view.dataClass('Person').all().countOf(path)],
  ['select', (view, path) => view.dataClass('Person').all().select(`ID, ${path}, name`)],
  ['json', (view, path) => view.dataClass('Person').all().json(path)],
  ['explain', (view, path) => view.dataClass('Person').explain(`${path} = 5`)],
  ['findBy', (view, path) => view.dataClass('Person').findBy(path, 5)],
  ['valueOf', (view, path) => view.valueOf(view.dataClass('Person').get(1)!, path)],
  ['related', (view, path) => view.related(view.dataClass('Person').get(1)!, path)],
  ['relatedKey', (view, path) => view.relatedKey(view.dataClass('Person').get(1)!, path)],
]

/** The messages of an error and its causes, with hidden and unknown names made equal. */
function reported(ask: () => unknown): string {
  try {
    return JSON.stringify(ask())
  } catch (error) {
    if (!isEntiaError(error)) throw error
    const tell = ({ code, message, details, cause }: EntiaError): unknown => [
      code,
      message,
      details,
      cause && tell(cause as EntiaError),
    ]
    return JSON.stringify(tell(error)).replaceAll(NAMES, '?')
  }
}
const NAMES = /\b(wage|notes|stamp|teamID|secret|double|safe|name|z+)\b/g

test.each(readers)('%s: hidden names get the error of unknown names, in every use', (_, reader) => {
  const view = reader()
  for (const [use, ask] of uses) {
    for (const path of hiddenPaths) {
      // A hidden stamp leaves its name to that of every entity.
      if (path === 'stamp' && (use === 'select' || use === 'json')) continue
      // An unknown name of the same length stands in the same place.
      const unknown = path.replace(/(wage|notes|stamp|teamID|secret|double|safe|name$)/, (name) =>
        'z'.repeat(name.length),
      )
      const hidden = reported(() => ask(view, path))
      expect(hidden, `${use} of ${path}`).toBe(reported(() => ask(view, unknown)))
      expect(hidden, `${use} of ${path}`).toContain('attributeNotFound')
    }
  }
})

test.each(readers)('%s: results leave out hidden names', (_, reader) => {
  const view = reader()
  const people = view.dataClass('Person').all()
  expect(people.select('*')).toEqual([
    { ID: 1, name: 'Ann', teamName: 'Red' },
    { ID: 2, name: 'Bob', teamName: null },
  ])
  expect(people.json()).toBe(
    '[{"ID":1,"name":"Ann","teamName":"Red"},{"ID":2,"name":"Bob","teamName":null}]',
  )
  expect(people.select('team.*, team.people.*')[0]).toEqual({
    team: { ID: 1, budget: 10, people: [{ ID: 1, name: 'Ann', teamName: 'Red' }] },
  })
  // The name of a hidden attribute is free for what every entity has.
  expect(people.select('stamp')).toEqual([{ stamp: 1 }, { stamp: 1 }])
  expect(view.sees(club().catalog.byName.get('Team')!.attributes.get('budget')!)).toBe(true)
})

test('dataclasses that are not exposed are unknown to a view with exposedOnly', () => {
  const store = club()
  const view = store.view({ exposedOnly: true })
  const refusal = (ask: () => unknown) => {
    try {
      return String(ask())
    } catch (error) {
      return String(error)
    }
  }
  expect(refusal(() => view.dataClass('Safe'))).toBe(
    refusal(() => view.dataClass('Nope')).replace('Nope', 'Safe'),
  )
  expect(refusal(() => view.apply(store.Safe.all()))).toBe(refusal(() => view.dataClass('Safe')))
  expect(store.view().dataClass('Safe').count).toBe(1)
})

test('an alias may lead to a hidden attribute, and the plan does not show where', () => {
  const view = club().view({ exposedOnly: true })
  const people = view.dataClass('Person')
  expect(people.query('teamName = red').keys()).toEqual([1])
  const { condition, root } = people.explain('teamName = red and team = 1')
  expect(JSON.stringify({ condition, root })).not.toMatch(/teamID|"name"|Team\.name/)
  expect(JSON.stringify(people.query('teamName = red').orderBy('teamName').explain())).not.toMatch(
    /team\.name|teamID/,
  )
  expect(JSON.stringify(people.plans('team = 1'))).not.toContain('teamID')
  // The error of a wrong value uses the written name.
  expect(() => people.query('team = abc')).toThrow(/"team"/)
})

test('the `hides` function is called once per attribute', () => {
  const asked: string[] = []
  const view = club().view({
    hides: ({ owner, name }) => {
      asked.push(`${owner.name}.${name}`)
      return false
    },
  })
  view.dataClass('Person').query('name = Ann and team.name = Red').select('name, team.name')
  view.dataClass('Person').query('name = Bob').orderBy('team.name, name')
  expect(asked.length).toBe(new Set(asked).size)
})

test('an error of `hides` is passed on, and an unknown option is refused', () => {
  const view = club().view({
    hides: () => {
      throw new Error('no answer')
    },
  })
  expect(() => view.dataClass('Person').query('name = Ann')).toThrow('no answer')
  const store = club()
  const wrong: readonly unknown[] = [
    null,
    { row: {} },
    { exposedOnly: 'yes' },
    { hides: true },
    { rows: { Person: undefined } },
    { rows: { Person: true } },
    { rows: { Person: null } },
    { rows: { Person: { text: 'ID = 1' } } },
    { rows: { Person: 'ID = 1 order by ID' } },
    { rows: { Person: 'nope = 1' } },
    { rows: { Person: 'ID = :1' } },
    { rows: { Nobody: 'ID = 1' } },
    { rows: new Map([['Nobody', false]]) },
  ]
  for (const options of wrong) {
    let refused: unknown
    try {
      store.view(options as never)
    } catch (error) {
      refused = error
    }
    expect(isEntiaError(refused), JSON.stringify(options)).toBe(true)
  }
  const foreign = club()
  expect(() => store.view().apply(foreign.Person.all() as never)).toThrow(/another store/)
  expect(() => store.view().related(foreign.Person.get(1) as AnyEntity, 'team')).toThrow(
    /another store/,
  )
  expect(() => store.view().valueOf({}, 'name')).toThrow(/an entity/)
})

test('a view without restrictions reads what the store reads', () => {
  const store = club()
  const view = store.view()
  const ask = fc.constantFrom(
    'name = Ann',
    'team.name = Red',
    'wage > 1',
    'team = null',
    'teamID = 1',
    'double = 10',
  )
  expect(view.restrictsRows).toBe(false)
  fc.assert(
    fc.property(ask, (text) => {
      expect(view.dataClass('Person').query(text).json()).toBe(store.Person.query(text).json())
      expect(String(view.dataClass('Person').explain(text))).toBe(
        String(store.Person.explain(text)),
      )
    }),
  )
})
