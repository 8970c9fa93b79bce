import { Refusal } from '../value/check-options.ts'
import { coerceInput } from '../value/coerce.ts'
import type { AttributeType, StoredValue } from '../value/types.ts'
import type { StorageOptions } from './definition.ts'
import { checkOptions, type Refuse, STORAGE_FLAGS } from './names.ts'

const OPTIONS = [
  ...STORAGE_FLAGS,
  'min',
  'max',
  'minLength',
  'maxLength',
  'pattern',
  'collation',
  'default',
]
const KEY_TYPES: readonly AttributeType[] = ['long', 'long64', 'string', 'uuid', 'number']
const SEQUENCE_TYPES: readonly AttributeType[] = ['long', 'long64', 'uuid']
const NUMERIC_TYPES: readonly AttributeType[] = ['long', 'long64', 'number', 'duration']
const TEXT_TYPES: readonly AttributeType[] = ['string', 'uuid']
const NOT_COMPARED: readonly AttributeType[] = ['object', 'image', 'blob']

/** Options that only some types have, with the description of these types for messages. */
const APPLIES: readonly {
  readonly option: keyof StorageOptions
  readonly types: readonly AttributeType[]
  readonly to: string
}[] = [
  { option: 'key', types: KEY_TYPES, to: 'long, long64, number, string and uuid' },
  { option: 'autoSequence', types: SEQUENCE_TYPES, to: 'long, long64 and uuid' },
  { option: 'min', types: NUMERIC_TYPES, to: 'numbers and durations' },
  { option: 'max', types: NUMERIC_TYPES, to: 'numbers and durations' },
  { option: 'minLength', types: TEXT_TYPES, to: 'text' },
  { option: 'maxLength', types: TEXT_TYPES, to: 'text' },
  { option: 'pattern', types: TEXT_TYPES, to: 'text' },
  { option: 'collation', types: TEXT_TYPES, to: 'text' },
  { option: 'words', types: ['string'], to: 'string' },
  { option: 'dateOnly', types: ['date'], to: 'dates' },
]

/**
 * Checks the options of one storage attribute against its type and each other.
 * Returns the default as a stored value, or undefined without one. Throws `modelInvalid`.
 */
export function checkStorage(
  refuse: Refuse,
  type: AttributeType,
  options: StorageOptions,
): StoredValue | undefined {
  checkOptions(refuse, options, OPTIONS)

  for (const { option, types, to } of APPLIES)
    if (isGiven(options, option) && !types.includes(type))
      refuse(
        `option "${option}" does not apply to type ${type}`,
        `It is for ${to}: remove it or change the type.`,
      )
  for (const option of ['indexed', 'unique'] as const)
    if (options[option] === true && NOT_COMPARED.includes(type))
      refuse(`an attribute of type ${type} cannot be ${option}`, 'Remove the option.')

  checkBounds(refuse, options, 'min', 'max', Number.isFinite, 'a finite number')
  checkBounds(refuse, options, 'minLength', 'maxLength', isLength, 'a whole number from 0')
  checkPattern(refuse, options.pattern)
  if (
    options.collation !== undefined &&
    options.collation !== 'exact' &&
    options.collation !== 'folded'
  )
    refuse('its collation is unknown', `Use 'exact' or 'folded' (the default).`)
  return checkDefault(refuse, type, options)
}

function isGiven(options: StorageOptions, option: keyof StorageOptions): boolean {
  return options[option] !== undefined && options[option] !== false
}

function isLength(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function checkBounds(
  refuse: Refuse,
  options: StorageOptions,
  low: 'min' | 'minLength',
  high: 'max' | 'maxLength',
  isBound: (value: unknown) => boolean,
  expected: string,
): void {
  for (const option of [low, high])
    if (options[option] !== undefined && !isBound(options[option]))
      refuse(`option "${option}" is not ${expected}`, `Give ${expected}.`)
  const from = options[low]
  const to = options[high]
  if (from !== undefined && to !== undefined && from > to)
    refuse(
      `"${low}" ${from} is greater than "${high}" ${to}`,
      'No value can satisfy both: correct one of them.',
    )
}

function checkPattern(refuse: Refuse, pattern: unknown): void {
  if (pattern === undefined) return
  if (!(pattern instanceof RegExp)) refuse('its pattern is not a RegExp', 'Write it as /^…$/.')
  // These flags make a RegExp remember its last match, so that equal values would give different
  // results.
  if (pattern.global || pattern.sticky)
    refuse('its pattern has a "g" or "y" flag', 'Remove the flag.')
}

function checkDefault(
  refuse: Refuse,
  type: AttributeType,
  options: StorageOptions,
): StoredValue | undefined {
  if (options.default === undefined) return undefined
  const value = coerceInput(type, options.dateOnly === true, options.default)
  if (value instanceof Refusal)
    return refuse(`its default must be ${value.expected}, not ${value.found}`, 'Change it.')
  if (value === null) {
    if (options.notNull === true || options.key === true)
      refuse('its default is null, but the attribute is notNull', 'Remove the default or notNull.')
    return null
  }
  const broken = brokenRule(value, options)
  if (broken !== undefined)
    refuse(`its default does not satisfy "${broken}"`, 'Change the default or the rule.')
  return value
}

/** The first rule of the attribute that its default breaks. */
function brokenRule(value: StoredValue, options: StorageOptions): string | undefined {
  if (typeof value === 'number') {
    if (options.min !== undefined && value < options.min) return 'min'
    if (options.max !== undefined && value > options.max) return 'max'
  }
  if (typeof value === 'string') {
    const length = Array.from(value).length
    if (options.minLength !== undefined && length < options.minLength) return 'minLength'
    if (options.maxLength !== undefined && length > options.maxLength) return 'maxLength'
    if (options.pattern !== undefined && !options.pattern.test(value)) return 'pattern'
  }
  return undefined
}
