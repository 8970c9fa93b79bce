import type { PreparedFilter } from '../filter/bind-filter.ts'
import { ColumnComparison } from '../filter/bind-property.ts'
import { both, CombinedDraft, type Draft } from '../filter/context.ts'
import { isPlainText, plainKey, plainNumber } from '../filter/convert-value.ts'
import { OPERATORS } from '../filter/operators.ts'
import type { FilterParameters } from '../filter/parameters.ts'
import type { BoundFilter, ComparePredicate, OrderBy, Predicate } from '../filter/predicate.ts'
import type { ClassModel, StorageAttribute } from '../model/catalog.ts'
import type { AttributeType } from '../value/types.ts'
import { above, after, below, HIGH, type IndexRanges, LOW, prefixRange } from './key-range.ts'
import { rewrite } from './rewrite.ts'

/** A comparison that sets one bound of a range, or both. `prefix` is for texts only. */
type RangeOperator = 'equal' | 'less' | 'lessEqual' | 'greater' | 'greaterEqual' | 'prefix'

/** One comparison: the position of its given value, or -1 and the written value. */
interface RangePart {
  readonly operator: RangeOperator
  readonly position: number
  readonly written: number
}

/**
 * A filter that is one range of one attribute for all values: comparisons with plain values, or one
 * with a text. Most queries of an application are of this form. A predicate, its ranges and a
 * choice of plans would cost several times as much as the index access. So values are read directly
 * into the bounds, and the other parts of the filter are made on demand.
 */
export class RangeTemplate {
  readonly prepared: PreparedFilter
  readonly attribute: StorageAttribute
  readonly isText: boolean
  /** The range is one value. */
  readonly isPoint: boolean
  readonly #parts: readonly RangePart[]
  readonly #valueCount: number
  /** The bounds that were read last: of numbers, closed. */
  low = 0
  high = 0
  /** The text that was read last, as given: a whole text or a prefix. */
  text = ''

  constructor(prepared: PreparedFilter, attribute: StorageAttribute, parts: readonly RangePart[]) {
    this.prepared = prepared
    this.attribute = attribute
    this.isText = attribute.type === 'string'
    this.isPoint = parts.some(({ operator }) => operator === 'equal')
    this.#parts = parts
    this.#valueCount = Math.max(...parts.map(({ position }) => position + 1))
  }

