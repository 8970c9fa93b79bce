import { EntiaError } from '../errors.ts'
import type { Condition } from '../model/condition-types.ts'
import { describeFound } from '../value/refusal.ts'
import { printValue } from './print-value.ts'

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
export class BuiltCondition<N extends string> implements Condition<N> {
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
export function conditionOn<N extends string>(
  dataClass: N,
  given: unknown,
  argument: string,
): BuiltCondition<N> {
  if (given instanceof BuiltCondition && given.dataClass === dataClass) return given
  throw mustBe(argument, `a condition on ${dataClass}`, given)
}

/** The error for a part of a condition. */
export const mustBe = (argument: string, expected: string, given: unknown): EntiaError =>
  new EntiaError('argumentInvalid', { argument, expected, found: described(given) })

function described(given: unknown): string {
  if (given instanceof BuiltCondition) return `a condition on ${given.dataClass}`
  const isPromise = typeof given === 'object' && given !== null && 'then' in given
  return isPromise ? 'a promise' : describeFound(given)
}

const isText = (piece: Piece): piece is string => typeof piece === 'string'
