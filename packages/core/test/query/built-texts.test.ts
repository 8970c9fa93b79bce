// Builds conditions from random filters and compares them with the text of these filters.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Operator } from '../../src/filter/operators.ts'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { printFilter } from '../../src/filter/print-filter.ts'
import type {
  ConditionSyntax,
  PathSyntax,
  ScalarSyntax,
  SubjectSyntax,
  ValueSyntax,
} from '../../src/filter/syntax.ts'
import type { Condition } from '../../src/model/condition-types.ts'
import { where } from '../../src/query/where.ts'
import { indexSets, offices } from '../arbitraries.ts'
import { officeOf, outcome, type Table } from '../engine/office-store.ts'
import { filterSyntax } from '../filter/syntax-arbitraries.ts'
import { type FilterText, filters } from '../filter-arbitraries.ts'
import { CLASS_NAMES, type ClassName, SHAPE } from '../oracle/office.ts'
import { patience, runs } from '../runs.ts'
import { type AnyWhere, buildCondition, normalized } from './build-condition.ts'

const on = (name: string) => where({ name }) as AnyWhere

/** Scalars without their places. Texts with and without quotes are both texts. */
const textOf = (scalar: ScalarSyntax): unknown =>
  scalar.kind === 'null' ? null : scalar.kind === 'placeholder' ? scalar.name : scalar.text
const textsOf = (value: ValueSyntax): unknown =>
  value.kind === 'list' ? value.items.map(textOf) : textOf(value)

/**
 * Leaves out filters that a builder cannot express: null in lists and with order signs, paths as
 * values.
 */
function isBuildable(tree: ConditionSyntax): boolean {
  switch (tree.kind) {
    case 'and':
    case 'or':
      return tree.parts.every(isBuildable)
    case 'except':
      return isBuildable(tree.left) && isBuildable(tree.right)
    case 'not':
      return isBuildable(tree.part)
    case 'isTrue':
      return tree.path.kind === 'path'
    case 'comparison': {
      const { path, operator, value } = tree
      if (path.kind !== 'path') return false
      if (value.kind === 'list')
        return operator === 'in' && value.items.every(({ kind }) => kind !== 'null')
      // A list in code is written `isin` only where it must be.
      if (operator === 'in' || operator === 'isIn') return false
      return value.kind !== 'null' || /^(equal|identical|not)/i.test(operator)
    }
  }
}

const LITERAL: { readonly [operator: string]: Operator } = {
  equal: 'identical',
  notEqual: 'notIdentical',
  in: 'isIn',
}
/** The tree with operators without wildcards wherever a text has one: code has no patterns. */
function literal(
  tree: ConditionSyntax,
  readValue: (scalar: ScalarSyntax, subject: SubjectSyntax) => unknown,
): ConditionSyntax {
  const of = (part: ConditionSyntax) => literal(part, readValue)
  switch (tree.kind) {
    case 'and':
    case 'or':
      return { kind: tree.kind, parts: tree.parts.map(of) }
    case 'except':
      return { kind: 'except', left: of(tree.left), right: of(tree.right) }
    case 'not':
      return { kind: 'not', part: of(tree.part) }
    case 'isTrue':
      return tree
    case 'comparison': {
      const { path, value, operator } = tree
      const scalars = value.kind === 'list' ? value.items : [value]
      const isPattern = scalars
        .flatMap((scalar) => readValue(scalar, path))
        .some((text) => typeof text === 'string' && /[@*]/.test(text))
      return isPattern ? { ...tree, operator: LITERAL[operator] ?? operator } : tree
    }
  }
}

