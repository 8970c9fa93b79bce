import type { ClassModel } from '@entia/core'
import {
  type BoundGrouping,
  bindGrouping,
  groupRow,
  type Predicate,
  RowClass,
  recordTest,
  rowColumns,
  type ViewFilters,
} from '@entia/core/internal'
import type { Question } from '../../../core/test/differential/generate.ts'
import type { Printed } from '../../../core/test/differential/print.ts'
import type { Random } from '../../../core/test/differential/random.ts'
import { valuePaths } from '../../../core/test/differential/read-back.ts'
import { CLASS_NAMES, type ClassName, SHAPES } from '../../../core/test/differential/schema.ts'
import type { World } from '../../../core/test/differential/world.ts'
import type { Selection, Table } from '../../../core/test/engine/office-store.ts'
import type { SqlModel } from '../../src/schema/sql-model.ts'
import { sql } from '../../src/sql-builder/sql.ts'
import {
  aggregateSql,
  distinctSql,
  type Question as SqlQuestion,
} from '../../src/translate/aggregate-sql.ts'
import { groupSql } from '../../src/translate/group-sql.ts'
import type { RowsOf } from '../../src/translate/joins.ts'
import { orderSql } from '../../src/translate/order-sql.ts'
import { fromPlace, recordAt, rootPlace } from '../../src/translate/place.ts'
import { isTranslatable, predicateSql } from '../../src/translate/predicate-sql.ts'
import { recordViews } from './tables.ts'

/** A question for the database, with the answer in memory. */
export interface Asked {
  readonly kind: 'filters' | 'orders' | 'aggregates' | 'distinct' | 'groups'
  readonly text: string
  readonly question: SqlQuestion<unknown>
  readonly expected: unknown
  /** True if the database may answer more record numbers. */
  readonly isSuperset: boolean
}

/** One reader of one world, in memory and over SQL. */
export interface Reading {
  readonly random: Random
  readonly world: World
  readonly model: SqlModel
  readonly filters: ViewFilters
  table(name: string): Table
}

const ORDER_PATHS = new Map(CLASS_NAMES.map((name) => [name, valuePaths(name, 2, false)]))
const DISTINCT_PATHS = new Map(CLASS_NAMES.map((name) => [name, valuePaths(name, 2, true)]))

/** A selection in memory, and the queries of the database about it. */
export class AskedSelection {
  readonly #reading: Reading
  readonly #root: ClassName
  readonly #dataClass: ClassModel
  readonly #selection: Selection
  readonly #text: string
  readonly #predicate: Predicate
  readonly #rowsOf: RowsOf

  constructor(reading: Reading, { root }: Question, { text, parameters }: Printed) {
    this.#reading = reading
    this.#root = root
    this.#dataClass = reading.model.catalog.byName.get(root)!
    this.#selection = reading.table(root).query(text, parameters)
    this.#text = `${root}: ${text} ${JSON.stringify(parameters)}`
    this.#predicate = reading.filters.bindFilter(this.#dataClass, text, parameters).predicate
    this.#rowsOf = (dataClass) => reading.filters.rowsOf(dataClass)
  }

  get predicate(): Predicate {
    return this.#predicate
  }
  get isParting(): boolean {
    const { count } = this.#selection
    return count > 0 && count < this.#reading.table(this.#root).count
  }

