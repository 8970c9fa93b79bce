import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { printFilter } from '../../src/filter/print-filter.ts'
import { indexSets, offices } from '../arbitraries.ts'
import { queries } from '../filter-arbitraries.ts'
import { patience, runs } from '../runs.ts'
import { officeOf, outcome } from './office-store.ts'

/** A tree without the positions of its parts. */
function withoutPlaces(tree: unknown): unknown {
  return JSON.parse(
    JSON.stringify(tree, (name, value) =>
      name === 'at' || name === 'position' ? undefined : value,
    ),
  )
}

test('a printed filter parses to the same filter and prints the same', patience, () => {
  fc.assert(
    fc.property(queries('Employee'), ({ text }) => {
      const tree = parseFilter(text)
      const printed = printFilter(tree)
      expect(withoutPlaces(parseFilter(printed))).toEqual(withoutPlaces(tree))
      expect(printFilter(parseFilter(printed))).toBe(printed)
    }),
    runs(280),
  )
})

test('a printed filter selects the same entities', patience, () => {
  fc.assert(
    fc.property(offices(), indexSets, queries('Employee'), (data, indexes, { text, params }) => {
      const { Employee } = officeOf(data, indexes)
      const printed = printFilter(parseFilter(text))
      expect(outcome(() => Employee.query(printed, params).keys())).toEqual(
        outcome(() => Employee.query(text, params).keys()),
      )
    }),
    runs(55),
  )
})

test(
  'a value selects the same entities in any quotes or as a placeholder, and is never parsed as filter text',
  patience,
  () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom(
        "' or name != '",
        '\\u0027',
        '"',
        "a' order by ID desc",
        ':1',
        '\\',
        'null',
        'true',
        '[a]',
        '@',
        '(',
        '!!',
      ),
    )
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 5 }), texts, (names, value) => {
        fc.pre(!/[@*]/.test(value))
        const { Employee } = officeOf({
          Company: [],
          Employee: names.concat(value).map((name, i) => ({ ID: i + 1, name })),
          Badge: [],
        })
        const quoted = (quote: string) =>
          quote +
          value.replace(
            /['"\\]/g,
            (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
          ) +
          quote
        const expected = Employee.query('name === :1', [value]).keys()
        expect(expected).toContain(names.length + 1)
        for (const filter of [
          `name === ${quoted("'")}`,
          `name === ${quoted('"')}`,
          `name = ${quoted("'")}`,
        ])
          expect(Employee.query(filter).keys()).toEqual(expected)
        expect(Employee.query('name in :list', { list: [value] }).keys()).toEqual(expected)
      }),
      runs(105),
    )
  },
)
