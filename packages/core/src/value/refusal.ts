/** Why an input is not a value of a type, for an error message: "takes `expected`, not `found`". */
export class Refusal {
  readonly expected: string
  readonly found: string

  constructor(expected: string, found: string) {
    this.expected = expected
    this.found = found
  }
}

/**
 * Describes a value for an error message, shortened: `the text "abc"`, `the number 1.5`,
 * `an array`.
 */
export function describeFound(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `the text "${shorten(value)}"`
    case 'number':
      return Number.isNaN(value) ? 'a number that is NaN' : `the number ${value}`
    case 'bigint':
      return 'a bigint'
    case 'boolean':
      return `the boolean ${value}`
    case 'undefined':
      return 'undefined'
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) return 'an array'
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : 'a Date'
      if (value instanceof Uint8Array) return 'bytes'
      return 'an object'
    default:
      return `a ${typeof value}`
  }
}

/** At most 40 characters, no half pair and no line breaks. */
function shorten(text: string): string {
  const oneLine = Array.from(text.slice(0, 82), (c) =>
    c < ' ' || /\p{Surrogate}/u.test(c) ? '\ufffd' : c,
  )
  return oneLine.length > 40 ? `${oneLine.slice(0, 39).join('')}…` : oneLine.join('')
}
