import type { AggregateName } from '@entia/core'
import type { AggregatedPath, GroupTable } from '@entia/core/internal'
import { listed, Sql, SqlName, sql } from '../sql-builder/sql.ts'
import {
  bitsOf,
  exponentOf,
  type Question,
  significandOf,
  sumOfSignificands,
} from './aggregate-sql.ts'
import { numbered } from './each-value.ts'
import {
  type AskedGroups,
  aggregatedValue,
  type GroupColumns,
  termValue,
} from './group-members-sql.ts'
import { Joins } from './joins.ts'
import { columnOf, fromPlace, type Place, recordAt, rootPlace } from './place.ts'
import { isNumeric, isWhole, shownTerm, shownValue } from './values-sql.ts'

/** The value of an attribute that groups have in common. */
interface Term extends GroupColumns {
  /** Members of a group may spell it in several ways: the first one of them shows. */
  readonly hasSpellings: boolean
}

/** An aggregated path of a table. */
interface Aggregated extends GroupColumns {
  readonly path: AggregatedPath
  /** How its numbers are added up; null where no sum is asked for. */
  readonly sum: 'whole' | 'double' | null
}

const FIRST = new SqlName('first')
const MEMBERS = new SqlName('n')
const EXPONENT = new SqlName('e')

/**
 * The groups of some entities as a GROUP BY of the database, in the order of their values. Null
 * unless attributes and paths are stored values of the dataclass or behind to-one relations, at
 * most one of which are doubles to add up, and no least or greatest text has several spellings.
 * Cost: a scan of the members.
 */
export function groupBySql(asked: AskedGroups): Question<GroupTable> | null {
  const { model, members, grouping, rowsOf } = asked
  const { dataClass, terms: paths, aggregated: wanted } = grouping
  const joins = new Joins(model, dataClass, rowsOf, sql`LEFT JOIN`)
  const terms: Term[] = []
  for (const path of paths) {
    const { attribute } = path.path
    const place = path.steps.every(isToOne) ? joins.to(path.steps) : null
    if (place === null || attribute.kind !== 'storage' || attribute.type === 'object') return null
    const hasSpellings = path.span === null && isSpelled(place, attribute)
    terms.push({ ...termValue(place, attribute, path), hasSpellings })
  }
  const aggregated: Aggregated[] = []
  for (const path of wanted) {
    const place = path.steps.every(isToOne) ? joins.to(path.steps) : null
    const found = place === null ? null : aggregatedPath(place, path)
    if (found === null) return null
    aggregated.push(found)
  }
  const doubles = aggregated.filter(({ sum }) => sum === 'double')
  const isCounted = wanted.some(({ functions }) => functions.includes('countDistinct'))
  if (doubles.length > 1 || (doubles.length > 0 && isCounted)) return null

  const keys = terms.map((_, at) => numbered('k', at))
  const found = [
    ...terms.map(({ key }, at) => sql`${key} AS ${keys[at]!}`),
    sql`min(${recordAt(rootPlace(model, dataClass))}) AS ${FIRST}`,
    sql`count(*) AS ${MEMBERS}`,
    ...aggregated.flatMap((path, at) =>
      aggregates(path).map(([letter, select]) => sql`${select} AS ${numbered(letter, at)}`),
    ),
  ]
  const from = sql`FROM ${members.from} ${joins.sql} WHERE ${members.where}`
  const number = doubles[0]?.shown
  const exponent = number === undefined ? [] : [exponentOf(bitsOf(number))]
  const partial = exponent.map((each) => sql`${each} AS ${EXPONENT}`)
  const columns = [...found, ...partial]
  // By their places: the values of an expression that is written twice are bound twice.
  const by = [...terms.keys(), ...exponent.map(() => columns.length - 1)].map(placeAt)
  const groups = sql`SELECT ${listed(columns)} ${from} GROUP BY ${listed(by)}`
  const whole =
    number === undefined
      ? groups
      : sql`SELECT ${listed([...keys, ...aggregated.flatMap(combined)])} FROM (${groups}) AS p GROUP BY ${listed(keys)}`
  const spellings = spelled(asked, terms)
  const shown = [
    ...terms.map(({ hasSpellings }, at) => (hasSpellings ? numbered('t', at) : keys[at]!)),
    MEMBERS,
    ...aggregated.flatMap(columnsOf),
  ]
  const order = keys.map((key) => sql`${key} NULLS FIRST`)
  return {
    select: sql`SELECT ${listed(shown)} FROM (${whole}) AS g ${spellings} ORDER BY ${listed(order)}`,
    answer: (rows) => groupTable(asked, aggregated, rows),
  }
}
/** The place of a column in its SELECT, from 1; made once, as statements of one shape share it. */
const PLACES: Sql[] = []
const placeAt = (column: number): Sql => (PLACES[column] ??= new Sql([String(column + 1)], []))

const isToOne = ({ kind }: { readonly kind: string }): boolean => kind === 'relatedEntity'

/** Equal values that show differently: texts by case, and numbers as 0 and -0. */
const isSpelled = (place: Place, attribute: Parameters<typeof columnOf>[1]): boolean =>
  columnOf(place, attribute).kind === 'folded' || attribute.type === 'number'

