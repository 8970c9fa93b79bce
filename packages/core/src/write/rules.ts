import { EntiaError } from '../errors.ts'
import type {
  AttributeModel,
  ClassModel,
  StorageAttribute,
  ToOneAttribute,
} from '../model/catalog.ts'
import type { StoredValue } from '../value/types.ts'
import { entityInvalid, writeError } from './write-errors.ts'

/**
 * Checks one value against the rules of its attribute and returns all failures so far, or null.
 * Uniqueness and the presence of keys are checked elsewhere.
 */
export function checkRules(
  attribute: StorageAttribute,
  value: StoredValue,
  failures: EntiaError[] | null,
): EntiaError[] | null {
  if (value === null) {
    if (!attribute.notNull || attribute.key) return failures
    return add(failures, writeError('notNullViolation', placeOf(attribute)))
  }
  if (typeof value === 'number') {
    const { min, max } = attribute
    if (min !== null && value < min) {
      failures = add(failures, writeError('valueTooSmall', { ...placeOf(attribute), min }))
    }
    if (max !== null && value > max) {
      failures = add(failures, writeError('valueTooLarge', { ...placeOf(attribute), max }))
    }
    return failures
  }
  return typeof value === 'string' ? checkText(attribute, value, failures) : failures
}

/** Throws `validationFailed` with all rules that the changed values of an entity break. */
export function checkChanges(
  model: ClassModel,
  key: unknown,
  ordinals: readonly number[],
  values: readonly StoredValue[],
): void {
  let failures: EntiaError[] | null = null
  for (let i = 0; i < ordinals.length; i++)
    failures = checkRules(model.storage[ordinals[i]], values[i], failures)
  if (failures !== null) throw entityInvalid(model, String(key), failures)
}

/** True when the attribute has rules. */
export function hasRules(attribute: StorageAttribute): boolean {
  const { notNull, min, max, minLength, maxLength, pattern } = attribute
  return notNull || [min, max, minLength, maxLength, pattern].some((rule) => rule !== null)
}

function checkText(
  attribute: StorageAttribute,
  text: string,
  failures: EntiaError[] | null,
): EntiaError[] | null {
  const { minLength, maxLength, pattern } = attribute
  if (minLength !== null && lengthOf(text) < minLength) {
    failures = add(failures, writeError('textTooShort', { ...placeOf(attribute), minLength }))
  }
  // A text has at most as many code points as code units: few texts have to be counted.
  if (maxLength !== null && text.length > maxLength && lengthOf(text) > maxLength) {
    failures = add(failures, writeError('textTooLong', { ...placeOf(attribute), maxLength }))
  }
  if (pattern !== null && !pattern.test(text)) {
    failures = add(
      failures,
      writeError('patternMismatch', { ...placeOf(attribute), pattern: String(pattern) }),
    )
  }
  return failures
}

function add(failures: EntiaError[] | null, failure: EntiaError): EntiaError[] {
  if (failures === null) return [failure]
  failures.push(failure)
  return failures
}

/** In code points. */
function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

const placeOf = ({ owner, name }: AttributeModel) => ({ dataClass: owner.name, attribute: name })

/**
 * Throws `attributeReadOnly` when changes include the key or, unless a hook made them, a readOnly
 * attribute.
 */
export function refuseFixed(
  model: ClassModel,
  ordinals: readonly number[],
  isFromHook: boolean,
): void {
  for (const ordinal of ordinals) {
    const attribute = model.storage[ordinal]
    if (attribute.key)
      throw readOnly(attribute, 'Keys never change: remove the entity and insert another.')
    if (attribute.readOnly && !isFromHook)
      throw readOnly(attribute, 'It is set when the entity is created, or by a hook.')
  }
}

export function unknownName(model: ClassModel, attribute: string): EntiaError {
  return new EntiaError('attributeNotFound', {
    dataClass: model.name,
    attribute,
    known: [...model.attributes.keys()],
  })
}

export function readOnly(attribute: AttributeModel, remedy: string): EntiaError {
  return new EntiaError('attributeReadOnly', { ...placeOf(attribute), remedy })
}

/** The error for a value that an attribute cannot hold. */
export function invalidValue(
  attribute: AttributeModel,
  expected: string,
  found: string,
): EntiaError {
  return new EntiaError('valueInvalid', { ...placeOf(attribute), expected, found })
}

export function invalidRelation(relation: ToOneAttribute, found: string): EntiaError {
  const { name, key } = relation.target
  return invalidValue(relation, `a key (${key.type}) or an entity of "${name}", or null`, found)
}
