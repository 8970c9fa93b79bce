import { type Attribute, membersOf } from './model.ts'

/** A reference to the content of an image or BLOB, or to a related entity. */
export interface Deferred {
  readonly uri: string
  readonly key: string | null
}

/** Reads `{"__deferred":{…}}`; null for any other value. */
export function deferredOf(value: unknown): Deferred | null {
  const { uri, __KEY } = membersOf(membersOf(value).__deferred)
  if (typeof uri !== 'string') return null
  return { uri, key: typeof __KEY === 'string' ? __KEY : null }
}

/**
 * An address below the base path of this server; null for any other address, which must not be
 * loaded.
 */
export function ownAddress(uri: string, base: string): string | null {
  return uri.startsWith(`${base}/`) && base.startsWith('/') && !base.startsWith('//') ? uri : null
}

/** A value as text for a cell of the grid. */
export function cellText(value: unknown, attribute: Attribute | undefined): string {
  if (value === null || value === undefined) return ''
  if (attribute?.type === 'date' && typeof value === 'string')
    return dateText(value, attribute.dateOnly)
  if (typeof value === 'string') return value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** `!!2021-03-01!!` as `2021-03-01`, `2001-01-01T16:17:00.000Z` as `2001-01-01 16:17:00`. */
function dateText(value: string, isDateOnly: boolean): string {
  if (isDateOnly) return value.replace(/^!!(.*)!!$/, '$1')
  return value.replace('T', ' ').replace(/(\.000)?Z$/, '')
}

/** The text of a field; null for no value. */
export type FieldText = string | null

/** A value as text for a field of the form. */
export function inputText(value: unknown, attribute: Attribute): FieldText {
  if (value === null || value === undefined) return null
  if (attribute.kind === 'relatedEntity') return deferredOf(value)?.key ?? null
  if (attribute.type === 'object') return JSON.stringify(value, null, 2)
  if (attribute.type === 'date' && attribute.dateOnly) return cellText(value, attribute)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A value for the server, or the reason why the text is invalid. */
export type Parsed = { readonly value: unknown } | { readonly problem: string }

/** Reads a field. Empty fields of other types than text are null. The server checks the rest. */
export function parseInput(text: FieldText, attribute: Attribute): Parsed {
  if (text === null) return { value: null }
  if (text === '') return { value: attribute.type === 'string' ? '' : null }
  switch (attribute.type) {
    case 'long':
    case 'number': {
      const number = Number(text)
      if (text.trim() === '' || !Number.isFinite(number))
        return { problem: 'This is not a number.' }
      if (attribute.type === 'long' && !Number.isInteger(number))
        return { problem: 'This is not a whole number.' }
      return { value: number }
    }
    case 'long64':
      if (!/^-?\d+$/.test(text.trim())) return { problem: 'This is not a whole number.' }
      return { value: Number.isSafeInteger(Number(text)) ? Number(text) : text.trim() }
    case 'bool':
      return { value: text === 'true' }
    case 'object':
      try {
        return { value: JSON.parse(text) }
      } catch (error) {
        return { problem: error instanceof Error ? error.message : 'This is not JSON.' }
      }
    case 'duration':
      return { value: /^\d+$/.test(text) ? Number(text) : text }
    default:
      return { value: text }
  }
}

/** The first message of a refusal about each attribute that its messages name. */
export function problemsOf(
  messages: readonly string[],
  names: readonly string[],
): ReadonlyMap<string, string> {
  const problems = new Map<string, string>()
  for (const message of messages) {
    const name = fieldOf(message, names)
    if (name !== null && !problems.has(name)) problems.set(name, message)
  }
  return problems
}

/** The attribute that a message is about: the first one it names in quotes, or null. */
export function fieldOf(message: string, names: readonly string[]): string | null {
  for (const [, quoted = ''] of message.matchAll(/"([^"]+)"/g)) {
    const name = quoted.split('.').at(-1) ?? ''
    if (names.includes(name)) return name
  }
  return null
}

/** Cuts long text with an ellipsis. */
export function cut(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, Math.max(1, characters - 1))}…` : text
}
