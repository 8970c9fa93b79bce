import type { Selection } from '../engine/office-store.ts'
import { exactSum } from './exact-sum.ts'
import { foldedKey } from './folding.ts'
import type { Question } from './generate.ts'
import { type Oracle, positionIn, worldAt } from './oracle.ts'
import { column, Names, type Place } from './place.ts'
import type { Printed } from './print.ts'
import type { Random } from './random.ts'
import {
  eachValue,
  joinedTables,
  keyColumn,
  shown,
  type ValuePath,
  valueBehind,
  valuePaths,
} from './read-back.ts'
import { CLASS_NAMES, type ClassName } from './schema.ts'
import { bound, raw, type Sql, type SqlValue, sql } from './sql.ts'
import { translate } from './translate.ts'
import { keyOf } from './values.ts'
import type { Store } from './world.ts'

/** A description of the difference. */
export interface Difference {
  /** The index of the world. */
  readonly world: number
  readonly what: string
  readonly sql: string
  readonly found: unknown
  readonly expected: unknown
}

/** The number of comparisons of each kind of result. */
export interface Compared {
  members: number
  /** Results with some members but not all. */
  parting: number
  plans: number
  orders: number
  aggregates: number
  distinct: number
}
export const nothingCompared = (): Compared => ({
  members: 0,
  parting: 0,
  plans: 0,
  orders: 0,
  aggregates: 0,
  distinct: 0,
})

const AT = (className: ClassName): Place => ({ className, name: 't0' })

const ORDER_PATHS = new Map(CLASS_NAMES.map((name) => [name, valuePaths(name, 2, false)]))
const DISTINCT_PATHS = new Map(CLASS_NAMES.map((name) => [name, valuePaths(name, 2, true)]))
const AGGREGATE_PATHS = new Map(
  CLASS_NAMES.map((name) => [
    name,
    valuePaths(name, 0, false).filter(({ property }) => property === null),
  ]),
)

/** Queries the stores of some worlds and SQLite alike, and reports the first difference. */
export class Comparer {
  readonly compared = nothingCompared()
  readonly #oracle: Oracle
  readonly #stores: readonly Store[]
  readonly #random: Random
  /** The world for the further queries. */
  #world = 0

  constructor(oracle: Oracle, stores: readonly Store[], random: Random) {
    this.#oracle = oracle
    this.#stores = stores
    this.#random = random
  }

  /**
   * Compares members, their number and record order in every world. For a share of the filters also
   * other plans, an order, aggregates and distinct values.
   */
  compare(question: Question, printed: Printed): Difference | null {
    return this.members(question, printed) ?? this.#further(question, printed)
  }

  members({ root, condition }: Question, { text, parameters }: Printed): Difference | null {
    const where = translate(condition, AT(root), new Names())
    const asked = sql`SELECT t0.position, ${keyColumn(AT(root))} FROM ${raw(root)} t0 WHERE ${where} ORDER BY t0.position`
    const expected = this.#stores.map((): SqlValue[] => [])
    for (const [position, key] of this.#oracle.rows(asked))
      expected[worldAt(Number(position))].push(key)
    for (let world = 0; world < this.#stores.length; world++) {
      this.#world = world
      const table = this.#stores[world].dataClass(root)
      const selection = table.query(text, parameters)
      const { count } = selection
      this.compared.members++
      if (count > 0 && count < table.count) this.compared.parting++
      if (count !== expected[world].length)
        return this.#difference('count', asked, count, expected[world].length)
      const found = selection.keys()
      if (!sameList(found, expected[world]))
        return this.#difference('members', asked, found, expected[world])
    }
    return null
  }

  #further(question: Question, printed: Printed): Difference | null {
    this.#world = this.#random.below(this.#stores.length)
    switch (this.#random.below(6)) {
      case 0:
        return this.#plans(question, printed)
      case 1:
        return this.#order(question, printed)
      case 2:
        return this.#aggregates(question, printed)
      case 3:
        return this.#distinct(question, printed)
      default:
        return null
    }
  }

  /** The condition in the current world. */
  #where({ root, condition }: Question, names: Names): Sql {
    const first = positionIn(this.#world, 0)
    const last = positionIn(this.#world + 1, 0) - 1
    return sql`t0.position BETWEEN ${bound(first)} AND ${bound(last)} AND ${translate(condition, AT(root), names)}`
  }

  get #store(): Store {
    return this.#stores[this.#world]
  }

  #difference(what: string, { text, values }: Sql, found: unknown, expected: unknown): Difference {
    return { world: this.#world, what, sql: `${text} ${JSON.stringify(values)}`, found, expected }
  }

