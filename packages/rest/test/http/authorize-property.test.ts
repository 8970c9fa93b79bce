import { type AnyDataStore, where } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import {
  type Authorize,
  type AuthorizeAnswer,
  createRestHandler,
  type RestHandler,
} from '../../src/index.ts'
import { createClub, type PersonRow, type TeamRow } from './permitted-model.ts'
import { get } from './send.ts'

// Compares, byte for byte, what the hook hides with what does not exist.

const small = fc.integer({ min: 0, max: 4 })
const word = fc.constantFrom('a', 'b', 'Bc', null)
const teamRows = fc.uniqueArray(
  fc.record<TeamRow>({ ID: fc.integer({ min: 1, max: 4 }), name: word, level: fc.option(small) }),
  { selector: ({ ID }) => ID, minLength: 1, maxLength: 4 },
)
const personRows = fc.uniqueArray(
  fc.record({
    ID: fc.integer({ min: 1, max: 8 }),
    name: word,
    age: fc.option(small),
    wage: fc.option(small),
    team: fc.option(fc.nat(3)),
    boss: fc.option(fc.nat(7)),
  }),
  { selector: ({ ID }) => ID, minLength: 3, maxLength: 8 },
)

/** Relations lead to existing rows. */
const clubs = fc.tuple(teamRows, personRows).map(([teams, drawn]) => {
  const keyAt = (rows: readonly { readonly ID: number }[], at: number | null) =>
    at === null || rows.length === 0 ? null : rows[at % rows.length]!.ID
  const people: readonly PersonRow[] = drawn.map((row) => ({
    ...row,
    team: keyAt(teams, row.team),
    boss: keyAt(drawn, row.boss),
  }))
  return { teams, people }
})

const Person = where({ name: 'Person' })
const teamFilters = fc.constantFrom<AuthorizeAnswer>(
  true,
  false,
  'level > 1',
  'name = a or name = null',
  'people.age > 2',
  'people.boss.team.level > 0',
  'not(people.wage < 3)',
  'size > 1',
  { filter: 'ID in :1', parameters: [[1, 3]] },
)
const personFilters = fc.constantFrom<AuthorizeAnswer>(
  true,
  false,
  'age < 3',
  'name = b or age = null',
  'team.level >= 2',
  'boss.age > 1',
  'not(team = null)',
  'reports.age > 1 or ID = 1',
  'teamName = a',
  { filter: 'label = "a@*"', wildcards: true, collation: 'folded' },
  { filter: 'wage > :low and ID < :high', parameters: { low: 0, high: 7 } },
  Person('wage', '>', 0).and(Person('team.level', 'in', [1, 2])),
)

const conditions = {
  Person: [
    'age > 1',
    'age = null',
    'wage <= 2',
    'name = b',
    'team.name = a',
    'team.level > 1',
    'team = null',
    'team is not null',
    'team = 1',
    'boss.name = b',
    'boss = null',
    'boss.team.people.age > 2',
    'reports.age > 2',
    'reports.team.name = b',
    'teamName = a',
    'teamName = null',
    'bossLevel > 0',
    { filter: 'label = "a@*"', wildcards: true, collation: 'folded' },
    'team.size > 1',
    'not(reports.age < 3)',
    'team.people.reports.wage > 0',
    'nope = 1',
  ],
  Team: [
    'level > 1',
    'name = "b*"',
    'people.age > 1',
    'people.boss.name = a',
    'people.boss = null',
    'not(people.age > 2)',
    'people = null',
    'size > 1',
    'people.teamName = a',
    'people.team.level = 2',
    'people.label = "b@*"',
    'ID in [1, 2]',
  ],
}
const attributes = {
  Person: [
    'name',
    'age',
    'wage',
    'team',
    'boss',
    'reports',
    'teamName',
    'bossLevel',
    'label',
    'team.name',
    'team.*',
    'boss.teamName',
    'boss.team',
    'reports.name',
    'reports.team.level',
    'team.people.age',
    'team.size',
    '*',
    'nope',
  ],
  Team: [
    'name',
    'level',
    'people',
    'size',
    'people.name',
    'people.boss.label',
    'people.*',
    'people.reports',
    '*',
  ],
}
const paths = {
  Person: [
    'Person',
    'Person/name,team',
    'Person(1)/reports',
    'Team(2)/people',
    'Team:name(a)/people',
  ],
  Team: ['Team', 'Team/size,people'],
}
const entities = {
  Person: ['Person(1)', 'Person(2)', 'Person(3)', 'Person:name(a)', 'Person(2)/boss', 'Person(9)'],
  Team: ['Team(1)', 'Team(2)', 'Person(1)/team', 'Person(3)/team', 'Team:level(2)'],
}

