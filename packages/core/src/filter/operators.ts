// The comparison operators of the filter language: how each is spelled, which values it takes, and
// the test that it becomes. Everything that depends on the operator is read from here: parsing,
// printing, binding, plans, advice, typed queries, and the lists that completions and guides show
// (npm run generate). A file without imports, of separate tables: a bundle takes those it uses.
//
// An operator is *bound* to a test of few kinds (`Test` in predicate.ts). Loops, index ranges and
// SQL exist per kind of test, so that an operator that is a pattern of texts needs none of its own.

export type Operator =
  | 'equal'
  | 'notEqual'
  | 'identical'
  | 'notIdentical'
  | 'greater'
  | 'greaterEqual'
  | 'less'
  | 'lessEqual'
  | 'begin'
  | 'end'
  | 'keyword'
  | 'in'
  | 'isIn'
  | 'escapedLike'

/** The operators with a list at their right side. */
export type ListOperator = 'in' | 'isIn'

interface OperatorRow {
  /** All spellings, in small letters. Syntax trees and plans are printed with the first. */
  readonly spellings: readonly [string, ...string[]]
  /** The test of a value without wildcards; null for an operator that takes text only. */
  readonly test: ValueTest | null
  /** True where `@` and `*` stand for any characters. */
  readonly hasWildcards?: true
  /** The operator that it negates. */
  readonly negates?: Operator
  /** The end of a text that the value must be, as it is: nothing in it is a wildcard. */
  readonly anchor?: 'start' | 'end'
}
type ValueTest = 'equal' | 'notEqual' | 'greater' | 'greaterEqual' | 'less' | 'lessEqual' | 'in'

export const OPERATORS: { readonly [O in Operator]: OperatorRow } = {
  equal: { spellings: ['=', '==', 'eq', 'like'], test: 'equal', hasWildcards: true },
  notEqual: {
    spellings: ['!=', '#', '= not', '== not'],
    test: 'notEqual',
    hasWildcards: true,
    negates: 'equal',
  },
  identical: { spellings: ['===', 'is', 'eqeq'], test: 'equal' },
  notIdentical: {
    spellings: ['!==', 'is not', 'isnot', '##', 'nene'],
    test: 'notEqual',
    negates: 'identical',
  },
  greater: { spellings: ['>', 'gt'], test: 'greater' },
  greaterEqual: { spellings: ['>=', 'gte', 'gteq'], test: 'greaterEqual' },
  less: { spellings: ['<', 'lt'], test: 'less' },
  lessEqual: { spellings: ['<=', 'lte', 'lteq'], test: 'lessEqual' },
  begin: { spellings: ['begin'], test: null, anchor: 'start' },
  end: { spellings: ['end'], test: null, anchor: 'end' },
  keyword: { spellings: ['%', '%%'], test: null },
  in: { spellings: ['in'], test: 'in', hasWildcards: true },
  isIn: { spellings: ['isin'], test: 'in' },
  escapedLike: { spellings: ['esclike'], test: null, hasWildcards: true },
}

/** True for an operator with a list at its right side. */
export const takesList = (operator: Operator): operator is ListOperator =>
  operator === 'in' || operator === 'isIn'

/** True for `!=` and `!==`. */
export const isNegative = (operator: Operator): boolean => OPERATORS[operator].negates !== undefined

/** The spelling of operators with wildcards for values that are no patterns. */
export const LITERAL: { readonly [spelling: string]: string } = {
  '=': '===',
  '!=': '!==',
  in: 'isin',
}

/** The operators of typed queries; the first four compare with null too. */
export const CONDITION_OPERATORS = [
  ...(['=', '===', '!=', '!=='] as const),
  ...(['>', '>=', '<', '<=', 'like', 'begin', 'end', '%', 'in'] as const),
] as const

export interface TestRow {
  /** In descriptions of plans. */
  readonly sign: string
  /** In the conditions of the protocol's plans, if it differs. */
  readonly planned?: string
  /** True for a test that every value of another type satisfies, inside an object. */
  readonly takesOtherTypes?: true
  /** The test that a value which is not null satisfies if it does not satisfy this one. */
  readonly complement?: Exclude<ValueTest, 'in'>
  /** True if an index of the attribute answers it, whatever the value is. */
  readonly isIndexable?: true
}

