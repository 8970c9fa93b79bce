import { attribute, defineDataClass } from '@entia/core'
import {
  buildCatalog,
  coerceInput,
  Refusal,
  type StoredValue,
  sameValue,
} from '@entia/core/internal'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { PLACE, placedRows } from '../../src/schema/bound-values.ts'
import {
  decodeRecord,
  encode,
  readColumns,
  writtenColumns,
  writtenTypes,
} from '../../src/schema/row-codec.ts'
import { sqlModelOf } from '../../src/schema/sql-model.ts'
import { joined, SqlName, sql } from '../../src/sql-builder/sql.ts'
import { statementOf } from '../../src/sql-builder/statement.ts'
import { describeDatabases, run } from '../database.ts'

const Everything = defineDataClass('Everything', {
  ID: attribute.long({ key: true }),
  flag: attribute.bool(),
  big: attribute.long64(),
  amount: attribute.number(),
  length: attribute.duration(),
  title: attribute.string(),
  code: attribute.string({ collation: 'exact' }),
  uuid: attribute.uuid(),
  at: attribute.date(),
  day: attribute.date({ dateOnly: true }),
  notes: attribute.object(),
  photo: attribute.image(),
  file: attribute.blob(),
  _rec: attribute.string(),
  ['long'.repeat(40)]: attribute.string(),
})
const catalog = buildCatalog({ name: 'test', dataClasses: [Everything] })
const tableOf = (schema: string) => sqlModelOf(catalog, { schema }).tables[0]!

const text = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '',
      'É',
      'ﬁ',
      'ẞ',
      'ς',
      '\u{1f600}',
      '\uff5e',
      'a\\b"c',
      "O'Neil",
      '\\x41',
      '{}',
    ),
  )
  .map((value) => value.replaceAll('\0', '').replaceAll('\ufeff', ''))
const json = fc.object({
  key: text.filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name)),
  values: [
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.constant(null),
  ],
})
const double = fc.double({ noNaN: true, noDefaultInfinity: true })
const milliseconds = fc.integer({ min: -8.64e15, max: 8.64e15 })
const uuid = fc.uuid()
const media = fc.record({
  mediaType: fc.constantFrom('image/png', 'text/plain'),
  bytes: fc.uint8Array({ maxLength: 300 }),
})
const inputs = fc.tuple(
  ...[
    fc.boolean(),
    fc.maxSafeInteger(),
    double,
    double,
    text,
    text,
    uuid,
    milliseconds,
    milliseconds,
    json,
    media,
    media,
    text,
    text,
  ].map((each: fc.Arbitrary<unknown>) => fc.option(each)),
)

describeDatabases('values through the database', {}, (database) => {
  const table = tableOf(database.schema)
  const written = table.columns.flatMap(writtenColumns)
  const insertion = (values: readonly StoredValue[]) =>
    statementOf(
      sql`INSERT INTO ${table.name} (${joined(written, sql`, `)})
        VALUES (${joined(
          table.columns.flatMap((column, at) => encode(column, values[at] ?? null)),
          sql`, `,
        )})`,
    )
  const selection = (key: number) =>
    statementOf(
      sql`SELECT ${joined(table.columns.flatMap(readColumns), sql`, `)} FROM ${table.name}
        WHERE "ID" = ${key}`,
    )

  /** A row of inputs as stored values. */
  const storedOf = (key: number, row: readonly unknown[]): readonly StoredValue[] =>
    [key, ...row].map((input, at) => {
      const { type, dateOnly } = table.columns[at]!.attribute
      const value = coerceInput(type, dateOnly, input)
      if (value instanceof Refusal) throw new Error(`${type}: ${value.found}`)
      return value
    })
  const expectStored = async (key: number, values: readonly StoredValue[]): Promise<void> => {
    const { rows } = await database.pool.query(selection(key))
    const found = decodeRecord(table, rows[0]!, 0)
    for (const [at, value] of values.entries())
      if (!sameValue(found[at]!, value)) expect(found[at]).toEqual(value)
    // The order of properties, and so the bytes of answers.
    expect(JSON.stringify(found[10])).toBe(JSON.stringify(values[10]))
  }

  beforeAll(async () => {
    const types = table.columns.flatMap(writtenTypes)
    const columns = written.map(({ quoted }, at) => `${quoted} ${types[at]}`)
    await run(database.pool, `CREATE TABLE ${table.name.quoted} (${columns.join(', ')})`)
  })

  test('a written record is read unchanged', async () => {
    let key = 0
    await fc.assert(
      fc.asyncProperty(inputs, async (row) => {
        const values = storedOf(++key, row)
        await database.pool.query(insertion(values))
        await expectStored(key, values)
      }),
      runs(300),
    )
  })

  test('records that are bound as lists are read unchanged, in their order', async () => {
    let next = 1_000_000
    await fc.assert(
      fc.asyncProperty(fc.array(inputs, { minLength: 1, maxLength: 4 }), async (records) => {
        const first = next
        next += records.length
        const all = records.map((row, at) => storedOf(first + at, row))
        const cells = all.map((values) =>
          table.columns.flatMap((column, at) => encode(column, values[at] ?? null)),
        )
        const types = table.columns.flatMap(writtenTypes)
        const columns = written.map((name, at) => ({
          ...{ name, type: types[at]! },
          values: cells.map((row) => row[at]!),
        }))
        const insertion = sql`INSERT INTO ${table.name} (${joined(written, sql`, `)})
          SELECT ${joined(written, sql`, `)} FROM ${placedRows(columns)} ORDER BY v.${PLACE}
          RETURNING "ID"`
        const { rows } = await database.pool.query(statementOf(insertion))
        expect(rows).toEqual(all.map(([key]) => [key]))
        for (const [at, values] of all.entries()) await expectStored(first + at, values)
      }),
      runs(100),
    )
  })

  test('arrays of every type are read as PostgreSQL reads them', async () => {
    const given = [
      ['a"b\\c', '', 'NULL', null, '{x}'],
      [1, -2, null],
      [true, false],
      [1e-300, 0.1],
      ['a', '', 'NULL', '{x,y}'],
      [1, 2],
    ]
    const bytes = new Uint8Array([0, 92, 34, 255])
    const { rows } = await run(
      database.pool,
      `SELECT to_json($1::text[])::text, $2::bigint[], to_json($3::boolean[])::text,
        to_json($4::double precision[])::text, to_json($5::text[])::text, $6::bigint[],
        ($7::bytea[])[2], $8::text[] IS NULL`,
      ...given,
      [null, bytes],
      null,
    )
    const [texts, numbers, flags, doubles, plain, whole, second, isNull] = rows[0]!
    expect(JSON.parse(String(texts))).toEqual(given[0])
    expect(numbers).toEqual(given[1])
    expect(JSON.parse(String(flags))).toEqual(given[2])
    expect(JSON.parse(String(doubles))).toEqual(given[3])
    expect(JSON.parse(String(plain))).toEqual(given[4])
    expect(whole).toEqual(given[5])
    expect(second).toEqual(bytes)
    expect(isNull).toBe(true)
  })
})