type ClassName = 'Person' | 'Team'

/** A request; `{set}` in it stands for the last entity set of that dataclass. */
const request = (className: ClassName, withPlan: boolean): fc.Arbitrary<string> => {
  const condition = fc.constantFrom(...conditions[className])
  const filter = fc.oneof(
    { weight: 2, arbitrary: condition },
    fc
      .tuple(condition, fc.constantFrom(' and ', ' or ', ' except '), condition)
      .map((parts) => parts.join('')),
    condition.map((text) => `not(${text})`),
    fc
      .tuple(condition, fc.constantFrom('name', 'ID desc'))
      .map(([text, order]) => `${text} order by ${order}`),
  )
  const list = fc.uniqueArray(fc.constantFrom(...attributes[className]), {
    minLength: 1,
    maxLength: 3,
  })
  const order = fc.constantFrom(
    ...(className === 'Person'
      ? ['name', 'age desc,ID', 'team.name desc', 'teamName,ID desc', 'label']
      : []),
    ...(className === 'Team' ? ['level', 'name desc,ID', 'size'] : []),
  )
  const expand = fc.constantFrom(
    ...(className === 'Person'
      ? ['team', 'reports', 'boss.team,reports.reports', 'team.people', '$all']
      : []),
    ...(className === 'Team' ? ['people', 'people.boss', '$all'] : []),
  )
  const value = fc.constantFrom(
    ...(className === 'Person'
      ? ['age', 'wage', 'name', 'teamName', 'bossLevel', 'label', 'team.level']
      : []),
    ...(className === 'Team' ? ['level', 'name', 'size'] : []),
  )
  const common = [
    filter.map((text) => `$filter="${text}"`),
    order.map((text) => `$orderby=${text}`),
    fc.constantFrom('$top=2', '$skip=1', '$skip=1&$top=2'),
    ...(withPlan ? [fc.constant('$queryplan=true')] : []),
  ]
  const shown = [
    list.map((names) => `$attributes=${names.join(',')}`),
    expand.map((names) => `$expand=${names}`),
  ]
  const kept = fc.constantFrom('$method=entityset', '$clean=true', '$asArray=true')
  const combined = fc
    .constantFrom('AND', 'OR', 'EXCEPT', 'INTERSECT')
    .map((operator) => `$logicOperator=${operator}&$otherCollection={other}`)
  const some = (options: readonly fc.Arbitrary<string>[]) =>
    fc
      .tuple(
        ...options.map((each) =>
          fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: each }),
        ),
      )
      .map((texts) => texts.filter((text) => text !== null))
  const page = fc.constantFrom(...paths[className])
  const set = fc.constant(`${className}/$entityset/{set}`)
  const many = fc.oneof({ weight: 3, arbitrary: page }, { weight: 2, arbitrary: set })
  return fc
    .oneof(
      fc.tuple(many, some([...common, ...shown, kept])),
      fc.tuple(set, some([...common, combined])),
      fc.tuple(fc.constantFrom(...entities[className]), some([shown[0]!, shown[1]!])),
      fc
        .tuple(
          many,
          value,
          fc.constantFrom('$compute=$all', '$compute=sum', '$compute=count', '$distinct=true'),
          some([common[0]!]),
        )
        .map(([path, name, what, rest]) => [path, [`$attributes=${name}`, what, ...rest]] as const),
      fc
        .tuple(
          many,
          fc.uniqueArray(value, { minLength: 1, maxLength: 2 }),
          value,
          fc.constantFrom('', '$having=count > 1', '$orderby=count desc'),
          some([common[0]!]),
        )
        .map(([path, names, other, what, rest]) => {
          const list = names.includes(other) ? 'count' : `count,${other}.max,${other}.count`
          const given = [`$groupby=${names}`, `$aggregates=${list}`, what, ...rest]
          return [path, given.filter((each) => each !== '')] as const
        }),
      fc
        .tuple(many, some([...common, list.map((names) => `$attributes=${names.join(',')}`)]))
        .map(([path, rest]) => [path, ['$format=dashboard', ...rest]] as const),
      fc
        .constantFrom(
          ...(className === 'Person'
            ? ['Person(1)/reports', 'Person(2)/reports']
            : ['Team(1)/people']),
        )
        .map(
          (path) =>
            [
              path,
              [`$expand=${path.split('/')[1]}`, '$method=subentityset', '$subOrderby=name'],
            ] as const,
        ),
    )
    .map(
      ([path, parameters]) =>
        `/rest/${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`,
    )
}
const requests = (withPlan: boolean) =>
  fc.array(
    fc
      .constantFrom<ClassName>('Person', 'Team')
      .chain((className) => fc.tuple(fc.constant(className), request(className, withPlan))),
    { minLength: 1, maxLength: 6 },
  )

