import type { GroupAggregates, GroupPage, Page } from '@entia/core'
import { type Access, copyOf, LocalProjection, type LocalSelection } from '@entia/core/internal'
import type { FilterParts } from '@entia/core/query'
import type { Aggregates } from '@entia/engine'
import { repeated, withPublicErrors } from '../engine/bounded-calls.ts'
import { askAll } from '../read/ask-all.ts'
import type { EntityQuerySql } from '../read/entity-query-sql.ts'
import { pageRows } from '../read/page-rows.ts'
import { groupQuestion } from '../read/read-groups.ts'
import { aggregateQuestion, distinctQuestion } from '../read/read-values.ts'
import type { Sql } from '../sql-builder/sql.ts'
import type { Question } from '../translate/aggregate-sql.ts'
import { asked, filterText, type Reading, selectionOver, setsOf } from './described.ts'
import type { AsyncPort } from './sql-user.ts'

/** A selection over a working store; its items are typed by the interface. */
export type Local = LocalSelection

/** Reads by core's own code, which loads the entities that it needs: at most `maxResidualRows`. */
export function readLocally<R>(
  { runs, described }: Reading,
  read: (found: Local, access: Access) => Promise<R>,
): Promise<R> {
  return runs.read({ sets: setsOf(described) }, (access) =>
    read(selectionOver(access, described) as Local, access),
  )
}

/**
 * A page. The database finds its rows; core copies them, over a working store that holds them.
 * Cost: two round trips at most for stored attributes, and the columns of whole entities.
 */
export async function readPage<E>(reading: Reading, skip: number, top: number): Promise<Page<E>> {
  const { runs, described } = reading
  const { port } = runs
  const { dataClass, paths } = described
  const projection = paths === null ? null : new LocalProjection(paths, dataClass)
  const window = { skip, top }
  const rows =
    port === null
      ? null
      : pageRows(
          port.context,
          (await asked(port, await runs.session(), described, {}, window)).asked,
          window,
        )
  if (rows === null)
    return readLocally(reading, (found) => found.page(skip, top)) as Promise<Page<E>>
  return runs.read({ first: rows }, ({ store }) => {
    const { count, keys } = rows.members()
    const table = store.dataClass(dataClass.name)
    const items: readonly object[] =
      projection === null
        ? keys.map((key) => copyOf(table.get(key)!, dataClass))
        : projection.rows(table.from(keys))
    return { count, skip, entities: items as readonly E[] }
  })
}

/** Undefined if the values have no SQL. Throws the errors of the path. */
export async function readAggregates(
  reading: Reading,
  path: string,
  action: 'sum' | 'average' | 'min' | 'max',
): Promise<Aggregates | undefined> {
  return ask(reading, (port, members) =>
    aggregateQuestion(port.context, members, path, { action, distinct: false }),
  )
}

/** As `readAggregates`. */
export function readDistinct(
  reading: Reading,
  path: string,
): Promise<readonly unknown[] | undefined> {
  return ask(reading, (port, members) =>
    distinctQuestion(port.context, members, path, {
      descending: false,
      skip: 0,
      top: Number.MAX_SAFE_INTEGER,
    }),
  )
}

/** What groups are made of. */
export interface DescribedGroups {
  readonly attributes: string
  readonly aggregates: GroupAggregates
  readonly condition: FilterParts | null
  readonly orderBy: string | null
}

/** As `readAggregates`. */
export async function readGroups(
  reading: Reading,
  { attributes, aggregates, condition, orderBy }: DescribedGroups,
  skip: number,
  top: number,
): Promise<GroupPage<unknown> | undefined> {
  const found = await ask(reading, (port, members) =>
    groupQuestion(port.context, members, {
      attributes: [attributes],
      aggregates,
      having: filterText(condition),
      groupOrder: orderBy,
      skip,
      top,
    }),
  )
  return found && { count: found.count, skip, groups: found.rows }
}

/** Asks one question about the members: one round trip, and one for an entity set. */
async function ask<A>(
  { runs, described }: Reading,
  questionOf: (
    port: AsyncPort,
    members: EntityQuerySql & { readonly where: Sql },
  ) => Question<A> | null,
): Promise<A | undefined> {
  const { port } = runs
  if (port === null) return undefined
  const whole = await asked(port, await runs.session(), described, {}, null)
  const { where } = whole.asked
  if (where === null) return undefined
  const question = questionOf(port, { ...whole.asked, where })
  if (question === null) return undefined
  const ask = () => askAll(port.context, [question])
  return (await withPublicErrors(() => repeated(null, ask))).answers[0]
}
