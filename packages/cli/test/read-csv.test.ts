import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { readCsv } from '../src/data/read-csv.ts'

const folder = mkdtempSync(join(tmpdir(), 'entia-csv-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'rows.csv')

async function rowsIn(content: string): Promise<unknown[][]> {
  writeFileSync(path, content)
  const rows: unknown[][] = []
  for await (const block of readCsv(path)) {
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