  /** Every priced plan has the same result. */
  #plans({ root }: Question, { text, parameters }: Printed): Difference | null {
    const table = this.#store.dataClass(root)
    const expected = table.query(text, parameters).keys()
    const plans = table.plans(text, parameters).length
    for (let plan = 0; plan < plans; plan++) {
      this.compared.plans++
      const found = table.query(text, parameters, { plan }).keys()
      if (!sameList(found, expected))
        return this.#difference(`plan ${plan}`, raw(''), found, expected)
    }
    return null
  }

  #order(question: Question, printed: Printed): Difference | null {
    const { root } = question
    const at = AT(root)
    const names = new Names()
    const where = this.#where(question, names)
    const terms = Array.from({ length: 1 + this.#random.below(3) }, () => ({
      path: this.#random.pick(ORDER_PATHS.get(root) ?? []),
      direction: this.#random.pick(['', ' asc', ' desc', ' DESC']),
    }))
    const keys = terms.flatMap(({ path, direction }) => {
      const by = raw(direction.toUpperCase())
      return [
        ...(path.property === null
          ? []
          : [sql`coalesce(${valueBehind(path, at, names, ({ rank }) => rank)}, 0)${by}`]),
        sql`${valueBehind(path, at, names, ({ key }) => key)}${by}`,
      ]
    })
    const order = keys.reduce((before, key) => sql`${before}${key}, `, raw(''))
    const asked = sql`SELECT ${keyColumn(at)} FROM ${raw(root)} t0 WHERE ${where} ORDER BY ${order}t0.position`
    const text = terms.map(({ path, direction }) => path.text + direction).join(', ')
    const found = this.#random.chance(0.5)
      ? this.#selection(question, printed).orderBy(text).keys()
      : this.#selection(question, { ...printed, text: `${printed.text} order by ${text}` }).keys()
    this.compared.orders++
    const expected = this.#oracle.values(asked)
    return sameList(found, expected)
      ? null
      : this.#difference(`order by ${text}`, asked, found, expected)
  }

  #aggregates(question: Question, printed: Printed): Difference | null {
    const { root } = question
    const path = this.#random.pick(AGGREGATE_PATHS.get(root) ?? [])
    const { type } = path
    if (type === null) return null
    const at = AT(root)
    const names = new Names()
    const key = valueBehind(path, at, names, (columns) => columns.key)
    const inner = sql`SELECT ${key} AS k FROM ${raw(root)} t0 WHERE ${this.#where(question, names)}`
    const asked = sql`SELECT count(k), min(k), max(k) FROM (${inner})`
    const [[count, min, max]] = this.#oracle.rows(asked)
    const isNumeric = NUMERIC.has(type)
    const values = isNumeric
      ? this.#oracle.values(sql`SELECT k FROM (${inner}) WHERE k IS NOT NULL`)
      : []
    const sum = exactSum(values.map(Number))
    const computed = this.#selection(question, printed).compute(path.text)
    const found = { ...computed, min: keyOf(type, computed.min), max: keyOf(type, computed.max) }
    const sums = isNumeric ? { sum, average: count === 0 ? null : sum / Number(count) } : {}
    const expected = { count, ...sums, min, max }
    this.compared.aggregates++
    return sameRecord(found, expected)
      ? null
      : this.#difference(`aggregates of ${path.text}`, asked, found, expected)
  }

  #distinct(question: Question, printed: Printed): Difference | null {
    const { root } = question
    const path = this.#random.pick(DISTINCT_PATHS.get(root) ?? [])
    const at = AT(root)
    const names = new Names()
    const { from: tables, places } = joinedTables(path, at, names)
    const {
      from,
      rank,
      key,
      spelling,
      met: within,
    } = eachValue(path, places[places.length - 1], tables)
    const where = this.#where(question, names)
    // Relations are followed in record order at every step.
    const met = raw(
      [...places.map((place) => column(place, 'position').text), ...within].join(', '),
    )
    const values = sql`SELECT ${rank} AS r, ${key} AS k, ${spelling} AS s, row_number() OVER (ORDER BY ${met}) AS n FROM ${from} WHERE ${where}`
    // A bare column beside min() comes from the row with the minimum.
    const asked = sql`SELECT r, k, s, min(n) FROM (${values}) WHERE k IS NOT NULL GROUP BY r, k ORDER BY r, k`
    const expected = this.#oracle.rows(asked).map(([r, k, s]) => expectedValue(path, r, k, s))
    const found = this.#selection(question, printed)
      .distinct(path.text)
      .map((value) =>
        path.property !== null && typeof value === 'string' ? foldedKey(value) : value,
      )
    this.compared.distinct++
    return sameList(found, expected)
      ? null
      : this.#difference(`distinct ${path.text}`, asked, found, expected)
  }

  #selection({ root }: { readonly root: ClassName }, { text, parameters }: Printed): Selection {
    return this.#store.dataClass(root).query(text, parameters)
  }
}

const NUMERIC = new Set(['long', 'long64', 'number', 'duration'])

function expectedValue(
  path: ValuePath,
  rank: SqlValue,
  key: SqlValue,
  spelling: SqlValue,
): unknown {
  if (path.property !== null) return rank === 1 ? key === 1 : key
  return shown(path.type, key as string | number | null, spelling as string | null)
}

const sameList = (found: readonly unknown[], expected: readonly unknown[]): boolean =>
  found.length === expected.length && found.every((value, i) => Object.is(value, expected[i]))

function sameRecord(
  found: { readonly [name: string]: unknown },
  expected: { readonly [name: string]: unknown },
): boolean {
  const names = new Set([...Object.keys(found), ...Object.keys(expected)])
  return [...names].every((name) => Object.is(found[name] ?? null, expected[name] ?? null))
}