/** The terms as the first member of each group has them. */
function spelled({ model, grouping, rowsOf }: AskedGroups, terms: readonly Term[]): Sql {
  const { dataClass, terms: paths } = grouping
  if (!terms.some(({ hasSpellings }) => hasSpellings)) return sql``
  const root = rootPlace(model, dataClass)
  const joins = new Joins(model, dataClass, rowsOf, sql`LEFT JOIN`)
  const shown = terms.flatMap(({ hasSpellings }, at) => {
    const path = paths[at]!
    const { attribute } = path.path
    if (!hasSpellings || attribute.kind !== 'storage') return []
    const place = joins.to(path.steps)!
    return [sql`${termValue(place, attribute, path).shown} AS ${numbered('t', at)}`]
  })
  return sql`JOIN LATERAL (SELECT ${listed(shown)} FROM ${fromPlace(root)} ${joins.sql} WHERE ${recordAt(root)} = g.${FIRST}) AS f ON TRUE`
}

function aggregatedPath(place: Place, path: AggregatedPath): Aggregated | null {
  const { attribute, properties } = path.path
  const value = aggregatedValue(place, path)
  if (value === null || attribute.kind !== 'storage' || properties.length > 0) return null
  const { functions } = path
  const hasSum = functions.includes('sum') || functions.includes('average')
  const hasEnds = functions.includes('min') || functions.includes('max')
  if (hasSum && !isNumeric(attribute)) return null
  if (hasEnds && !ENDED.has(attribute.type)) return null
  return { ...value, path, sum: hasSum ? (isWhole(attribute) ? 'whole' : 'double') : null }
}

/** Types whose equal values look the same, and of which PostgreSQL has a least one. */
const ENDED: ReadonlySet<string> = new Set(['long', 'long64', 'duration', 'date'])

/**
 * The aggregates of a path by the letters of their columns: of a group, or of the members of it
 * with one exponent.
 */
function aggregates({ key, shown, path, sum }: Aggregated): readonly (readonly [string, Sql])[] {
  const { functions } = path
  const found: [string, Sql][] = [['c', sql`count(${key})`]]
  if (functions.includes('countDistinct')) found.push(['u', sql`count(DISTINCT ${key})`])
  if (functions.includes('min')) found.push(['l', sql`min(${shown})`])
  if (functions.includes('max')) found.push(['h', sql`max(${shown})`])
  if (sum === 'whole') found.push(['s', sql`sum(${shown})`])
  if (sum === 'double') found.push(['s', sql`sum(${significandOf(bitsOf(shown))})`])
  return found
}

const columnsOf = (path: Aggregated, at: number): readonly SqlName[] =>
  aggregates(path).map(([letter]) => numbered(letter, at))

/** The aggregates of a group from those of its exponents. */
function combined(path: Aggregated, at: number): readonly Sql[] {
  const own = columnsOf(path, at).map((name) => {
    switch (name.plain[0]) {
      case 'l':
        return sql`min(${name}) AS ${name}`
      case 'h':
        return sql`max(${name}) AS ${name}`
      case 's':
        return path.sum === 'whole'
          ? sql`sum(${name}) AS ${name}`
          : sql`json_agg(json_build_array(${EXPONENT}, ${name}::text)) FILTER (WHERE ${EXPONENT} IS NOT NULL)::text AS ${name}`
      default:
        return sql`sum(${name}) AS ${name}`
    }
  })
  const first = [sql`min(${FIRST}) AS ${FIRST}`, sql`sum(${MEMBERS}) AS ${MEMBERS}`]
  return at === 0 ? [...first, ...own] : own
}

function groupTable(
  { grouping }: AskedGroups,
  aggregated: readonly Aggregated[],
  rows: readonly (readonly unknown[])[],
): GroupTable {
  const { terms, isCounted } = grouping
  const columns: unknown[][] = terms.map((term, at) => rows.map((row) => shownTerm(term, row[at])))
  if (isCounted) columns.push(rows.map((row) => Number(row[terms.length])))
  let place = terms.length + 1
  for (const [at, each] of aggregated.entries()) {
    const names = columnsOf(each, at).map(({ plain }) => plain[0]!)
    const from = place
    const cellOf = (row: readonly unknown[], letter: string): unknown =>
      row[from + names.indexOf(letter)]
    for (const name of each.path.functions)
      columns.push(rows.map((row) => aggregateOf(each, name, (letter) => cellOf(row, letter))))
    place += names.length
  }
  return { count: rows.length, columns, plan: { kind: 'columns' } }
}

function aggregateOf(
  { path, sum }: Aggregated,
  name: AggregateName,
  cell: (letter: string) => unknown,
): unknown {
  switch (name) {
    case 'count':
      return Number(cell('c'))
    case 'countDistinct':
      return Number(cell('u'))
    case 'min':
      return shownValue(path.path, cell('l'))
    case 'max':
      return shownValue(path.path, cell('h'))
    default: {
      const found = cell('s')
      const total = sum === 'whole' ? Number(BigInt(String(found ?? 0))) : sumOfDoubles(found)
      const count = Number(cell('c'))
      if (name === 'sum') return total
      return count === 0 ? null : total / count
    }
  }
}

const sumOfDoubles = (found: unknown): number =>
  sumOfSignificands(
    found === null ? [] : (JSON.parse(String(found)) as readonly (readonly [number, string])[]),
  )