test('the text of a condition parses to the tree that it was built from, with its values', () => {
  fc.assert(
    fc.property(filterSyntax, ({ condition: given }) => {
      fc.pre(given !== null && isBuildable(given))
      const tree = literal(given, textOf)
      const condition = buildCondition(on('Employee'), tree, textOf)
      const { text, params } = condition
      const values = (value: ValueSyntax): unknown =>
        value.kind === 'placeholder' ? params[value.position! - 1] : textsOf(value)
      const parsed = parseFilter(text).condition!
      expect(normalized(parsed, values)).toEqual(normalized(tree, textsOf))
      expect(text).not.toMatch(/['"]/)
      const printed = parseFilter(String(condition)).condition!
      expect(normalized(printed, textsOf)).toEqual(normalized(tree, textsOf))
    }),
    runs(1500),
  )
})

/** True for a property of an object attribute, where a word without quotes may be a number. */
function isProperty(className: ClassName, { steps }: PathSyntax): boolean {
  let current = className
  for (const { name } of steps) {
    const attribute = SHAPE[current].attributes[name]
    if (attribute?.kind !== 'one' && attribute?.kind !== 'many')
      return attribute?.kind === 'value' && attribute.type === 'object'
    current = attribute.target
  }
  return false
}

/** The scalar of a filter as a value in code. */
function valueIn(className: ClassName, { params }: FilterText) {
  const given: object = params
  return (scalar: ScalarSyntax, subject: SubjectSyntax): unknown => {
    if (scalar.kind === 'null') return null
    if (scalar.kind === 'placeholder')
      return Object.entries(given).find(([name]) =>
        scalar.position === null ? name === scalar.name : Number(name) === scalar.position - 1,
      )?.[1]
    const { kind, text } = scalar
    if (kind === 'quoted' || subject.kind !== 'path' || !isProperty(className, subject)) return text
    if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
    return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  }
}

/**
 * The filter with quotes around its words: unquoted, `true` is refused for a text, and code always
 * passes a text.
 */
function inQuotes(className: ClassName, tree: ConditionSyntax): ConditionSyntax {
  const of = (part: ConditionSyntax) => inQuotes(className, part)
  switch (tree.kind) {
    case 'and':
    case 'or':
      return { kind: tree.kind, parts: tree.parts.map(of) }
    case 'except':
      return { kind: 'except', left: of(tree.left), right: of(tree.right) }
    case 'not':
      return { kind: 'not', part: of(tree.part) }
    case 'isTrue':
      return tree
    case 'comparison': {
      const { path, value } = tree
      if (path.kind !== 'path' || isProperty(className, path)) return tree
      const quoted = (scalar: ScalarSyntax): ScalarSyntax =>
        scalar.kind === 'bare' ? { ...scalar, kind: 'quoted' } : scalar
      return {
        ...tree,
        value: value.kind === 'list' ? { ...value, items: value.items.map(quoted) } : quoted(value),
      }
    }
  }
}

/** Milliseconds compare with dates as values of placeholders only; the types refuse them. */
const hasEpoch = ({ text, params }: Condition): boolean =>
  /born|hired/.test(text) && params.flat().some((value) => typeof value === 'number')

const asked = fc
  .constantFrom(...CLASS_NAMES, 'Employee' as const)
  .chain((className) => fc.tuple(fc.constant(className), filters(className)))

test('a condition selects what the filter selects that it was built from', patience, () => {
  let selected = 0
  fc.assert(
    fc.property(offices(), indexSets, asked, (data, indexes, [className, filter]) => {
      const table: Table = officeOf(data, indexes).dataClass(className)
      const parsed = parseFilter(filter.text).condition!
      const tree = literal(inQuotes(className, parsed), valueIn(className, filter))
      const text = printFilter({ condition: tree, orderBy: null })
      const expected = outcome(() => table.query(text, filter.params).keys())
      const build = () => buildCondition(on(className), tree, valueIn(className, filter))
      const query = (given: unknown) => table.query(given as string).keys()
      expect(outcome(() => query(build()))).toEqual(expected)
      expect(outcome(() => query(build))).toEqual(expected)
      if (expected === 'refused') return
      selected += expected.length
      const condition = build()
      expect(table.query(condition.text, condition.params as unknown[]).keys()).toEqual(expected)
      if (!hasEpoch(condition)) expect(query(String(condition))).toEqual(expected)
      expect(
        table
          .all()
          .query(condition as unknown as string)
          .keys(),
      ).toEqual(expected)
    }),
    runs(300, 300),
  )
  expect(selected).toBeGreaterThan(100)
})
