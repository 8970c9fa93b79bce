import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
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
