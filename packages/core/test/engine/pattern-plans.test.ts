import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import type { ConditionNode } from '../../src/model/explain-types.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true }),
  email: attribute.string({ unique: true }),
  staff: attribute.relatedEntities('Person', 'employer'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  email: attribute.string({ unique: true }),
  name: attribute.string({ indexed: true }),
  city: attribute.string(),
  employer: attribute.relatedEntity('Company'),
})

const store = createDataStore({ name: 'people', dataClasses: [Company, Person] })
store.Company.load(
  Array.from({ length: 100 }, (_, ID) => ({ ID, email: `office${ID}@example.com` })),
)
store.Person.load(
  Array.from({ length: 2000 }, (_, ID) => ({
    ID,
    email: `person${ID}@example.com`,
    name: `Name ${ID % 400}`,
    city: `City ${ID % 7}`,
    employer: ID % 100,
  })),
)

const planOf = (filter: string): string =>
  String(store.Person.explain(filter)).split('\n').slice(1).join('\n')

describe('the plan of a pattern', () => {
  test.each([
    [
      "email = 'person77@example.com'",
      `filter  Person.email = 'person77@example.com'  (about 11 rows)
└─ indexRange  Person.email = 'person77@' [index Person.email]  (about 11 rows)`,
    ],
    ["name = 'name 39@'", "indexRange  Person.name = 'name 39@' [index Person.name]  (55 rows)"],
    [
      "email in ['person77@com', 'person8@org', 'x']",
      `filter  Person.email in ['person77@com', 'person8@org', 'x']  (about 122 rows)
└─ indexRange  Person.email in ['person77@', 'person8@', 'x'] [index Person.email]  (about 122 rows)`,
    ],
    [
      "email = 'person77@com' and city = 'city 3'",
      `filter  Person.city = 'city 3'  (about 11 rows)
└─ filter  Person.email = 'person77@com'  (about 11 rows)
   └─ indexRange  Person.email = 'person77@' [index Person.email]  (about 11 rows)`,
    ],
    [
      "employer.email = 'office7@example.com'",
      `semiJoinForward  Person.employer in Company (posting lists of the foreign key) [index Person.employer]  (about 220 rows)
└─ filter  Company.email = 'office7@example.com'  (about 11 rows)
   └─ indexRange  Company.email = 'office7@' [index Company.email]  (about 11 rows)`,
    ],
    [
      "email != 'person77@com'",
      `complement  Person  (about 1989 rows)
└─ union  Person  (about 11 rows)
   ├─ keyLookup  Person.email is null [index Person.email]  (0 rows)
   └─ filter  Person.email = 'person77@com'  (about 11 rows)
      └─ indexRange  Person.email = 'person77@' [index Person.email]  (about 11 rows)`,
    ],
    ["email = '@example.com'", "scan  Person.email = '@example.com'  (about 500 rows)"],
    ["email in ['person1', '@com']", "scan  Person.email in ['person1', '@com']  (about 500 rows)"],
  ])('%s', (filter, plan) => {
    expect(planOf(filter)).toBe(plan)
  })

  test('reads only the texts with its beginning', () => {
    const { root } = store.Person.query("email = 'person77@5@'").explain()
    expect([root.actualRows, root.inputs[0]?.actualRows]).toEqual([1, 11])
  })

  test.each([
    ["email = 'person7@com'", true],
    ["email != 'person7@com'", true],
    ["email in ['person7@com', 'x']", true],
    ["email = '@com'", false],
    ["email in ['@com', 'x']", false],
    ["city = 'C@3'", false],
  ])('names the index that answers %s: %s', (filter, isNamed) => {
    const condition = store.Person.query(filter).condition() as Extract<
      ConditionNode,
      { readonly kind: 'comparison' }
    >
    expect(condition.index !== null).toBe(isNamed)
  })
})

test('ten thousand addresses are looked up; each selects the texts with its beginning and end', () => {
  const addresses = Array.from({ length: 10_000 }, (_, i) => `person${i * 20}@example.com`)
  const { root } = store.Person.query('email in :1', [addresses]).explain()
  expect([root.actualRows, root.inputs[0]?.index]).toEqual([181, 'Person.email'])
})
