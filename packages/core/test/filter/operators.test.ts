import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  CONDITION_OPERATORS,
  isIndexable,
  LITERAL,
  OPERATOR_HELP,
  OPERATORS,
  type Operator,
} from '../../src/filter/operators.ts'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { printFilter } from '../../src/filter/print-filter.ts'
import type { ConditionOperator } from '../../src/model/condition-types.ts'

const rows = Object.entries(OPERATORS) as [Operator, (typeof OPERATORS)[Operator]][]

/** The operator that a filter with this spelling has. */
function read(spelling: string): Operator | null {
  for (const value of ['x', '[x]']) {
    try {
      const { condition } = parseFilter(`a ${spelling} ${value}`)
      if (condition?.kind === 'comparison') return condition.operator
    } catch {}
  }
  return null
}

describe('the table of operators', () => {
  test.each(rows)(
    '%s is read from each of its spellings, in any case',
    (operator, { spellings }) => {
      for (const spelling of spellings) {
        expect(read(spelling), spelling).toBe(operator)
        expect(read(spelling.toUpperCase()), spelling).toBe(operator)
      }
    },
  )

  test.each(rows)('%s is printed with its first spelling', (_operator, { spellings }) => {
    const [first] = spellings
    const value = first === 'in' || first === 'isin' ? '[x]' : 'x'
    for (const spelling of spellings)
      expect(printFilter(parseFilter(`a ${spelling} ${value}`))).toBe(`a ${first} ${value}`)
  })

  test('gives no spelling to two operators', () => {
    const all = rows.flatMap(([, { spellings }]) => spellings)
    expect(all.length).toBe(new Set(all).size)
  })

  test('has the operators of typed queries', () => {
    expectTypeOf<(typeof CONDITION_OPERATORS)[number]>().toEqualTypeOf<ConditionOperator>()
    for (const operator of CONDITION_OPERATORS) expect(read(operator), operator).not.toBeNull()
  })

  test('names, for each operator with wildcards, the one without', () => {
    for (const [operator, { spellings, hasWildcards, test: bound }] of rows) {
      const literal = LITERAL[spellings[0]]
      expect(literal !== undefined, operator).toBe(hasWildcards === true && bound !== null)
      if (literal !== undefined) {
        const other = OPERATORS[read(literal) as Operator]
        expect([other.test, other.hasWildcards]).toEqual([bound, undefined])
      }
    }
  })

  test('negates operators with the same wildcards only', () => {
    for (const [operator, { negates, hasWildcards }] of rows)
      if (negates !== undefined)
        expect(OPERATORS[negates].hasWildcards, operator).toBe(hasWildcards)
  })

  test('advises indexes for what an index answers whatever the value is', () => {
    const planned = ['=', '#', '===', '!==', 'exactly', 'not exactly', '>', '>=', '<', '<=', '%']
    const words = ['in', 'is null', 'is not null', ...rows.map(([, { spellings }]) => spellings[0])]
    expect([...new Set([...planned, ...words])].filter(isIndexable).sort()).toEqual(
      ['===', 'exactly', '>', '>=', '<', '<=', 'begin', 'in', 'is null'].sort(),
    )
  })

  test('explains every operator', () => {
    expect(Object.keys(OPERATOR_HELP).sort()).toEqual(Object.keys(OPERATORS).sort())
  })
})