  /**
   * The filter with its values; null if a value is not plain or is unused, so that the filter must
   * be bound.
   * Cost: O(comparisons).
   */
  bind(parameters: FilterParameters | undefined): RangeFilter | null {
    if (!Array.isArray(parameters) || parameters.length > this.#valueCount) return null
    // Copied: the caller may change them, and `predicate` needs them later.
    const values: unknown[] =
      this.#valueCount === 1 ? [parameters[0]] : [parameters[0], parameters[1]]
    for (let i = 2; i < this.#valueCount; i++) values.push(parameters[i])
    return this.read(values) ? new RangeFilter(this, values) : null
  }

  /** Reads values into the bounds; false if one is not plain. */
  read(values: readonly unknown[]): boolean {
    const parts = this.#parts
    if (this.isText) {
      const given = values[parts[0].position]
      if (!isPlainText(given)) return false
      this.text = given
      return true
    }
    const { type, dateOnly } = this.attribute
    let low = LOW
    let high = HIGH
    for (let i = 0; i < parts.length; i++) {
      const { operator, position, written } = parts[i]
      const value = position < 0 ? written : plainNumber(type, dateOnly, values[position])
      if (Number.isNaN(value)) return false
      if (operator === 'equal' || operator === 'greaterEqual') low = Math.max(low, value)
      else if (operator === 'greater') low = Math.max(low, above(value))
      if (operator === 'equal' || operator === 'lessEqual') high = Math.min(high, value)
      else if (operator === 'less') high = Math.min(high, below(value))
    }
    this.low = low
    this.high = high
    return true
  }

  /** The comparison key of the text that was read last. */
  get key(): string {
    return plainKey(this.text, this.attribute.collation)
  }
}

/** A range filter with its values. */
export class RangeFilter implements BoundFilter {
  readonly template: RangeTemplate
  readonly dataClass: ClassModel
  readonly orderBy: OrderBy | null
  readonly #values: readonly unknown[]
  #predicate: Predicate | null

  constructor(template: RangeTemplate, values: readonly unknown[]) {
    this.template = template
    this.dataClass = template.prepared.dataClass
    this.orderBy = template.prepared.orderBy
    this.#values = values
    this.#predicate = null
  }

  get text(): string {
    return this.template.prepared.text
  }
  /** Rewritten; bound on first use. */
  get predicate(): Predicate {
    this.#predicate ??= rewrite(this.template.prepared.bind(this.#values).predicate)
    return this.#predicate
  }
  /** As `exactSought` of the predicate, without binding it. */
  get ranges(): IndexRanges {
    const { template } = this
    template.read(this.#values)
    const { low, high, isPoint: isPoints } = template
    const same = { nulls: false, isPoints, isExact: true }
    if (!template.isText)
      return { kind: 'number', ranges: low <= high ? [{ low, high }] : [], ...same }
    const { key } = template
    return {
      kind: 'text',
      ranges: [isPoints ? { low: key, high: after(key) } : prefixRange(key)],
      ...same,
    }
  }
}

/** The template of a filter that is one range; null for any other. Cost: O(comparisons). */
export function rangeTemplate(prepared: PreparedFilter): RangeTemplate | null {
  const { draft } = prepared
  const comparisons = draft === null ? [] : comparisonsOf(draft)
  let attribute: StorageAttribute | null = null
  const parts: RangePart[] = []
  for (const comparison of comparisons) {
    if (comparison.kind !== 'compare' && !(comparison instanceof ColumnComparison)) return null
    if (comparison.attribute.kind !== 'storage') return null
    attribute ??= comparison.attribute
    const part = comparison.attribute === attribute ? partOf(attribute, comparison) : null
    if (part === null) return null
    parts.push(part)
  }
  if (attribute === null || (attribute.type === 'string' && parts.length > 1)) return null
  const positions = new Set(parts.map(({ position }) => position).filter((at) => at >= 0))
  // A value between others that no placeholder reads is refused where the filter is bound.
  return positions.size > 0 && positions.size > Math.max(...positions)
    ? new RangeTemplate(prepared, attribute, parts)
    : null
}

/** The conjuncts of a draft. */
const comparisonsOf = (draft: Draft): readonly Draft[] =>
  draft.kind === 'and' || (draft instanceof CombinedDraft && draft.make === both)
    ? draft.parts
    : [draft]

function partOf(
  attribute: StorageAttribute,
  comparison: ColumnComparison | ComparePredicate,
): RangePart | null {
  const isOpen = comparison instanceof ColumnComparison
  const operator = rangeOperator(attribute, isOpen ? openTest(comparison) : comparison.test.op)
  if (operator === null) return null
  if (isOpen) {
    const { value } = comparison
    if (
      value.kind !== 'placeholder' ||
      value.position === null ||
      value.position > MAX_VALUE_POSITION
    )
      return null
    return { operator, position: value.position - 1, written: 0 }
  }
  const { test } = comparison
  const isNumber = attribute.type !== 'string' && 'value' in test
  return isNumber ? { operator, position: -1, written: Number(test.value) } : null
}

/** The highest position of a placeholder in a range filter. */
const MAX_VALUE_POSITION = 4

/** The test that plain values are bound to; of texts with a plain beginning, `prefix`. */
function openTest({ operator }: ColumnComparison): string | null {
  const { anchor, test } = OPERATORS[operator]
  return anchor === 'start' ? 'prefix' : test
}

function rangeOperator({ type }: StorageAttribute, test: string | null): RangeOperator | null {
  switch (test) {
    case 'equal':
      return RANGED.includes(type) ? 'equal' : null
    case 'prefix':
      return type === 'string' ? 'prefix' : null
    case 'less':
    case 'lessEqual':
    case 'greater':
    case 'greaterEqual':
      return RANGED.includes(type) && type !== 'bool' && type !== 'string' ? test : null
    default:
      return null
  }
}

const RANGED: readonly AttributeType[] = [
  'string',
  'bool',
  'long',
  'long64',
  'number',
  'duration',
  'date',
]
