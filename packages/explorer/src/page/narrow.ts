import { literalOf } from './addresses.ts'
import { cellText, deferredOf } from './field-value.ts'
import { partsOf } from './filter-parts.ts'
import { type Attribute, isNumeric, isScalar, type Model } from './model.ts'

/**
 * A condition for the entities with this value, or without it; null where filters cannot test it.
 */
export function conditionOf(
  model: Model,
  attribute: Attribute,
  value: unknown,
  isExcluded: boolean,
): string | null {
  const { name, kind, target, type } = attribute
  // `!==` would drop entities without a value, too.
  const not = isExcluded ? 'not ' : ''
  if (kind === 'relatedEntities' || (target === null && !isScalar(attribute))) return null
  if (value === null || value === undefined) return `${name} is${isExcluded ? ' not' : ''} null`
  const key = deferredOf(value)?.key
  if (target !== null) {
    const keyName = model.classes.get(target)?.key
    return key == null || keyName == null ? null : `${not}${name}.${keyName} === ${literalOf(key)}`
  }
  const isBare = typeof value === 'boolean' || (isNumeric(attribute) && typeof value === 'number')
  const text = type === 'date' && attribute.dateOnly ? cellText(value, attribute) : String(value)
  return `${not}${name} === ${isBare ? text : literalOf(text)}`
}

/** A condition for a range; either end may be empty. The ends belong to the range. */
export function rangeOf(attribute: Attribute, from: string, to: string): string {
  const { name } = attribute
  const literal = (text: string) => (isNumeric(attribute) ? text : literalOf(text))
  return [
    ...(from === '' ? [] : [`${name} >= ${literal(from)}`]),
    ...(to === '' ? [] : [`${name} <= ${literal(to)}`]),
  ].join(' and ')
}

/** Adds a condition to a filter and keeps its order. */
export function narrowed(filter: string, condition: string): string {
  const { conditions, isChoice, order } = partsOf(filter)
  const test = conditions.join(' and ')
  const all = test === '' ? [condition] : [isChoice ? `(${test})` : test, 'and', condition]
  return [...all, order].filter(Boolean).join(' ')
}
