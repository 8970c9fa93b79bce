import { attribute, defineDataClass } from '@entia/core'
import { beforeEach, expect, test } from 'vitest'
import type { SqlConnection, SqlPool } from '../../src/connect/port.ts'
import { migrateDatabase, openSqlStore } from '../../src/index.ts'
import { describeDatabases } from '../database.ts'

const Person = defineDataClass(
  'Person',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    email: attribute.string({ unique: true }),
    city: attribute.string({ indexed: true }),
    age: attribute.long({ notNull: true }),
  },
  {
    functions: {
      ages: {
        on: 'selection',
        run: ({ selection }) => (selection as unknown as People).toArray().map(({ age }) => age),
      },
    },
  },
)
const PEOPLE = 300
/** Entities of one city. */
const CITY = 3
/** Rows that a call may get: those of the city, some of them twice, and those of bookkeeping. */
const MAX_ROWS = 30

/** The pool, with the number of rows that it has answered. */
function counting(pool: SqlPool): { readonly pool: SqlPool; rows: number } {
  const counted = {
    rows: 0,
    pool: {
      prepares: pool.prepares,
      query: async (statement) => {
        const found = await pool.query(statement)
        counted.rows += found.rows.length
        return found
      },
      connect: (body) =>
        pool.connect((connection) => {
          const send: SqlConnection['send'] = async (statements) => {
            const results = await connection.send(statements)
            for (const { rows } of results) counted.rows += rows.length
            return results
          }
          return body({ send })
        }),
      close: () => pool.close(),
    } satisfies SqlPool,
  }
  return counted
}

const open = async (pool: SqlPool, schema: string) => {
  const options = {
    name: 'rows',
    dataClasses: [Person],
    database: pool,
    schema,
    functions: {
      oldest: {
        run: ({ store }: { store: unknown }) => {
          const people = (store as Store).Person.all()
          const found = people.query('city = :1', ['c1'])
          // Members of `people`, and of what narrows it, are those of the moment above.
          const added = (store as Store).Person.insert({ city: 'c1', age: 99 })
          const again = people.query('city = :1', ['c1'])
          ;(store as Store).Person.remove(added.ID)
          return [found.count, again.count, again.query('age < :1', [2]).count]
        },
      },
      chain: {
        run: ({ store }: { store: unknown }, [name]: readonly string[]) =>
          CHAINS[name!]!((store as Store).Person)
            .orderBy('age')
            .toArray()
            .map(({ age }) => age),
      },
      some: {
        run: ({ store }: { store: unknown }, [name]: readonly string[]) =>
          SOME[name!]![0]((store as Store).Person),
      },
      pages: {
        run: ({ store }: { store: unknown }) => {
          let count = 0
          for (let at = 0; at < PEOPLE; at += 10)
            count += agesOf((store as Store).Person.all().orderBy('age').page(at, 10)).length
          return count
        },
      },
      half: {
        // All members of a loop are those of its beginning, whatever its body writes.
        run: ({ store }: { store: unknown }) => {
          const { Person } = store as Store
          let found = 0
          for (const { ID, age } of Person.query('age < 40').orderBy('age')) {
            found++
            if (age % 2 === 0) Person.update(ID, { age: age + 1000 })
            Person.insert({ age: 7 })
          }
          return [found, Person.query('age < 40').count]
        },
      },
    },
  }
  await migrateDatabase(options as never)
  return openSqlStore(options)
}
interface People extends Iterable<{ readonly ID: number; readonly age: number }> {
  readonly count: number
  first(): { readonly ID: number; readonly age: number } | undefined
  page(skip: number, top: number): People
  slice(start: number, end?: number): People
  toArray(): readonly { readonly age: number }[]
  query(filter: string, values?: readonly unknown[]): People
  orderBy(text: string): People
  and(other: People): People
  or(other: People): People
  except(other: People): People
  intersects(other: People): boolean
  clean(): People
}
interface Store {
  readonly Person: {
    all(): People
    query(filter: string, values?: readonly unknown[]): People
    insert(values: object): { readonly ID: number }
    update(key: number, values: object): void
    remove(key: number): void
  }
}

/** Selections of the three people of a city, by way of selections of many more. */
const CHAINS: Readonly<Record<string, (people: Store['Person']) => People>> = {
  'a filter of a filter': (people) => people.query('age >= 0').query('city = "c1"'),
  'an ordered filter of a filter': (people) =>
    people.query('age >= 0 order by age').query('city = "c1"'),
  'a filter of an order': (people) => people.all().orderBy('age desc').query('city = "c1"'),
  'a filter of an order, with an order': (people) =>
    people.query('age >= 0').orderBy('email').query('city = "c1" order by age'),
  'an order of a filter of a filter': (people) =>
    people.query('age >= 0').query('city = "c1"').orderBy('age'),
  'and of two filters': (people) => people.query('age >= 0').and(people.query('city = "c1"')),
  'and of a short list': (people) => {
    const few = people.query('city = "c1"')
    return few.count === CITY ? few.and(people.query('age >= 0')) : few
  },
  'except of two filters': (people) =>
    people.query('age <= 201').except(people.query('not (city = "c1")')),
  'a filter of or': (people) =>
    people.query('age < 150').or(people.query('age >= 100')).query('city = "c1"'),
  'and of or': (people) =>
    people.query('city = "c1"').and(people.query('age < 150').or(people.query('age >= 100'))),
  'or of two filters': (people) =>
    people.query('city = "c1" and age < 150').or(people.query('city = "c1" and age >= 150')),
  'clean of a filter': (people) => people.query('age >= 0').clean().query('city = "c1"'),
  'intersects of two filters': (people) =>
    people.query('age >= 0').intersects(people.query('city = "c1" and age > 200'))
      ? people.query('city = "c1"')
      : people.all(),
}

