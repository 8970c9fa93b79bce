import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { convertValue } from '../src/data/convert-value.ts'
import { recordSources } from '../src/data/read-records.ts'
import { rowsOf } from '../src/data/rows-of.ts'
import { columnFacts } from '../src/infer/column-facts.ts'

const folder = mkdtempSync(join(tmpdir(), 'entia-columns-'))
afterAll(() => rmSync(folder, { recursive: true }))

const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string({ maxLength: 8 }),
  long: attribute.long({ min: -5 }),
  wide: attribute.long64(),
  number: attribute.number(),
  bool: attribute.bool(),
  day: attribute.date({ dateOnly: true }),
  time: attribute.date(),
  duration: attribute.duration(),
  uuid: attribute.uuid(),
  object: attribute.object(),
  blob: attribute.blob(),
})
const names = ['text', 'long', 'wide', 'number', 'bool', 'day', 'time', 'duration', 'uuid'].concat(
  'object',
  'blob',
)
const thingStore = () => createDataStore({ name: 'things', dataClasses: [Thing] })

const numbers = fc.constantFrom('0', '7', '007', '-3', '-9', '1.5', '1e3', ' 12 ', '2147483648')
const valid: Readonly<Record<string, fc.Arbitrary<string>>> = {
  text: fc.oneof(
    fc.constantFrom('a,b', 'a\nb', 'a\r\nb', '"', '', '7', 'ü', '😀', ' x '),
    fc.string({ maxLength: 5, unit: 'grapheme' }),
  ),
  long: fc.constantFrom('0', '7', '007', '-3', '2147483647', '+4', '1e3'),
  wide: fc.constantFrom('123456789012345', '9007199254740991', '0012'),
  number: numbers,
  bool: fc.constantFrom('true', 'FALSE', ' True '),
  day: fc.constantFrom('2024-02-29', '1999-12-31'),
  time: fc.constantFrom('2024-02-29T10:00:00Z', '1999-12-31'),
  duration: fc.constantFrom('01:02:03', '500'),
  uuid: fc.constantFrom('0123456789abcdef0123456789abcdef'),
  object: fc.constantFrom('{"a":[1,"x,y"]}', '[1]'),
  blob: fc.constantFrom('data:text/plain;base64,QUI='),
}
const wrong = fc.oneof(numbers, fc.constantFrom('no', '{', '2024-02-30', 'longer than eight', '1n'))

const row = fc.tuple(
  ...names.map((name) =>
    fc.record({
      text: fc.oneof(
        { weight: 8, arbitrary: fc.option(valid[name]!, { nil: '' }) },
        { weight: 40, arbitrary: valid[name]! },
        { weight: 1, arbitrary: wrong },
      ),
      isQuoted: fc.boolean(),
    }),
  ),
)
const file = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: 6 }),
  newline: fc.constantFrom('\n', '\r\n'),
  hasMark: fc.boolean(),
  endsWithNewline: fc.boolean(),
})

const written = ({ text, isQuoted }: { text: string; isQuoted: boolean }): string =>
  isQuoted || /["\n\r,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

test('a CSV file loads what its rows load as objects, or is refused with the same row', async () => {
  const path = join(folder, 'things.csv')
  await fc.assert(
    fc.asyncProperty(file, async ({ rows, newline, hasMark, endsWithNewline }) => {
      const lines = [names, ...rows.map((cells) => cells.map(written))].map((line) =>
        line.join(','),
      )
      const content = lines.join(newline) + (endsWithNewline ? newline : '')
      writeFileSync(path, (hasMark ? '\uFEFF' : '') + content)
      const expected = thingStore()
      const objects = (
        parse(content, {
          record_delimiter: ['\n', '\r\n'],
          skip_empty_lines: true,
          cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
        }) as unknown[][]
      )
        .slice(1)
        .map((cells) =>
          Object.fromEntries(
            names.map((name, at) => {
              const type = expected.Thing.model.storage.find((each) => each.name === name)!
              return [name, convertValue(cells[at], type)]
            }),
          ),
        )
      const store = thingStore()
      const [source] = await recordSources({ path, name: 'things', format: 'csv' }, () => {})
      expect(
        await outcome(
          async () => await store.Thing.load(rowsOf(source!, store.Thing.model) as never),
        ),
      ).toEqual(await outcome(async () => await expected.Thing.load(objects as never)))
      expect(store.Thing.all().select(names.join(', '))).toEqual(
        expected.Thing.all().select(names.join(', ')),
      )
    }),
    runs(300),
  )
})

async function outcome(load: () => Promise<unknown>): Promise<unknown> {
  try {
    return await load()
  } catch (error) {
    return (error as Error).message
  }
}

test('the facts of a CSV column are those of its values as texts', async () => {
  const value = fc.oneof(
    fc.nat().map(String),
    fc.constantFrom('0', '007', '-1', '1.5', '', 'true', '2024-01-01', '33554432', 'ü', 'x y'),
  )
  const path = join(folder, 'facts.csv')
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 8 }), async (values) => {
      const isQuoted = values.some((each) => each === 'x y')
      const lines = values.map((each) => `${isQuoted ? `"${each}"` : each},.`)
      writeFileSync(path, ['id,end', ...lines, ''].join('\n'))
      const [source] = await recordSources({ path, name: 'facts', format: 'csv' }, () => {})
      const blocks = source!.records()
      const asTexts = async function* () {
        for await (const { names, count, values } of boundBlocks(blocks)) {
          const converted = () => []
          yield { names, count, values, converted }
        }
      }
      const cells = await columnFacts(source!, () => true)
      const texts = await columnFacts({ ...source!, records: asTexts }, () => true)
      expect(cells.columns.map(figures)).toEqual(texts.columns.map(figures))
    }),
    runs(200),
  )
})

async function* boundBlocks(
  blocks: AsyncIterable<import('../src/data/record-block.ts').RecordBlock>,
) {
  for await (const block of blocks)
    yield {
      names: block.names,
      count: block.count,
      values: (column: number) => block.values(column),
    }
}

const figures = (facts: import('../src/infer/column-facts.ts').ColumnFacts) => ({
  type: facts.type,
  values: facts.values,
  isDistinct: facts.isDistinct,
  isIndexable: facts.isIndexable,
  distinct: [...(facts.distinct ?? [])].sort(),
})
