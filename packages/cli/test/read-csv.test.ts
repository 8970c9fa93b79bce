import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { readCsv } from '../src/data/read-csv.ts'
import { rowLines } from '../src/print/rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'entia-csv-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'rows.csv')

async function rowsIn(content: string, file = path): Promise<unknown[][]> {
  writeFileSync(file, content)
  const rows: unknown[][] = []
  for await (const block of readCsv(file)) {
    const columns = block.names.map((_, column) => block.values(column))
    for (let row = 0; row < block.count; row++) rows.push(columns.map((values) => values[row]))
  }
  return rows
}

const cell = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom('', '"', '""', 'a,b', 'a\nb', 'a\r\nb', ' x ', 'ü', ';', '\t', "'"),
)
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
const written = (text: string, isQuoted: boolean): string =>
  isQuoted || /["\n\r,]/.test(text) ? quoted(text) : text

test('rows equal those that csv-parse reads', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.tuple(cell, fc.boolean()), fc.tuple(cell, fc.boolean())), {
        minLength: 1,
        maxLength: 8,
      }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.boolean(),
      async (rows, newline, endsWithNewline, hasMark) => {
        const lines = rows.map((cells) =>
          cells.map(([text, isQuoted]) => written(text, isQuoted)).join(','),
        )
        const content = `${hasMark ? '\uFEFF' : ''}one,two${newline}${lines.join(newline)}${endsWithNewline ? newline : ''}`
        const expected: unknown[][] = parse(content.replace('\uFEFF', ''), {
          record_delimiter: ['\n', '\r\n'],
          skip_empty_lines: true,
          cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
        })
        expect(await rowsIn(content)).toEqual(expected.slice(1))
      },
    ),
    runs(300),
  )
})

const anyCell = fc
  .array(fc.constantFrom(...'",;\t|\r\n aü=\uFEFF'), { maxLength: 5 })
  .map((of) => of.join(''))

test('rows are read as they were written, in files of one column too', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.array(fc.option(anyCell), { minLength: 3, maxLength: 3 }), { maxLength: 6 }),
      fc.constantFrom('csv' as const, 'tsv' as const),
      async (width, cells, format) => {
        const columns = ['ID', 'name', 'note'].slice(0, width)
        // The first column is the key, which is never null.
        const rows = cells.map((row) =>
          row.slice(0, width).map((cell, at) => cell ?? (at === 0 ? '' : null)),
        )
        const objects = rows.map((row) => Object.fromEntries(columns.map((c, at) => [c, row[at]])))
        const content = [...rowLines(objects, columns, format)].join('')
        const read = await rowsIn(content, join(folder, `rows.${format}`))
        expect(read).toEqual(rows)
      },
    ),
    runs(500),
  )
})

test('a quoted cell continues over blocks of the file', async () => {
  const long = 'line of text\n'.repeat(20_000)
  const rows = await rowsIn(`a,b\n1,"${long}"\n2,x\n"3","y"`)
  expect(rows).toEqual([
    ['1', long],
    ['2', 'x'],
    ['3', 'y'],
  ])
})

test.each([
  ['a,b\n1,2\n\n3\n', 'line 4: it has 1 cells, and the first line names 2.'],
  ['a,b\n"1\n2",2\nx,"y\n', 'line 4: a quoted cell of this row is not closed.'],
  ['a,b\n1,x"y\n', 'line 2: a quote stands inside a cell. Enclose the cell in quotes'],
  ['a,b\n"1"2,3\n', 'line 2: text follows the closing quote of a cell.'],
  ['a,b,a\n', 'two columns are called "a". Rename one of them in the first line.'],
  ['a,,b\n', 'column 2 has no name in the first line.'],
])('%j is refused with the place', async (content, message) => {
  await expect(rowsIn(content)).rejects.toThrow(
    `${path}${message.startsWith('line') ? ', ' : ': '}${message}`,
  )
})
