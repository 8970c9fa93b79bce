import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { storedRows } from '../src/commands/stored-columns.ts'
import { loadFile } from '../src/data/load-file.ts'
import { fileFormats, rowLines } from '../src/print/rows.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-'))
})
afterAll(() => rm(folder, { recursive: true }))

const Thing = defineDataClass('Thing', {
  key: attribute.string({ key: true }),
  first_name: attribute.string(),
  toJSON: attribute.object(),
  length: attribute.number(),
  long: attribute.long(),
  long64: attribute.long64(),
  bool: attribute.bool(),
  uuid: attribute.uuid(),
  timestamp: attribute.date(),
  day: attribute.date({ dateOnly: true }),
  valueOf: attribute.duration(),
  data: attribute.blob(),
  picture: attribute.image(),
  stamp: attribute.relatedEntity('Thing'),
  things: attribute.relatedEntities('Thing', 'stamp'),
})
const open = () => createDataStore({ name: 'things', dataClasses: [Thing] })

const LARGE = 2 ** 53 - 1
const few = (...values: readonly unknown[]) => fc.constantFrom(null, ...values)
const signs = fc.constantFrom(
  '"',
  "'",
  ',',
  ';',
  '\t',
  '\n',
  '\r',
  '\r\n',
  ' ',
  'a',
  '0',
  '=',
  '\\',
  '\u2028',
  '\ufeff',
  '\u{1f600}',
  '\0',
)
const text = fc.array(signs, { maxLength: 5 }).map((parts) => parts.join(''))
const media = (type: string) =>
  fc.record({ mediaType: fc.constant(type), bytes: fc.uint8Array({ maxLength: 3 }) })
const row = fc.record({
  first_name: fc.option(text),
  toJSON: few(
    {},
    [],
    { '': null, a: [1, { '"': '\n' }] },
    { n: [5e-324, -LARGE, Number.MAX_VALUE] },
    ['x'],
  ),
  length: few(0, -0, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 1e21, 1e-7, 0.1, LARGE + 1),
  long: few(-(2 ** 31), 2 ** 31 - 1, 0),
  long64: few(-LARGE, LARGE, 2 ** 31),
  bool: few(true, false),
  uuid: few(
    '00000000000000000000000000000000',
    'f'.repeat(32),
    '1'.repeat(32),
    '12345678901234567890123456789E12',
  ),
  timestamp: few(new Date(-8.64e15), new Date(8.64e15), new Date(-1), 0),
  day: few('-271821-04-20', '+275760-09-13', '0001-01-01'),
  valueOf: few(Number.MAX_VALUE, -5e-324, 0.5, 86_400_000),
  data: fc.option(
    fc.oneof(media('text/plain'), media('application/octet-stream'), media('image/svg+xml')),
  ),
  picture: fc.option(media('image/png')),
})
const rows = fc.uniqueArray(
  fc.tuple(
    text.filter((key) => key !== ''),
    row,
  ),
  { minLength: 1, maxLength: 5, selector: ([key]) => key },
)

test.each(fileFormats)(
  'an export as %s imports the same values, at the extremes of every type',
  async (format) => {
    const path = join(folder, `things.${format}`)
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const before = open()
        before.Thing.load(
          all.map(([key, values], at) => ({
            ...values,
            key,
            stamp: at % 2 === 0 ? null : all[at - 1]?.[0],
          })) as never,
        )
        const { columns, rows: written } = storedRows(
          before.Thing as never,
          before.Thing.all() as never,
        )
        await writeFile(path, [...rowLines(written, columns, format)].join(''))
        const after = open()
        await loadFile(after.Thing as never, path)
        expect(valuesOf(after)).toEqual(valuesOf(before))
      }),
      runs(150),
    )
  },
)

function valuesOf(store: ReturnType<typeof open>): unknown {
  const { columns, rows } = storedRows(store.Thing as never, store.Thing.all() as never)
  return [...rowLines(rows, columns, 'json')]
}

test('a number that was rounded on reading is not converted to a text', async () => {
  const path = join(folder, 'numbers.ndjson')
  for (const number of ['12345678901234567890', '9007199254740993', '-9007199254740993']) {
    await writeFile(path, `{"key":"a","first_name":${number}}\n`)
    const store = open()
    await expect(loadFile(store.Thing as never, path)).rejects.toThrow(/first_name/)
    expect(store.Thing.count).toBe(0)
  }
  await writeFile(path, '{"key":"a","first_name":9007199254740991}\n{"key":"b","first_name":1.5}\n')
  const store = open()
  await loadFile(store.Thing as never, path)
  expect(store.Thing.all().select('first_name')).toEqual([
    { first_name: '9007199254740991' },
    { first_name: '1.5' },
  ])
})