describe('what PostgreSQL cannot store is refused', () => {
  const columns = new Map(tableOf('s').columns.map((column) => [column.attribute.name, column]))

  test.each([
    ['title', 'a\0b', 'without U+0000'],
    ['code', '\0', 'without U+0000'],
    ['notes', { deep: [{ text: '\0' }] }, 'without U+0000'],
    ['notes', { '\0': 1 }, 'without U+0000'],
    ['title', 'a\ud800', 'well-formed'],
  ])('in %s: %j', (name, value, expected) => {
    expect(() => encode(columns.get(name)!, value)).toThrow(
      expect.objectContaining({ code: 'valueInvalid', message: expect.stringContaining(expected) }),
    )
  })

  test('a text that is too long for an index is refused only in indexed attributes', () => {
    const Indexed = defineDataClass('Indexed', {
      ID: attribute.long({ key: true }),
      name: attribute.string({ indexed: true }),
    })
    const indexed = sqlModelOf(buildCatalog({ name: 't', dataClasses: [Indexed] }), { schema: 's' })
    const column = indexed.tables[0]!.columns[1]!
    expect(encode(column, 'é'.repeat(1300))[1]).toBe('e'.repeat(1300))
    expect(() => encode(column, 'ж'.repeat(1301))).toThrow('because it is indexed')
    expect(encode(columns.get('title')!, 'x'.repeat(5000))).toHaveLength(2)
  })
})

describe('names', () => {
  test('of tables and columns fit PostgreSQL and differ', () => {
    const model = tableOf('s')
    const names = model.columns.flatMap(writtenColumns).map(({ quoted }) => quoted)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(65)
    expect(names).toContain('"_rec~"')
  })

  test('of the option "tables" replace those of the model', () => {
    const tables = { Everything: { table: 'all', columns: { title: 'the "title"' } } }
    const { name, columns } = sqlModelOf(catalog, { schema: 's', tables }).tables[0]!
    expect(name.quoted).toBe('"s"."all"')
    expect(columns[5]!.key).toEqual(new SqlName('the "title"$'))
  })

  test.each([
    [{ Nothing: {} }, 'the model does not have it'],
    [{ Everything: { name: 'all' } }, 'must be one of table, columns, existing, not "name"'],
    [{ Everything: { columns: { nothing: 'a' } } }, 'has no column'],
    [{ Everything: { columns: { title: 'code' } } }, 'is taken'],
    [{ Everything: { columns: { title: '_stamp' } } }, 'is taken'],
    [{ Everything: { table: 't'.repeat(64) } }, 'has 64 bytes'],
    [{ Everything: { columns: { title: 'é'.repeat(32) } } }, 'has 64 bytes'],
  ])('%j is refused', (tables, problem) => {
    expect(() => sqlModelOf(catalog, { schema: 's', tables: { ...(tables as object) } })).toThrow(
      problem,
    )
  })
})
