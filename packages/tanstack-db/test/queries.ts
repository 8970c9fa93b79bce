import type { Untyped } from '@entia/core'
import {
  and,
  type Collection,
  createLiveQueryCollection,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  like,
  lt,
  lte,
  not,
  or,
} from '@tanstack/db'
import fc from 'fast-check'

type Any = Untyped

/** A condition of TanStack DB, and the same in the filter language if both compare alike. */
interface Tested {
  readonly where: (row: Any) => Any
  readonly filter: string | null
}

const NAMES = ['Ann', 'ann', 'Änn', 'Zoe', 'æ'] as const
const MOMENTS = ['2020-01-01T00:00:00.000Z', '2021-06-01T12:30:00.000Z'] as const
export const DAYS = ['2020-01-01', '2021-06-01', '2022-02-02'] as const
const salary = fc.nat(4)

const compared = (
  functions: readonly (readonly [(a: Any, b: Any) => Any, string])[],
  name: string,
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<Tested> =>
  fc
    .tuple(fc.constantFrom(...functions), value, fc.boolean())
    .map(([[fn, sign], given, isTurned]) => ({
      where: (row: Any) => (isTurned && fn === eq ? fn(given, row[name]) : fn(row[name], given)),
      filter: `${name} ${sign} ${typeof given === 'string' ? `'${given}'` : given}`,
    }))

const RANGES = [
  [eq, '==='],
  [gt, '>'],
  [gte, '>='],
  [lt, '<'],
  [lte, '<='],
] as const

const leaf: fc.Arbitrary<Tested> = fc.oneof(
  compared(RANGES, 'salary', salary),
  compared(RANGES, 'hired', fc.constantFrom(...DAYS)),
  compared(RANGES, 'seen', fc.constantFrom(...MOMENTS)),
  compared([[eq, '===']], 'active', fc.boolean()),
  fc.constant({ where: (row: Any) => row.active, filter: 'active' }),
  fc.constant({ where: (row: Any) => isNull(row.employer), filter: 'employer = null' }),
  fc.constant({ where: (row: Any) => not(isNull(row.salary)), filter: 'salary != null' }),
  salary.map((key) => ({
    where: (row: Any) => eq(row.employer.key, key),
    filter: `employer = ${key}`,
  })),
  fc.array(salary, { maxLength: 3 }).map((list) => ({
    where: (row: Any) => inArray(row.salary, list),
    filter: list.length === 0 ? 'ID = null' : `salary in [${list.join(', ')}]`,
  })),
  // The server folds texts.
  {
    weight: 4,
    arbitrary: fc.constantFrom(...NAMES).map((name) => ({
      where: (row: Any) => not(eq(row.name, name)),
      filter: null,
    })),
  },
  fc
    .constantFrom(...NAMES)
    .map((name) => ({ where: (row: Any) => eq(row.name, name), filter: null })),
  fc
    .constantFrom(...NAMES)
    .map((name) => ({ where: (row: Any) => gt(row.name, name), filter: null })),
  fc
    .constantFrom('A%', 'a%', '%n', '_nn', 'Ä%')
    .map((pattern) => ({ where: (row: Any) => like(row.name, pattern), filter: null })),
  fc.constant({ where: (row: Any) => inArray(row.name, ['Ann', 'Bob']), filter: null }),
  // What the filter language could say only in another way.
  fc.constant({ where: (row: Any) => eq(row.notes.floor, 1), filter: null }),
)

const condition: fc.Arbitrary<Tested> = fc.letrec<{ readonly tree: Tested }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: leaf },
    // Of a value that is null, neither a condition nor its opposite is true in TanStack DB.
    {
      weight: 1,
      arbitrary: tie('tree').map(({ where }) => ({
        where: (row: Any) => not(where(row)),
        filter: null,
      })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('and' as const, 'or' as const), tie('tree'), tie('tree'))
        .map(([joint, a, b]) => ({
          where: (row: Any) => (joint === 'and' ? and : or)(a.where(row), b.where(row)),
          filter:
            a.filter === null || b.filter === null ? null : `(${a.filter}) ${joint} (${b.filter})`,
        })),
    },
  ),
})).tree

export interface Query {
  readonly condition: Tested
  readonly orderBy: 'salary' | 'hired' | 'seen' | 'name' | null
  readonly direction: 'asc' | 'desc'
  readonly nulls: 'first' | 'last'
  /** Null without a limit. */
  readonly page: { readonly offset: number; readonly limit: number } | null
}
export const query: fc.Arbitrary<Query> = fc.record({
  condition,
  orderBy: fc.constantFrom(
    'salary' as const,
    'salary' as const,
    'hired' as const,
    'seen' as const,
    'name' as const,
    null,
  ),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
  nulls: fc.constantFrom('first' as const, 'last' as const),
  page: fc.option(fc.record({ offset: fc.nat(3), limit: fc.integer({ min: 1, max: 4 }) })),
})

/** The live query of a collection. */
export function liveQuery(collection: Any, asked: Query): Collection<Any, Any> {
  const { condition, orderBy, direction, nulls, page } = asked
  return createLiveQueryCollection((q: Any) => {
    let built = q.from({ row: collection }).where(({ row }: Any) => condition.where(row))
    if (orderBy === null) return built
    built = built
      .orderBy(({ row }: Any) => row[orderBy], { direction, nulls })
      .orderBy(({ row }: Any) => row.ID)
    return page === null ? built : built.offset(page.offset).limit(page.limit)
  }) as Any
}

/** The page of the server; null for what it compares or orders in another way. */
export function serverAnswer(table: Any, asked: Query): readonly string[] | null {
  const { condition, orderBy, direction, nulls, page } = asked
  if (condition.filter === null || orderBy === 'name') return null
  const found = table.query(condition.filter)
  if (orderBy === null) return [...found.keys()].sort()
  if (nulls !== (direction === 'asc' ? 'first' : 'last')) return null
  const ordered = found.orderBy(`${orderBy} ${direction}, ID`)
  return (page === null ? ordered : ordered.page(page.offset, page.limit))
    .toArray()
    .map(({ ID }: Any) => ID)
}
