import type { EntiaError } from '../errors.ts'
import { CONDITION_OPERATORS, LITERAL } from '../filter/operators.ts'
import type { Condition, ConditionOperator, WhereOf } from '../model/condition-types.ts'
import { describeFound, refused } from '../value/check-options.ts'

/** A value as filter text: numbers and booleans without quotes, texts with them. */
function printValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`
  return typeof value === 'string' ? `'${value.replace(QUOTED, escaped)}'` : String(value)
}

const QUOTED = /['\\]/g
const escaped = (sign: string): string => (sign === "'" ? '\\u0027' : '\\u005c')

/** A piece of filter text, or a value between two pieces. */
type Piece = string | { readonly value: unknown }
type Joint = 'and' | 'or' | 'except'

/** How tightly a text binds: a comparison or `not`; then `and`; then `or` and `except`. */
type Binding = 'tight' | 'and' | 'either'

/** A key is never null. */
const NOTHING = ['__KEY = null']

/**
 * A condition as pieces of filter text. Every operation returns a new condition. Without pieces it
 * selects every entity, as blank text does.
 */
class BuiltCondition<N extends string> implements Condition<N> {
  readonly dataClass: N
  readonly #pieces: readonly Piece[]
  readonly #binding: Binding
  /** Written when they are first read, since most conditions become parts of others. */
  #text: string | null = null
  #params: readonly unknown[] | null = null

  constructor(dataClass: N, pieces: readonly Piece[], binding: Binding = 'tight') {
    this.dataClass = dataClass
    this.#pieces = pieces
    this.#binding = binding
  }

  get text(): string {
    let count = 0
    return (this.#text ??= this.#pieces
      .map((piece) => (isText(piece) ? piece : `:${++count}`))
      .join(''))
  }
  get params(): readonly unknown[] {
    return (this.#params ??= Object.freeze(
      this.#pieces.flatMap((piece) => (isText(piece) ? [] : [piece.value])),
    ))
  }
  toString(): string {
    return this.#pieces.map((piece) => (isText(piece) ? piece : printValue(piece.value))).join('')
  }
  /** What Node prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Condition on ${this.dataClass}: ${this}`
  }

  and(...others: readonly Condition<N>[]): BuiltCondition<N> {
    return BuiltCondition.join(this.dataClass, 'and', [this, ...others])
  }
  or(...others: readonly Condition<N>[]): BuiltCondition<N> {
    return BuiltCondition.join(this.dataClass, 'or', [this, ...others])
  }
  except(other: Condition<N>): BuiltCondition<N> {
    return BuiltCondition.join(this.dataClass, 'except', [this, other])
  }
  not(): BuiltCondition<N> {
    return this.#of(this.#selectsAll ? NOTHING : ['not ', ...this.#inside('tight')])
  }

  /**
   * The conditions with a word between them. None joined with `and` select everything, none joined
   * with `or` nothing. Throws `argumentInvalid` if a value is not a condition on the
   * dataclass.
   */
  static join<N extends string>(
    dataClass: N,
    joint: Joint,
    given: readonly unknown[],
  ): BuiltCondition<N> {
    const conditions = given.map((each) => conditionOn(dataClass, each, `What "${joint}" joins`))
    if (conditions.length === 0)
      return new BuiltCondition(dataClass, joint === 'and' ? [] : NOTHING)
    return conditions.reduce((left, right) => left.#joined(joint, right))
  }

  #joined(joint: Joint, right: BuiltCondition<N>): BuiltCondition<N> {
    if (this.#selectsAll) return joint === 'and' ? right : joint === 'or' ? this : right.not()
    if (right.#selectsAll) return joint === 'and' ? this : joint === 'or' ? right : right.not()
    // The words join from the left, so that only the right side can need parentheses at its level.
    const binding = joint === 'and' ? 'and' : 'either'
    const pieces = [...this.#inside(binding), ` ${joint} `, ...right.#inside('and')]
    return this.#of(pieces, binding)
  }

  get #selectsAll(): boolean {
    return this.#pieces.length === 0
  }
  /**
   * The pieces where a text of this binding can stand, in parentheses if they bind less tightly.
   */
  #inside(binding: Binding): readonly Piece[] {
    const fits = binding === 'either' || this.#binding === 'tight' || this.#binding === binding
    return fits ? this.#pieces : ['(', ...this.#pieces, ')']
  }
  #of(pieces: readonly Piece[], binding?: Binding): BuiltCondition<N> {
    return new BuiltCondition(this.dataClass, pieces, binding)
  }
}

/** The value, if it is a condition on the dataclass. Throws `argumentInvalid`. */
function conditionOn<N extends string>(
  dataClass: N,
  given: unknown,
  argument: string,
): BuiltCondition<N> {
  if (given instanceof BuiltCondition && given.dataClass === dataClass) return given
  throw mustBe(argument, `a condition on ${dataClass}`, given)
}

/** The error for a part of a condition. */
const mustBe = (argument: string, expected: string, given: unknown): EntiaError =>
  refused(argument, expected, described(given))

function described(given: unknown): string {
  if (given instanceof BuiltCondition) return `a condition on ${given.dataClass}`
  const isPromise = typeof given === 'object' && given !== null && 'then' in given
  return isPromise ? 'a promise' : describeFound(given)
}

const isText = (piece: Piece): piece is string => typeof piece === 'string'

const OPERATORS: readonly ConditionOperator[] = CONDITION_OPERATORS
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
 *
 * @example
 * ```ts
 * const e = where(store.Employee)
 * const rich = e('salary', '>', 50_000)
 * store.Employee.query(rich.and(e('employer.city', '=', 'Paris'))).count // → 1
 * ```
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

/**
 * The condition that a filter function makes, or a condition itself. Throws `argumentInvalid`.
 *
 * @example
 * ```ts
 * const rich = conditionFrom(store.Employee, (e: any) => e('salary', '>', 50_000))
 * String(rich) // → salary > 50000
 * ```
 */
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
