import { createNameRules, DEFAULT_FILTER_LIMITS, ViewFilters } from '@entia/core/internal'
import { expect, test } from 'vitest'
import { CELLS } from '../../../core/test/differential/cells.ts'
import { randomQuestion } from '../../../core/test/differential/generate.ts'
import { printFilter } from '../../../core/test/differential/print.ts'
import { Random } from '../../../core/test/differential/random.ts'
import { valuePaths } from '../../../core/test/differential/read-back.ts'
import { keyOf } from '../../src/read/recent-answers.ts'
import type { SqlModel } from '../../src/schema/sql-model.ts'
import { joined, Sql, SqlName, sql } from '../../src/sql-builder/sql.ts'
import { PLANNED_BY_VALUES, statementOf } from '../../src/sql-builder/statement.ts'
import { orderSql } from '../../src/translate/order-sql.ts'
import { fromPlace, recordAt, rootPlace } from '../../src/translate/place.ts'
import { predicateSql } from '../../src/translate/predicate-sql.ts'
import { differentialModel } from '../differential/tables.ts'

/** The text and the values of a piece, by the definition of `sql` and nothing else. */
function written(piece: Sql): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = []
  const write = ({ strings, holes }: Sql): string =>
    strings
      .map((text, at) => {
        if (at === 0) return text
        const hole = holes[at - 1]!
        if (hole instanceof Sql) return write(hole) + text
        if (hole instanceof SqlName) return hole.quoted + text
        return `$${values.push(hole)}${text}`
      })
      .join('')
  return { text: write(piece), values }
}

function randomSelect(random: Random, model: SqlModel, filters: ViewFilters): Sql {
  const question = randomQuestion(random, random.pick(CELLS))
  const dataClass = model.catalog.byName.get(question.root)!
  const { text, parameters } = printFilter(random, question.condition)
  const { predicate } = filters.bindFilter(dataClass, text, parameters)
  const at = rootPlace(model, dataClass)
  const where = predicateSql(model, predicate, at)
  const paths = valuePaths(question.root, 2, false)
  const terms = Array.from({ length: random.below(3) }, () => random.pick(paths).text)
  const order =
    terms.length === 0 ? [] : filters.names.bindOrderBy(dataClass, [...new Set(terms)].join())
  const { joins, by } = orderSql(model, dataClass, order) ?? orderSql(model, dataClass, [])!
  return sql`SELECT ${recordAt(at)} FROM ${fromPlace(at)} ${joins} WHERE ${where} ORDER BY ${by} LIMIT ${random.below(100)}::bigint`
}

test('statements that share a cached text have the text that would be written for each', () => {
  // Tables of the same names in two schemas: only the names differ.
  const models = ['one', 'two'].map(differentialModel)
  const rules = createNameRules(DEFAULT_FILTER_LIMITS)
  const filters = models.map(({ catalog }) => new ViewFilters(rules, catalog, {}))
  const names = new Map<string, string>()
  // Each piece is built twice, between others of the same and of other shapes.
  for (const _ of [1, 2]) {
    const random = new Random(7, 0)
    for (let at = 0; at < 150; at++) {
      const of = random.below(2)
      const select = randomSelect(random, models[of]!, filters[of]!)
      const { name, text, values } = statementOf(select)
      expect({ text, values }).toEqual(written(select))
      expect(names.get(text) ?? name).toBe(name)
      names.set(text, name)
    }
  }
  expect(new Set(names.values()).size).toBe(names.size)
  expect(names.size).toBeGreaterThan(75)
})

test('statements with a value, a name or a piece in one place have different texts', () => {
  const hole = (value: Sql | SqlName | string) => statementOf(sql`SELECT ${value}`).text
  expect([hole('a'), hole(new SqlName('a')), hole(sql`a`), hole(sql`${'a'}`)]).toEqual([
    'SELECT $1',
    'SELECT "a"',
    'SELECT a',
    'SELECT $1',
  ])
  const list = (...pieces: Sql[]) => statementOf(joined(pieces, sql`, `)).text
  expect([list(sql`a`, sql`b`), list(sql`${1}`, sql`b`), list(sql`a`)]).toEqual([
    'a, b',
    '$1, b',
    'a',
  ])
})

test('answers of statements without a name are remembered by their texts', () => {
  const key = (column: string, value: string) =>
    keyOf(sql`WHERE ${new SqlName(column)} = ${value} ${PLANNED_BY_VALUES}`)
  expect(key('body', 'x')).toBe(key('body', 'x'))
  expect(new Set([key('body', 'x'), key('title', 'x'), key('body', 'y')]).size).toBe(3)
})

test('shapes beyond the cache size are written again', () => {
  const wide = (width: number) =>
    joined(
      Array.from({ length: width }, (_, at) => sql`${new SqlName(`c${at}`)}`),
      sql`, `,
    )
  const short = statementOf(wide(3))
  expect(statementOf(wide(12_000)).text).toHaveLength(written(wide(12_000)).text.length)
  expect(statementOf(wide(3))).toEqual(short)
})
