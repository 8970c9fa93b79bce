import type { Condition, ConditionOperator, WhereOf } from '../model/condition-types.ts'
import { BuiltCondition, conditionOn, mustBe } from './condition.ts'

/** The operators of the filter language. */
const OPERATORS: readonly ConditionOperator[] = [
  ...(['=', '===', '!=', '!=='] as const),
  ...(['>', '>=', '<', '<=', 'like', 'begin', '%', 'in'] as const),
]
/** The first four compare with null. */
const EQUALITIES = OPERATORS.slice(0, 4)

/** A name, which `{2}`, `[]` or `[a]` may follow. */
const STEP = /^[^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\]+(?:\{[1-9]\d{0,2}\})?(?:\[[a-z]?\])?$/i

/**
 * Makes conditions on the entities of a table: of a store, a view, a past or a remote store. See
 * `Where` for what it returns.
 *
 *     const e = where(store.Employee)
 *     const rich = e('salary', '>', 50_000)
 *     store.Employee.query(rich.and(e('employer.city', '=', 'Paris')))
 */
export function where<T extends { readonly name: string }>(table: T): WhereOf<T> {
  const name: unknown = (table as Partial<T> | null | undefined)?.name
  if (typeof name !== 'string')
    throw mustBe('The argument of where', 'a dataclass, as in where(store.Employee)', table)
  const condition = (...given: readonly unknown[]) => compared(name, given)
  const joins = {
    and: (...given: readonly unknown[]) => BuiltCondition.join(name, 'and', given),
    or: (...given: readonly unknown[]) => BuiltCondition.join(name, 'or', given),
  }
  return Object.assign(condition, joins) as object as WhereOf<T>
}

/** The condition that a filter function makes, or a condition itself. Throws `argumentInvalid`. */
export function conditionFrom(table: { readonly name: string }, given: unknown): Condition {
  const { name } = table
  return typeof given === 'function'
    ? conditionOn(name, given(where(table)), `What the filter function of ${name} returns`)
    : conditionOn(name, given, `A filter of ${name}`)
}

/** One comparison, or a path alone. */
function compared(dataClass: string, given: readonly unknown[]): BuiltCondition<string> {
  const [path, operator, value] = given
  if (typeof path !== 'string' || !path.split('.').every((step) => STEP.test(step)))
    throw mustBe(`A path of ${dataClass}`, 'names with dots, as in "employer.city"', path)
  if (given.length === 1) return new BuiltCondition(dataClass, [path])
  if (!OPERATORS.some((known) => known === operator))
    throw mustBe(
      `The operator after "${path}"`,
      `${OPERATORS.slice(0, -1).join(', ')} or in`,
      operator,
    )
  if (value === null && EQUALITIES.some((known) => known === operator))
    return new BuiltCondition(dataClass, [`${path} ${operator} null`])
  const argument = `The value of "${path} ${operator} …"`
  const copy = Array.isArray(value)
    ? value.map((each: unknown) => plain(each, `Each value of "${path} ${operator} […]"`))
    : plain(value, argument)
  return new BuiltCondition(dataClass, [`${path} ${written(operator, copy)} `, { value: copy }])
}

/** The same operators without wildcards. */
const LITERAL: { readonly [operator: string]: string } = {
  '=': '===',
  '!=': '!==',
  in: 'isin',
}
const WILDCARD = /[@*]/

/** Only `like` takes patterns: a text with a wildcard goes behind an operator without them. */
function written(operator: unknown, value: unknown): string {
  const texts = Array.isArray(value) ? value : [value]
  const isPattern = texts.some((text) => typeof text === 'string' && WILDCARD.test(text))
  return (isPattern ? LITERAL[String(operator)] : undefined) ?? String(operator)
}

/** A value as JSON: dates as ISO 8601 text. */
function plain(value: unknown, argument: string): unknown {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
  if (isPlain) return value
  throw mustBe(
    argument,
    'a text, a number, a boolean or a date; null goes with =, ===, != and !==',
    value,
  )
}