const agesOf = (people: Iterable<{ readonly age: number }>): number[] =>
  Array.from(people, ({ age }) => age)

/** Some entities of many, and their ages. `age` is also the place in the order of keys. */
const SOME: Readonly<Record<string, readonly [(people: Store['Person']) => unknown, unknown]>> = {
  'the first of all': [(people) => people.all().first()?.age, 0],
  'the first of a filter in an order': [
    (people) => people.query('age >= 0').orderBy('age desc').first()?.age,
    PEOPLE - 1,
  ],
  'a page of all': [(people) => agesOf(people.all().page(100, 3)), [100, 101, 102]],
  'a page of a filter of a filter': [
    (people) => agesOf(people.query('age >= 100').query('age < 280').page(2, 2)),
    [102, 103],
  ],
  'a page in an order by two attributes': [
    (people) => agesOf(people.query('age >= 0').orderBy('city desc, age desc').page(3, 2)),
    [298, 198],
  ],
  'a page of and': [
    (people) => agesOf(people.query('age >= 100').and(people.query('age < 280')).page(1, 2)),
    [101, 102],
  ],
  'a page of except': [
    (people) => agesOf(people.query('age >= 100').except(people.query('age < 280')).page(1, 2)),
    [281, 282],
  ],
  'a page of a page': [(people) => agesOf(people.all().page(50, 100).page(20, 2)), [70, 71]],
  'a slice': [(people) => agesOf(people.all().orderBy('age desc').slice(0, 2)), [299, 298]],
  'a loop that ends early': [
    (people) => {
      let sum = 0
      for (const { age } of people.query('age >= 10').orderBy('age')) {
        sum += age
        if (age === 12) break
      }
      return sum
    },
    33,
  ],
  'pages after writes': [
    (people) => {
      people.update(people.all().first()!.ID, { age: 1000 })
      people.insert({ age: -1 })
      people.remove(people.query('age = 1').first()!.ID)
      people.insert({ age: 999 })
      return [
        agesOf(people.query('age < 5000').orderBy('age').page(0, 3)),
        agesOf(people.all().orderBy('age desc').page(0, 4)),
      ]
    },
    [
      [-1, 2, 3],
      [1000, 999, 299, 298],
    ],
  ],
}

describeDatabases('rows that a decision fetches', { on: 'one' }, (database) => {
  let store: Awaited<ReturnType<typeof open>>
  let counted: ReturnType<typeof counting>
  beforeEach(async () => {
    counted = counting(database.open())
    store = await open(counted.pool, database.newSchema())
    const cities = PEOPLE / CITY
    await store.load(
      'Person',
      Array.from({ length: PEOPLE }, (_, at) => ({
        email: `${at}@example.org`,
        city: `c${at % cities}`,
        age: at,
      })),
    )
    counted.rows = 0
  })

  const shapes: readonly (readonly [string, () => Promise<unknown>, unknown])[] = [
    [
      'a filter by a unique attribute in a transaction',
      () =>
        store.transact(async (tx) => {
          const found = await tx.Person.query`email = ${'7@example.org'}`.first()
          return found?.age
        }),
      7,
    ],
    [
      'find and update in a transaction',
      () =>
        store.transact(async (tx) => {
          const found = await tx.Person.query`city = ${'c1'}`.orderBy('age').toArray()
          await tx.Person.update(found[0]!, { age: 500 })
          return tx.Person.query`city = ${'c1'} and age = ${500}`.count()
        }),
      1,
    ],
    [
      'all() that is filtered twice in a transaction',
      () =>
        store.transact((tx) =>
          tx.Person.all().query`city = ${'c1'}`.query`age > ${150}`.orderBy('age').count(),
        ),
      1,
    ],
    [
      'the sum of a filter in a transaction',
      () => store.transact((tx) => tx.Person.query`city = ${'c1'}`.sum('age')),
      1 + 101 + 201,
    ],
    [
      'remove() of a filter',
      async () => {
        await store.Person.query`city = ${'c1'}`.remove()
        return store.Person.all().count()
      },
      PEOPLE - CITY,
    ],
    [
      'a function on a filtered selection',
      () => store.Person.query`city = ${'c1'}`.call('ages'),
      [1, 101, 201],
    ],
    ['all() that a function filters', () => store.call('oldest'), [3, 3, 1]],
    ...Object.keys(CHAINS).map(
      (name) => [name, () => store.call('chain', [name]), [1, 101, 201]] as const,
    ),
    ...Object.entries(SOME).map(
      ([name, [, found]]) => [name, () => store.call('some', [name]), found] as const,
    ),
    [
      'set operations in a transaction, after a write',
      () =>
        store.transact(async (tx) => {
          await tx.Person.insert({ city: 'c9', age: 1 })
          return tx.Person.all().orderBy('age desc').query`city = ${'c1'}`
            .query`age > ${50}`.toArray()
        }),
      [expect.objectContaining({ age: 201 }), expect.objectContaining({ age: 101 })],
    ],
  ]
  test.each(shapes)('%s: those of the filter', async (_, call, expected) => {
    expect(await call()).toEqual(expected)
    expect(counted.rows).toBeLessThan(MAX_ROWS)
  })

  test('a loop that writes visits what it began with', async () => {
    expect(await store.call('half')).toEqual([40, 60])
  })

  test('code that reads many pages loads all of them in a few runs', async () => {
    expect(await store.call('pages')).toEqual(PEOPLE)
    expect(counted.rows).toBeLessThan(2 * PEOPLE)
  })
})