  members(): Asked {
    const { model, world } = this.#reading
    const isTranslated = this.#isTranslated()
    const at = rootPlace(model, this.#dataClass)
    const test = isTranslated ? null : recordTest(this.#predicate)
    const views = recordViews(model, world, this.#dataClass)
    return {
      kind: 'filters',
      text: this.#text,
      isSuperset: !isTranslated && test === null,
      expected: this.#placed(this.#selection),
      question: {
        select: sql`SELECT ${recordAt(at)}::integer FROM ${fromPlace(at)} WHERE ${this.#where()} ORDER BY ${recordAt(at)}`,
        answer: (rows) =>
          rows
            .map(([record]) => Number(record))
            .filter((record) => test === null || test(views.get(record)!)),
      },
    }
  }

  /** An order, aggregates, distinct values or groups; null if these have no SQL. */
  further(): Asked | null {
    if (!this.#isTranslated()) return null
    switch (this.#reading.random.below(4)) {
      case 0:
        return this.#ordered()
      case 1:
        return this.#aggregates()
      case 2:
        return this.#distinct()
      default:
        return this.#groups()
    }
  }

  #isTranslated() {
    return isTranslatable(this.#reading.model, this.#predicate)
  }

  #where() {
    const { model } = this.#reading
    return predicateSql(model, this.#predicate, rootPlace(model, this.#dataClass))
  }

  #placed(selection: Selection): readonly unknown[] {
    const { key } = SHAPES[this.#root]
    const rows = this.#reading.world.rows[this.#root]
    const positions = new Map(rows.map(({ position, row }) => [row[key], position]))
    return selection.keys().map((each) => positions.get(each))
  }

  #ordered(): Asked | null {
    const { model, random, filters } = this.#reading
    const order = Array.from({ length: 1 + random.below(3) }, () => {
      const { text } = random.pick(ORDER_PATHS.get(this.#root) ?? [])
      return text + random.pick(['', ' asc', ' desc', ' DESC'])
    }).join(', ')
    const bound = filters.names.bindOrderBy(this.#dataClass, order)
    const found = orderSql(model, this.#dataClass, bound, this.#rowsOf)
    if (found === null) return null
    const at = rootPlace(model, this.#dataClass)
    const { joins, by } = found
    const select = sql`SELECT ${recordAt(at)}::integer FROM ${fromPlace(at)} ${joins} WHERE ${this.#where()} ORDER BY ${by}`
    return {
      kind: 'orders',
      text: `${this.#text} order by ${order}`,
      isSuperset: false,
      expected: this.#placed(this.#selection.orderBy(order)),
      question: { select, answer: (rows) => rows.map(([record]) => Number(record)) },
    }
  }

  #values(name: string) {
    const { model, filters } = this.#reading
    const dataClass = this.#dataClass
    const members = { from: fromPlace(rootPlace(model, dataClass)), where: this.#where() }
    const path = filters.names.resolvePath(dataClass, name)
    return { model, dataClass, members, path, rowsOf: this.#rowsOf }
  }

  #aggregates(): Asked | null {
    const { random } = this.#reading
    const { text } = random.pick(ORDER_PATHS.get(this.#root) ?? [])
    const distinct = random.chance(0.3)
    const question = aggregateSql({ ...this.#values(text), isDistinct: distinct })
    if (question === null) return null
    return {
      kind: 'aggregates',
      text: `${this.#text} compute ${text}, distinct: ${distinct}`,
      isSuperset: false,
      expected: this.#selection.compute(text, { distinct }),
      question,
    }
  }

  #distinct(): Asked | null {
    const { text } = this.#reading.random.pick(DISTINCT_PATHS.get(this.#root) ?? [])
    const question = distinctSql(this.#values(text))
    if (question === null) return null
    const expected = this.#selection.distinct(text)
    return {
      kind: 'distinct',
      text: `${this.#text} distinct ${text}`,
      isSuperset: false,
      expected,
      question,
    }
  }

  #groups(): Asked | null {
    const { model, filters } = this.#reading
    const { names, aggregates } = this.#grouping()
    let grouping: BoundGrouping
    try {
      grouping = bindGrouping(filters.names, this.#dataClass, names, aggregates)
      new RowClass(this.#dataClass, rowColumns(grouping))
    } catch {
      // Members of a row would be exchanged.
      return null
    }
    const { members } = this.#values(SHAPES[this.#root].key)
    const question = groupSql({ model, members, grouping, rowsOf: this.#rowsOf })
    if (question === null) return null
    const { groupBy } = this.#selection as Selection & Grouped
    return {
      kind: 'groups',
      text: `${this.#text} group by ${names} ${JSON.stringify(aggregates)}`,
      isSuperset: false,
      expected: groupBy.call(this.#selection, names, aggregates).toArray(),
      question: {
        select: question.select,
        answer(rows) {
          const table = question.answer(rows)
          return Array.from({ length: table.count }, (_, at) => groupRow(grouping, table, at))
        },
      },
    }
  }

  #grouping(): { readonly names: string; readonly aggregates: object } {
    const { random } = this.#reading
    const paths = ORDER_PATHS.get(this.#root) ?? []
    const names = Array.from({ length: 1 + random.below(3) }, () => {
      const { text, type } = random.pick(paths)
      const isDate = type === 'instant' || type === 'day'
      return isDate ? text + random.pick(['', ...SPANS]) : text
    })
    const aggregates: { [name: string]: unknown } = random.chance(0.7) ? { count: true } : {}
    for (let i = random.below(3); i > 0; i--) {
      const { text, type } = random.pick(paths)
      const isNumber = type === null || NUMERIC.has(type)
      aggregates[text] = FUNCTIONS.slice(0, 1 + random.below(isNumber ? 6 : 4))
    }
    return { names: names.join(', '), aggregates }
  }
}

const SPANS = ['.day', '.week', '.month', '.quarter', '.year']
const FUNCTIONS = ['count', 'countDistinct', 'min', 'max', 'sum', 'average']
const NUMERIC = new Set(['long', 'long64', 'number', 'duration'])

interface Grouped {
  groupBy(attributes: string, aggregates: object): { toArray(): unknown }
}