/** Sends requests one after the other; both sides issue the same ids of entity sets. */
async function answers(
  rest: RestHandler,
  asked: readonly (readonly [ClassName, string])[],
): Promise<readonly string[]> {
  const sets = new Map<ClassName, readonly string[]>()
  const reported: string[] = []
  for (const [className, template] of asked) {
    const known = sets.get(className) ?? []
    const url = template
      .replace('{set}', known.at(-1) ?? '$none')
      .replace('{other}', known.at(-2) ?? '$none')
    const reply = await get(rest, url)
    reported.push(
      `${url} ${reply.status} ${reply.text.replace(/"__GlobalStamp":\d+/g, '"__GlobalStamp":0')}`,
    )
    const id = /"__ENTITYSET":"\/rest\/(\w+)\/[^"]*\/(\w+)"/.exec(reply.text)
    if (id !== null) sets.set(id[1] as ClassName, [...(sets.get(id[1] as ClassName) ?? []), id[2]!])
  }
  return reported
}

test(
  'hidden rows are answered like missing rows by every kind of read',
  async () => {
    const often = runs(400)
    let shown = 0
    await fc.assert(
      fc.asyncProperty(
        clubs,
        teamFilters,
        personFilters,
        requests(false),
        async (club, teamRule, personRule, asked) => {
          const store = createClub(club.teams, club.people)
          const untyped: AnyDataStore = store
          const rules = new Map<string | null, AuthorizeAnswer>([
            ['Team', teamRule],
            ['Person', personRule],
          ])
          const authorize: Authorize = ({ dataClass, action, attribute }) =>
            action === 'read' && attribute === undefined ? rules.get(dataClass)! : true
          const seen = (className: ClassName) => {
            const rule = rules.get(className)!
            if (typeof rule === 'boolean')
              return new Set(rule ? store.dataClass(className).all().keys() : [])
            const table = untyped.dataClass(className)
            if (typeof rule === 'string' || 'text' in rule) return new Set(table.query(rule).keys())
            return new Set(table.query(rule.filter, rule.parameters).keys())
          }
          const [teams, people] = [seen('Team'), seen('Person')]
          const ifIn = (keys: ReadonlySet<unknown>, key: number | null) =>
            key !== null && keys.has(key) ? key : null
          const without = createClub(
            club.teams.filter(({ ID }) => teams.has(ID)),
            club.people
              .filter(({ ID }) => people.has(ID))
              .map((row) => ({
                ...row,
                team: ifIn(teams, row.team),
                boss: ifIn(people, row.boss),
              })),
          )
          // No means 403 for the dataclass itself: what can be compared is what shows through the
          // other one.
          const comparable = asked.filter(([, url]) => {
            const owner = /^\/rest\/(\w+)/.exec(url)?.[1]
            return rules.get(owner ?? null) !== false
          })
          const expected = await answers(createRestHandler(without), comparable)
          shown += expected.filter((text) => text.includes(' 200 ')).length
          expect(await answers(createRestHandler(store, { authorize }), comparable)).toEqual(
            expected,
          )
        },
      ),
      often,
    )
    expect(shown).toBeGreaterThan(often.numRuns / 2)
  },
  patience.timeout,
)

const hideable = [
  'Team',
  'Team.name',
  'Team.level',
  'Team.people',
  'Team.size',
  'Person',
  'Person.name',
  'Person.age',
  'Person.wage',
  'Person.team',
  'Person.boss',
  'Person.reports',
  'Person.teamName',
  'Person.bossLevel',
  'Person.label',
]

test(
  'hidden attributes and dataclasses are answered like those that are not exposed',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        clubs,
        fc.uniqueArray(fc.constantFrom(...hideable), { minLength: 1, maxLength: 4 }),
        requests(true),
        async ({ teams, people }, names, asked) => {
          const hidden = new Set(names)
          const authorize: Authorize = ({ dataClass, action, attribute }) =>
            !(action === 'describe' && hidden.has(dataClass!)) &&
            !(
              action === 'read' &&
              attribute !== undefined &&
              hidden.has(`${dataClass}.${attribute}`)
            )
          const all = [
            ...asked,
            ['Team', '/rest/$catalog'],
            ['Team', '/rest/$catalog/$all'],
          ] as const
          const expected = await answers(createRestHandler(createClub(teams, people, hidden)), all)
          expect(
            await answers(createRestHandler(createClub(teams, people), { authorize }), all),
          ).toEqual(expected)
        },
      ),
      runs(300),
    )
  },
  patience.timeout,
)
