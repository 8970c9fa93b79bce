import { expect, test } from 'vitest'
import type { FilterParameters } from '../../src/model/selection-types.ts'
import { refusalOf } from '../filter/refusal.ts'
import { CELLS, type CellOperator, EQUALITIES, SUBJECTS, type Subject } from './cells.ts'
import { OPERATORS, type Operator } from './tree.ts'
import { ASKED } from './values.ts'
import { newStore } from './world.ts'

/** One spelling of each operator. */
const SIGNS: { readonly [O in Operator]: string } = {
  equal: '=',
  identical: '===',
  notEqual: '!=',
  notIdentical: '!==',
  greater: '>',
  greaterEqual: '>=',
  less: '<',
  lessEqual: '<=',
  begin: 'begin',
  end: 'end',
  keyword: '%',
  in: 'in',
}

/** Texts that are not literals of a type, and values of other types. */
const WRONG: {
  readonly [type: string]: {
    readonly written: readonly string[]
    readonly given: readonly unknown[]
  }
} = {
  text: { written: ['true', 'false'], given: [1, true, {}, ['a']] },
  exactText: { written: ['true'], given: [0, false] },
  uuid: { written: ["'0011'", "''", "'0011223344556677889-9AABBCCDDEEFF'"], given: [1, 'g', true] },
  long: {
    written: ['high', "''", "'1 2'", "'0x10'", "'1e999'", 'true'],
    given: ['x', true, Number.NaN, {}],
  },
  long64: { written: ['high', "'1,5'"], given: ['', false, 1n] },
  number: {
    written: ['high', "'Infinity'", "'--1'"],
    given: [Number.POSITIVE_INFINITY, true, 'x'],
  },
  bool: { written: ['1', "'trues'", 'yes'], given: [1, 0, 'x'] },
  instant: {
    written: ['2024-02-30', "'2024-02-29T25:00'", 'today', '1.5'],
    given: [new Date(Number.NaN), 0.5, true, 'x'],
  },
  day: { written: ['2023-02-29', "'2024-13-01'", '20240229'], given: ['29.2.2024', true] },
  duration: { written: ["'00:60:00'", 'long', "'1:2'"], given: ['00:00', true] },
}

const FIRST_OF_LABEL = [...new Map(SUBJECTS.map((subject) => [subject.label, subject])).values()]
const allowed = new Set(CELLS.map(({ label, operator, form }) => `${label} ${operator} ${form}`))
const isAllowed = ({ label }: Subject, operator: CellOperator, form: string): boolean =>
  allowed.has(`${label} ${operator} ${form}`)

function pathOf({ attribute, properties }: Subject): string {
  const [first, ...rest] = properties
  if (first === undefined) return attribute.name
  const marked = (name: string, element: string | null): string =>
    element === null ? name : `${name}[${element}]`
  const own =
    first.name === ''
      ? [marked(attribute.name, first.element)]
      : [attribute.name, marked(first.name, first.element)]
  return [...own, ...rest.map(({ name, element }) => marked(name, element))].join('.')
}

/** A value that fits the subject, so that only the operator can be wrong. */
function fitting({ type, json }: Subject): { readonly written: string; readonly given: unknown } {
  if (json === 'number' || json === 'bool')
    return json === 'number' ? { written: '2', given: 2 } : { written: 'true', given: true }
  const [asked] = ASKED[type ?? 'text']
  return { written: `'${asked.written[0]}'`, given: asked.given[0] }
}

const store = newStore()
const KEYS = { Item: 'ID = 1', Owner: "code = 'a'", Place: 'token = @' }

function codeOf({ owner }: Subject, text: string, parameters?: FilterParameters): string {
  const codes = [text, `${KEYS[owner]} or ${text}`].map(
    (filter) => refusalOf(() => store.dataClass(owner).query(filter, parameters).count).code,
  )
  // A comparison is also refused beside a valid one, and in an empty dataclass.
  expect(codes[1]).toBe(codes[0])
  return codes[0]
}

test.each(FIRST_OF_LABEL.map((subject) => [subject.label, subject] as const))(
  '%s: every operator that is not in the table is refused, with its code',
  (_label, subject) => {
    const path = pathOf(subject)
    const { written, given } = fitting(subject)
    for (const operator of OPERATORS) {
      const sign = SIGNS[operator]
      const isList = operator === 'in'
      const wanted = `${path} ${sign}`
      if (!isAllowed(subject, operator, 'written')) {
        expect(
          codeOf(subject, `${path} ${sign} ${isList ? `[${written}]` : written}`),
          wanted,
        ).toBe('filterCannotBeAnalysed')
        expect(codeOf(subject, `${path} ${sign} :1`, [isList ? [given] : given]), wanted).toBe(
          'filterCannotBeAnalysed',
        )
      } else {
        // A given null cannot be compared with these operators.
        expect(codeOf(subject, `${path} ${sign} :1`, [null]), wanted).toBe('placeholderMissing')
        expect(codeOf(subject, `${path} ${sign} :1`), wanted).toBe('placeholderMissing')
        if (isList)
          expect(codeOf(subject, `${path} in :1`, [[given, null]]), wanted).toBe(
            'placeholderMissing',
          )
        if (isList)
          expect(codeOf(subject, `${path} in [:1]`, [null]), wanted).toBe('placeholderMissing')
      }
      if (isList) {
        expect(codeOf(subject, `${path} in null`), wanted).toBe('filterSyntax')
        expect(codeOf(subject, `${path} in [${written}, null]`), wanted).toBe(
          'filterCannotBeAnalysed',
        )
        expect(codeOf(subject, `${path} in ${written}`), wanted).toBe('filterSyntax')
      } else {
        if (!EQUALITIES.includes(operator))
          expect(codeOf(subject, `${path} ${sign} null`), wanted).toBe('filterCannotBeAnalysed')
        expect(codeOf(subject, `${path} ${sign} [${written}]`), wanted).toBe('filterSyntax')
      }
    }
    // Inside an object, a path alone compares with true, whatever its value.
    if (subject.json === null && subject.type !== 'bool')
      expect(codeOf(subject, path)).toBe('filterCannotBeAnalysed')
  },
)

test.each(
  FIRST_OF_LABEL.filter(({ type }) => type !== null).map(
    (subject) => [subject.label, subject] as const,
  ),
)('%s: what is no value of the type is refused by every operator', (_label, subject) => {
  const path = pathOf(subject)
  const { written, given } = WRONG[subject.type ?? '']
  for (const operator of OPERATORS) {
    if (!isAllowed(subject, operator, 'written')) continue
    // A part of a UUID need not be a complete one.
    const isPart = subject.type === 'uuid' && (operator === 'begin' || operator === 'end')
    const sign = SIGNS[operator]
    for (const text of written) {
      if (isPart) continue
      expect(
        codeOf(subject, `${path} ${sign} ${operator === 'in' ? `[${text}]` : text}`),
        text,
      ).toBe('filterCannotBeAnalysed')
    }
    for (const value of given) {
      if (isPart && typeof value === 'string') continue
      expect(codeOf(subject, `${path} ${sign} :1`, [operator === 'in' ? [value] : value])).toBe(
        'filterCannotBeAnalysed',
      )
    }
  }
})