/** The kinds of test that operators are bound to. */
export const TESTS = {
  isNull: { sign: 'is null', isIndexable: true },
  isNotNull: { sign: 'is not null', takesOtherTypes: true },
  equal: { sign: '=', planned: '===', complement: 'notEqual', isIndexable: true },
  notEqual: { sign: '!=', planned: '!==', complement: 'equal', takesOtherTypes: true },
  less: { sign: '<', complement: 'greaterEqual', isIndexable: true },
  lessEqual: { sign: '<=', complement: 'greater', isIndexable: true },
  greater: { sign: '>', complement: 'lessEqual', isIndexable: true },
  greaterEqual: { sign: '>=', complement: 'less', isIndexable: true },
  like: { sign: '=' },
  notLike: { sign: '!=', planned: '#', takesOtherTypes: true },
  exact: { sign: 'is exactly', planned: 'exactly', isIndexable: true },
  notExact: { sign: 'is not exactly', planned: 'not exactly', takesOtherTypes: true },
  keyword: { sign: '%' },
  in: { sign: 'in', isIndexable: true },
} as const satisfies { readonly [op: string]: TestRow }

interface NamedTest {
  readonly op: keyof typeof TESTS
  /** The operator of a pattern that no wildcards were written for. */
  readonly written?: Operator
}

/** How descriptions of plans print the operator of a test. */
export const signOf = ({ op, written }: NamedTest): string =>
  written === undefined ? TESTS[op].sign : OPERATORS[written].spellings[0]

/** How conditions in the protocol's plans print the operator of a test. */
export const plannedSignOf = (test: NamedTest): string => {
  const { planned }: TestRow = TESTS[test.op]
  return test.written !== undefined || planned === undefined ? signOf(test) : planned
}

/** True if an index could answer comparisons that plans print with this operator. */
export const isIndexable = (planned: string): boolean =>
  Object.values<TestRow>(TESTS).some(
    (row) => row.isIndexable && (row.planned ?? row.sign) === planned,
  ) ||
  Object.values(OPERATORS).some(
    ({ anchor, spellings }) => anchor === 'start' && spellings[0] === planned,
  )

interface Help {
  /** The detail of a completion. */
  readonly meaning: string
  /** Operators and their meaning for assistants; none if another row tells it. */
  readonly guide?: readonly [operators: string, meaning: string]
}

/** What the lists of tools say, in their order. */
export const OPERATOR_HELP: { readonly [O in Operator]: Help } = {
  equal: {
    meaning: 'equals; @ and * are wildcards',
    guide: [
      '=  !=',
      "equal, not equal. Texts ignore case and accents. @ or * is a wildcard: name = 'mc@'",
    ],
  },
  notEqual: { meaning: 'differs' },
  identical: {
    meaning: 'equals, no wildcards',
    guide: ['=== !==', 'the same without wildcards'],
  },
  notIdentical: { meaning: 'differs, no wildcards' },
  greater: {
    meaning: 'is greater',
    guide: ['> >= < <=', 'numbers, texts, dates, durations'],
  },
  greaterEqual: { meaning: 'is greater or equal' },
  less: { meaning: 'is less' },
  lessEqual: { meaning: 'is less or equal' },
  begin: { meaning: 'begins with', guide: ['begin', 'a text that begins with the value'] },
  end: { meaning: 'ends with', guide: ['end', 'a text that ends with the value'] },
  keyword: {
    meaning: 'holds these words',
    guide: ['%', 'a text that contains all words of the value, in any order'],
  },
  in: {
    meaning: 'is one of [a, b]; @ and * are wildcards',
    guide: ['in', "one of a list: state in ['TX', 'CA'] or state in :1 with a list as parameter"],
  },
  isIn: {
    meaning: 'is one of [a, b], no wildcards',
    guide: ['isin', 'the same without wildcards'],
  },
  escapedLike: { meaning: 'equals; \\@ and \\* are no wildcards' },
}
