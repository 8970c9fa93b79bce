import type { Condition } from '@entia/core'
import type { LoadSubsetOptions } from '@tanstack/db'
import type { Conditions, Filter, ValueForm } from './filter.ts'
import type { Source } from './source.ts'
import { truthOf, valueIn } from './truth.ts'

/** Forms whose order is the same in rows and on the server. */
const ORDERED: ReadonlySet<ValueForm> = new Set(['number', 'day', 'moment'])
/** The largest page that is read to find the end of a window. */
const LARGEST_PAGE = 1000

/**
 * The condition of the entities that a request of TanStack DB needs. Of an ordered request with a
 * limit these are all entities up to the last that the limit reaches, with those of equal values.
 * An order that the server does not have needs all entities that match.
 */
export async function conditionFor(
  { where, orderBy, limit, offset = 0, cursor, signal }: LoadSubsetOptions,
  filter: Filter,
  conditions: Conditions,
  source: Source,
): Promise<Condition> {
  const matching = filter.of(where)
  const after = cursor === undefined ? matching : matching.and(filter.of(cursor.whereFrom))
  const all =
    cursor === undefined
      ? matching
      : matching.and(conditions.or(filter.of(cursor.whereFrom), filter.of(cursor.whereCurrent)))
  const [first] = orderBy ?? []
  const term = filter.term(first?.expression)
  if (limit === undefined || first === undefined || term === null || !ORDERED.has(term[1]))
    return all
  const [path] = term
  const tests = [where, cursor?.whereFrom].filter((each) => each !== undefined)
  const { direction, nulls } = first.compareOptions
  const present = after.and(conditions(path, '!==', null))
  let missing = limit + (cursor === undefined ? offset : 0)
  const size = Math.min(LARGEST_PAGE, Math.max(1, missing))
  for (let skip = 0; ; skip += size) {
    signal?.throwIfAborted()
    const rows = await source.page(present, `${path} ${direction}`, skip, size)
    const truths = rows.map((row) => tests.map((test) => truthOf(test, row)))
    if (truths.flat().includes(undefined)) return all
    const last = rows.find((_, at) => truths[at]!.every((truth) => truth) && --missing <= 0)
    if (last !== undefined) {
      const value = valueIn(first.expression, last) as string | number
      const reached = conditions(path, direction === 'asc' ? '<=' : '>=', value)
      return all.and(
        nulls === 'first' ? conditions.or(reached, conditions(path, '===', null)) : reached,
      )
    }
    if (rows.length < size) return all
  }
}
