import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { readText } from '../src/data/read-lines.ts'
import { rowLines } from '../src/print/rows.ts'

const cell = fc.oneof(
  fc.string({ maxLength: 4, unit: 'grapheme' }),
  fc.constantFrom('', ',', '\t', 'a"b', '\n', '\r', ' ', ';', '|', '\uFEFF', '=1'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(null, true, false),
)

test('lines of CSV are those of csv-stringify, with two quotes for the empty text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell), { maxLength: 4 }),
      fc.constantFrom('csv' as const, 'tsv' as const),
      (rows, format) => {
        const columns = ['one', 'two, three']
        const objects = rows.map((cells) =>
          Object.fromEntries(columns.map((c, at) => [c, cells[at]])),
        )
        const expected = [columns, ...rows.map((cells) => cells.map(asText))].map((cells) =>
          stringify([[...cells]], {
            delimiter: format === 'csv' ? ',' : '\t',
            cast: { string: (value) => ({ value, quoted_empty: value === '' }) },
          }),
        )
        expect([...rowLines(objects, columns, format)]).toEqual(expected)
      },
    ),
    runs(1000),
  )
})

const asText = (value: unknown): unknown => (typeof value === 'boolean' ? String(value) : value)

test.each([
  ['a,ö\n1,2\n', 'latin1', 'windows-1252'],
  ['\uFEFFa,b\n1,2\n', 'utf16le', 'utf-16'],
] as const)('the remedy for %j as %s is to convert from %s', async (text, encoding, shown) => {
  const folder = mkdtempSync(join(tmpdir(), 'entia-encoding-'))
  try {
    const path = join(folder, 'a.csv')
    writeFileSync(path, Buffer.from(text, encoding))
    await expect(readText(path)).rejects.toThrow(`convert it: iconv -f ${shown} -t utf-8 `)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
