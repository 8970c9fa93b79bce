import { parseFilter, parsePath } from '../../src/filter/parse-filter.ts'
import type {
  ComparisonSyntax,
  ConditionSyntax,
  PathSyntax,
  StepSyntax,
  SubjectSyntax,
} from '../../src/filter/syntax.ts'
import {
  type ClassName,
  type PlainAttribute,
  type PlainClass,
  type PlainData,
  type Row,
  related,
  SHAPE,
} from './office.ts'
import { plainTest, type Target, type Test } from './plain-test.ts'
import { comparable, Refused } from './plain-value.ts'
import { type Property, propertiesHold } from './property.ts'

export type Params = readonly unknown[] | { readonly [name: string]: unknown }

/**
 * The naive scan: the rows of a dataclass that a filter selects, in record order. It tests every
 * row with every comparison, and resolves every relation by a scan. Throws `Refused` for an invalid
 * comparison, even in an empty dataclass.
 */
export function evaluate(
  data: PlainData,
  className: ClassName,
  text: string,
  params: Params = [],
): readonly Row[] {
  const { condition } = parseFilter(text)
  if (condition === null) return data[className]
  const scan = new Scan(data, params)
  scan.check(className, condition)
  return data[className].filter((row) => scan.holds(className, row, condition))
}

/** A comparison that follows relations: `path` is the remaining part. */
interface Term {
  readonly path: readonly StepSyntax[]
  readonly comparison: Pick<ComparisonSyntax, 'operator' | 'value'>
}

class Scan {
  readonly data: PlainData
  readonly params: Params
  constructor(data: PlainData, params: Params) {
    this.data = data
    this.params = params
  }

  /** Tests a missing row, so that invalid comparisons are refused there too. */
  check(className: ClassName, condition: ConditionSyntax): void {
    switch (condition.kind) {
      case 'and':
      case 'or':
        for (const part of condition.parts) this.check(className, part)
        return
      case 'except':
        this.check(className, condition.left)
        this.check(className, condition.right)
        return
      case 'not':
        this.check(className, condition.part)
        return
      default:
        this.checkTerm(className, this.termOf(condition))
    }
  }

  holds(className: ClassName, row: Row, condition: ConditionSyntax): boolean {
    switch (condition.kind) {
      case 'or':
        return condition.parts.some((part) => this.holds(className, row, part))
      case 'except':
        return (
          this.holds(className, row, condition.left) && !this.holds(className, row, condition.right)
        )
      case 'not':
        return !this.holds(className, row, condition.part)
      default: {
        const parts = conjuncts(condition)
        const comparisons = parts.filter(
          (part) => part.kind === 'comparison' || part.kind === 'isTrue',
        )
        const others = parts.filter((part) => part.kind !== 'comparison' && part.kind !== 'isTrue')
        return (
          others.every((part) => this.holds(className, row, part)) &&
          this.allHold(
            className,
            row,
            comparisons.map((part) => this.termOf(part)),
          )
        )
      }
    }
  }

  /**
   * Tests a conjunction of comparisons on one row (null for a missing one). Comparisons over the
   * same relation (and `{n}`) are about the same related row.
   */
  private allHold(className: ClassName, row: Row | null, terms: readonly Term[]): boolean {
    const joins = new Map<string, Term[]>()
    const properties = new Map<string, Property[]>()
    for (const { path: written, comparison } of terms) {
      const path = expand(className, written)
      const [step, ...rest] = path
      const attribute = attributeOf(className, step.name)
      if (attribute.kind === 'many' && rest.length === 0) {
        if (
          (related(this.data, className, row, step.name).length === 0) ===
          isNegative(comparison.operator)
        )
          return false
      } else if (attribute.kind === 'one' && rest.length === 0) {
        const isMissing = related(this.data, className, row, step.name).length === 0
        if (isMissing === isNegative(comparison.operator)) return false
      } else if (attribute.kind === 'one' || attribute.kind === 'many') {
        addTo(joins, `${step.name}{${instanceOf(className, path)}}`, { path: rest, comparison })
      } else if (attribute.kind !== 'alias' && (rest.length > 0 || step.element !== null)) {
        const property = {
          path: step.element === null ? rest : path,
          ...this.testOf('json', false, false, comparison),
        }
        // A mark on the attribute itself (`list[]`) is read from a parent.
        addTo(properties, step.element === null ? step.name : `${step.name}[]`, property)
      } else if (!this.valueHolds(attribute, row, step.name, comparison)) {
        return false
      }
    }
    for (const [place, group] of properties) {
      const name = place.replace('[]', '')
      const root = row === null ? null : row[name]
      if (!propertiesHold(place === name ? root : { [name]: root }, group)) return false
    }
    for (const [join, group] of joins)
      if (!this.joinHolds(className, row, join.split('{')[0], group)) return false
    return true
  }

  private joinHolds(
    className: ClassName,
    row: Row | null,
    name: string,
    terms: readonly Term[],
  ): boolean {
    const relation = attributeOf(className, name)
    if (relation.kind !== 'one' && relation.kind !== 'many') throw new Refused(name)
    // Behind an empty to-one relation every value is missing.
    if (row === null) return this.allHold(relation.target, null, terms)
    const rows = related(this.data, className, row, name)
    if (relation.kind === 'one') return this.allHold(relation.target, rows[0] ?? null, terms)
    return rows.some((other) => this.allHold(relation.target, other, terms))
  }

