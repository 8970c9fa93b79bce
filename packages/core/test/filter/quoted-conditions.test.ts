import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { printFilter } from '../../src/filter/print-filter.ts'
import type { ConditionSyntax } from '../../src/filter/syntax.ts'
import { filterSyntax } from './syntax-arbitraries.ts'

/** A filter in which `open` and `close` stand for one-character marks around a condition. */
type Marked = readonly (string | { readonly mark: 'open' | 'close'; readonly quote: "'" | '"' })[]

/**
 * Puts some conditions of a filter in marks. In quotes none may contain the same quote, which would
 * end it.
 */
const marked: fc.Arbitrary<Marked> = fc
  .array(fc.tuple(filterSyntax, fc.constantFrom("'" as const, '"' as const), fc.boolean()), {
    minLength: 1,
    maxLength: 4,
  })
  .chain((parts) =>
    fc
      .array(fc.constantFrom('and', 'or', 'except', '&', '^', 'and not', 'or !'), {
        minLength: parts.length,
        maxLength: parts.length,
      })
      .map((words) =>
        parts.flatMap(([{ condition }, quote, isGroup], at): Marked => {
          const text = condition === null ? 'a = 1' : printFilter({ condition, orderBy: null })
          const inMarks: Marked = text.includes(quote)
            ? ['(', text, ')']
            : [{ mark: 'open', quote }, text, { mark: 'close', quote }]
          const group: Marked = isGroup ? ['( ', ...inMarks, ' )'] : inMarks
          return at === 0 ? group : [` ${words[at]} `, ...group]
        }),
      ),
  )

const inQuotes = (parts: Marked): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.quote)).join('')
const inParentheses = (parts: Marked): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.mark === 'open' ? '(' : ')')).join('')

/** The result of a text: its tree with all positions, or the code and position of the refusal. */
function outcome(text: string): unknown {
  try {
    return parseFilter(text)
  } catch (error) {
    if (!isEntiaError(error)) throw error
    return [error.code, 'offset' in error.details ? error.details.offset : null]
  }
}

describe('conditions in quotes', () => {
  test('quotes around a condition are its parentheses: the tree is the same, with every place in the text', () => {
    fc.assert(
      fc.property(marked, (parts) => {
        expect(outcome(inQuotes(parts))).toEqual(outcome(inParentheses(parts)))
      }),
    )
  })

  test.each<[string, string]>([
    ["('a=1' or 'a=2') and 'b>0'", '(a = 1 or a = 2) and b > 0'],
    [`"a = 'x'" and 'b = "y"'`, "a = 'x' and b = 'y'"],
    [`not "a = 1"`, 'not a = 1'],
    [`"('a=:1' or 'a=:2') and b > 0"`, '(a = :1 or a = :2) and b > 0'],
    [`'a = 1' order by b desc`, 'a = 1 order by b desc'],
    [`"a = O'Reilly" or "b = \\u0022"`, `a = O'Reilly or b = '"'`],
  ])('%s', (text, same) => {
    const tree = ({ condition, orderBy }: ReturnType<typeof parseFilter>): unknown =>
      printFilter({ condition: condition as ConditionSyntax, orderBy })
        .replaceAll("'", '')
        .replace('\\u0022', '"')
    expect(tree(parseFilter(text))).toBe(tree(parseFilter(same)))
  })

  test.each<[string, string, number]>([
    ["'a = 1' and 'b ~ 2'", 'filterOperator', 15],
    ["'a = 1' and 'b = '", 'filterSyntax', 17],
    [`'a = 1' and "b = 'x"`, 'filterSyntax', 17],
    ["'a = 1' and 'b = 2", 'filterSyntax', 12],
    [`"'eval(1)'"`, 'formulaNotAllowed', 2],
    ["''", 'filterSyntax', 1],
    ["'a = 1' 'b = 2'", 'filterSyntax', 8],
    ["'a = 1 order by b'", 'filterSyntax', 7],
  ])('%s is refused at its place', (text, code, offset) => {
    expect(outcome(text)).toEqual([code, offset])
  })

  test('quotes count as levels', () => {
    const nested = `${'('.repeat(63)}'a = 1'${')'.repeat(63)}`
    expect(outcome(nested)).toMatchObject({ orderBy: null })
    expect(outcome(`(${nested})`)).toEqual(['filterTooLarge', null])
  })
})
