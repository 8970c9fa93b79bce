import type { AggregateName } from '@entia/core'
import type { AggregatedPath, GroupTable } from '@entia/core/internal'
import { grouped } from '../grouped.ts'
import { joined, listed, type Sql, SqlName, sql } from '../sql-builder/sql.ts'
import {
  bitsOf,
  exponentOf,
  type Question,
  significandOf,
  sumOfSignificands,
} from './aggregate-sql.ts'
import { named, numbered } from './each-value.ts'
import { groupBySql } from './group-by-sql.ts'
import {
  type AskedGroups,
  eachOnce,
  groupMembers,
  keyColumn,
  shownColumn,
  termColumn,
} from './group-members-sql.ts'
import { isNumeric, isWhole, propertyColumns, shownTerm, shownValue } from './values-sql.ts'

/**
 * The groups of some entities with their aggregates, in the order of their values. Conditions on
 * groups, orders and pages of them are those of core (`applyStep`). One statement; null if a path
 * has no SQL. Cost: a scan of the members (`groupBySql`), else a sort of them.
 */
export function groupSql(asked: AskedGroups): Question<GroupTable> | null {
  return groupBySql(asked) ?? rankedGroups(asked)
}

/** Elements of properties are members of several groups, and equal texts have several spellings. */
function rankedGroups(asked: AskedGroups): Question<GroupTable> | null {
  const { terms, aggregated } = asked.grouping
  const members = groupMembers(asked)
  if (members === null) return null
  const shown = listed(terms.map((_, at) => sql`${termColumn(at)}`))
  const parts = [
    sql`SELECT 't' AS part, g, json_build_array(${shown})::text AS found FROM (SELECT DISTINCT ON (g) * FROM members ORDER BY g, i) AS firsts`,
    sql`SELECT 'n', g, count(*)::text FROM members GROUP BY g`,
    ...aggregated.flatMap((path, at) => aggregateParts(path, at)),
  ]
  return {
    select: sql`WITH members AS MATERIALIZED (${members}) ${joined(parts, sql` UNION ALL `)}`,
    answer: (rows) => groupTable(asked, rows),
  }
}

const wants = ({ functions }: AggregatedPath, ...names: readonly AggregateName[]): boolean =>
  functions.some((each) => names.includes(each))

/** What is computed of one path: counts, sums by exponent, and the ends. */
function aggregateParts(path: AggregatedPath, at: number): readonly Sql[] {
  const { from, keys, isWhole } = valuesOf(path, at)
  const by = listed(keys)
  const part = (letter: string): Sql => sql`${`${letter}${at}`}::text`
  const distinct = keys.length === 1 ? sql`DISTINCT ${by}` : sql`DISTINCT (${by})`
  const counted = wants(path, 'countDistinct') ? sql`count(${distinct})` : sql`0`
  const parts = [
    sql`SELECT ${part('c')}, g, json_build_array(count(*), ${counted})::text FROM ${from} GROUP BY g`,
  ]
  if (wants(path, 'sum', 'average')) {
    const bits = sql`bits`
    parts.push(
      isWhole
        ? sql`SELECT ${part('s')}, g, json_build_array(0, sum(number)::text, count(number))::text FROM ${from} GROUP BY g`
        : sql`SELECT ${part('s')}, g, json_build_array(${exponentOf(bits)}, sum(${significandOf(bits)})::text, count(*))::text FROM (SELECT g, ${bitsOf(sql`number`)} AS bits FROM ${from} WHERE number IS NOT NULL) AS doubles GROUP BY g, ${exponentOf(bits)}`,
    )
  }
  const end = (letter: string, direction: Sql): Sql => {
    const order = keys.map((key) => sql`${key} ${direction}`)
    return sql`(SELECT DISTINCT ON (g) ${part(letter)}, g, json_build_array(shown)::text FROM ${from} ORDER BY g, ${listed(order)}, i)`
  }
  if (wants(path, 'min')) parts.push(end('l', sql`ASC`))
  if (wants(path, 'max')) parts.push(end('h', sql`DESC`))
  return parts
}

/** The values of a path with their groups. */
function valuesOf(
  { path: { attribute, properties } }: AggregatedPath,
  at: number,
): { readonly from: Sql; readonly keys: readonly Sql[]; readonly isWhole: boolean } {
  const key = sql`${keyColumn(at)}`
  const shown = sql`${shownColumn(at)}`
  if (properties.length > 0) {
    const element = new SqlName('element')
    const { keys, number } = propertyColumns(element)
    const columns = keys.map((each, place) => sql`${each} AS ${numbered('k', place)}`)
    const elements = eachOnce({ folded: key, written: shown })
    return {
      from: sql`(SELECT g, i, ${listed(columns)}, ${element}.shown::text AS shown, ${number ?? sql`NULL`} AS number FROM members CROSS JOIN LATERAL ${elements} AS ${element}) AS each_value`,
      keys: named('k', keys.length),
      isWhole: false,
    }
  }
  const number = attribute.kind === 'storage' && isNumeric(attribute) ? shown : sql`NULL`
  return {
    from: sql`(SELECT g, i, ${key} AS k0, ${shown} AS shown, ${number} AS number FROM members WHERE ${key} IS NOT NULL) AS each_value`,
    keys: [sql`k0`],
    isWhole: isWhole(attribute),
  }
}

/** What the database found, by part and number of the group. */
type Found = ReadonlyMap<string, readonly (readonly unknown[])[]>

function groupTable({ grouping }: AskedGroups, rows: readonly (readonly unknown[])[]): GroupTable {
  const { terms, isCounted, aggregated } = grouping
  const found = grouped(rows, ([part, group]) => `${part} ${group}`)
  const count = rows.filter(([part]) => part === 'n').length
  const groups = Array.from({ length: count }, (_, at) => at + 1)
  const first = groups.map((group) => parsed(found, 't', group)[0] as readonly unknown[])
  const columns: unknown[][] = terms.map((term, at) =>
    first.map((values) => shownTerm(term, values[at])),
  )
  if (isCounted) columns.push(groups.map((group) => parsed(found, 'n', group)[0]))
  for (const [at, path] of aggregated.entries())
    for (const name of path.functions)
      columns.push(groups.map((group) => aggregateOf(found, path, at, name, group)))
  return { count, columns, plan: { kind: 'columns' } }
}

const parsed = (found: Found, part: string, group: number): readonly unknown[] =>
  (found.get(`${part} ${group}`) ?? []).map(([, , text]) => JSON.parse(String(text)))

function aggregateOf(
  found: Found,
  { path }: AggregatedPath,
  at: number,
  name: AggregateName,
  group: number,
): unknown {
  const parts = (letter: string) =>
    parsed(found, `${letter}${at}`, group) as readonly (readonly unknown[])[]
  const [count = 0, distinct = 0] = parts('c')[0] ?? []
  switch (name) {
    case 'count':
      return Number(count)
    case 'countDistinct':
      return Number(distinct)
    case 'min':
      return shownValue(path, parts('l')[0]?.[0])
    case 'max':
      return shownValue(path, parts('h')[0]?.[0])
    default: {
      const sums = parts('s')
      const numbers = sums.reduce((all, [, , n]) => all + Number(n), 0)
      // The sum of a property is known only if every value is a number.
      if (numbers !== Number(count)) return null
      const sum = isWhole(path.attribute)
        ? Number(BigInt(String(sums[0]?.[1] ?? 0)))
        : sumOfSignificands(sums)
      if (name === 'sum') return sum
      return numbers === 0 ? null : sum / numbers
    }
  }
}
