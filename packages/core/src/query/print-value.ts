/** A value as filter text: numbers and booleans without quotes, texts with them. */
export function printValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`
  return typeof value === 'string' ? `'${value.replace(QUOTED, escaped)}'` : String(value)
}

const QUOTED = /['\\]/g
const escaped = (sign: string): string => (sign === "'" ? '\\u0027' : '\\u005c')