  private valueHolds(
    attribute: PlainAttribute,
    row: Row | null,
    name: string,
    comparison: Term['comparison'],
  ): boolean {
    if (attribute.kind !== 'value' && attribute.kind !== 'computed') throw new Refused(name)
    const { type } = attribute
    const isExact = attribute.kind === 'value' && attribute.isExact === true
    const dateOnly = attribute.kind === 'value' && attribute.dateOnly === true
    const { test } = this.testOf(type, isExact, dateOnly, comparison)
    if (row === null) return test(null)
    const found = attribute.kind === 'computed' ? attribute.get(row) : row[name]
    // A keyword search uses the words as they are written.
    return test(comparable(type, isExact, dateOnly, found), found)
  }

  private testOf(
    type: Target['type'],
    isExact: boolean,
    dateOnly: boolean,
    { operator, value }: Term['comparison'],
  ): Omit<Property, 'path'> {
    const make = (asked: ComparisonSyntax['operator']): Test =>
      plainTest({ type, isExact, dateOnly }, asked, value, (name) => this.parameter(name))
    // Inside a collection a negative comparison becomes "no element is".
    const opposite =
      operator === 'notEqual' ? 'equal' : operator === 'notIdentical' ? 'identical' : null
    return { test: make(operator), opposite: opposite === null ? null : make(opposite) }
  }

  private checkTerm(className: ClassName, { path: written, comparison }: Term): void {
    const path = expand(className, written)
    const [step, ...rest] = path
    const attribute = attributeOf(className, step.name)
    if (attribute.kind === 'one' || attribute.kind === 'many') {
      const isEquality = EQUALITIES.includes(comparison.operator)
      if (rest[0] === KEY_STEP && !isEquality && comparison.operator !== 'in')
        throw new Refused('relations have no order')
      if (rest.length > 0) this.checkTerm(attribute.target, { path: rest, comparison })
      else if (comparison.value.kind !== 'null' || !isEquality)
        throw new Refused('a relation cannot stand alone')
    } else if (
      attribute.kind === 'value' &&
      attribute.type === 'object' &&
      (rest.length > 0 || step.element !== null)
    ) {
      this.testOf('json', false, false, comparison)
    } else if (rest.length > 0 || step.element !== null) {
      throw new Refused(`${step.name} has no properties`)
    } else {
      this.valueHolds(attribute, null, step.name, comparison)
    }
  }

  private termOf(condition: ConditionSyntax): Term {
    if (condition.kind === 'isTrue')
      return {
        path: this.pathOf(condition.path),
        comparison: { operator: 'equal', value: { kind: 'bare', text: 'true', at: 0 } },
      }
    if (condition.kind !== 'comparison') throw new Error(`${condition.kind} is not a comparison`)
    const path = this.pathOf(condition.path)
    return {
      path: condition.value.kind === 'null' ? path : [...path, KEY_STEP],
      comparison: condition,
    }
  }

  private pathOf(subject: SubjectSyntax): PathSyntax['steps'] {
    return subject.kind === 'path'
      ? subject.steps
      : parsePath(String(this.parameter(subject.name))).steps
  }

  private parameter(name: string): unknown {
    const { params } = this
    let found: unknown = params
    if (Array.isArray(params)) found = params[Number(name) - 1]
    else
      for (const part of name.split('.'))
        found = (found as { readonly [name: string]: unknown } | undefined)?.[part]
    if (found === null || found === undefined) throw new Refused(`:${name} is missing`)
    return found
  }
}

/**
 * Stands for the key at the end of a path; it is dropped behind an attribute that is not a
 * relation.
 */
const KEY_STEP: StepSyntax = { name: '', instance: 1, element: null, at: 0 }

const EQUALITIES: readonly string[] = ['equal', 'identical', 'notEqual', 'notIdentical']
const isNegative = (operator: ComparisonSyntax['operator']): boolean =>
  operator === 'notEqual' || operator === 'notIdentical'

/** The parts of a conjunction, without nested parentheses. */
function conjuncts(condition: ConditionSyntax): readonly ConditionSyntax[] {
  return condition.kind === 'and' ? condition.parts.flatMap(conjuncts) : [condition]
}

/** Replaces an alias at the start by its target, and the key step by the name of the key. */
function expand(className: ClassName, path: readonly StepSyntax[]): readonly StepSyntax[] {
  const [head, ...rest] = path
  const shape: PlainClass = SHAPE[className]
  if (head === KEY_STEP) return [{ ...head, name: shape.key }]
  const attribute = attributeOf(className, head.name)
  if (attribute.kind === 'alias') {
    const steps = attribute.path.map((name) => ({ ...KEY_STEP, name }))
    return expand(className, [...steps, ...rest])
  }
  const isRelation = attribute.kind === 'one' || attribute.kind === 'many'
  return isRelation ? path : path.filter((step) => step !== KEY_STEP)
}

/**
 * The number of the related row that the first step is about. In `many.one{2}` it also
 * distinguishes rows of `many`, since another `one` needs another of the many.
 */
function instanceOf(className: ClassName, [step, next, ...rest]: readonly StepSyntax[]): number {
  const relation = attributeOf(className, step.name)
  if (
    step.instance !== 1 ||
    next === undefined ||
    (relation.kind !== 'one' && relation.kind !== 'many')
  )
    return step.instance
  if (next === KEY_STEP || attributeOf(relation.target, next.name).kind !== 'one') return 1
  return instanceOf(relation.target, [next, ...rest])
}

function attributeOf(className: ClassName, name: string): PlainAttribute {
  const { attributes } = SHAPE[className]
  if (!Object.hasOwn(attributes, name)) throw new Refused(`${className} has no ${name}`)
  return attributes[name]
}

function addTo<T>(groups: Map<string, T[]>, key: string, item: T): void {
  groups.set(key, [...(groups.get(key) ?? []), item])
}
