import type { Term, Terms, ValueForm } from './filter.ts'

interface Value {
  readonly type: string
  readonly isDay: boolean
}
/** What a path of one name leads to: a value, or an entity of which only the key is in the row. */
export type Described =
  | { readonly path: string; readonly value: Value }
  | { readonly path: string; readonly key: Value | undefined }

const FORMS: ReadonlyMap<string, ValueForm> = new Map([
  ['long', 'number'],
  ['long64', 'number'],
  ['number', 'number'],
  ['bool', 'bool'],
  ['string', 'text'],
  ['uuid', 'uuid'],
])

/** `key` is the key of the dataclass, unless an attribute of another meaning hides `row.key`. */
export function termsOf(described: Iterable<Described>, key: Value | null): Terms {
  const terms = new Map<string, Term>()
  const add = (path: string, sent: string, { type, isDay }: Value): void => {
    const form = type === 'date' ? (isDay ? 'day' : 'moment') : FORMS.get(type)
    if (form !== undefined) terms.set(path, [sent, form])
  }
  if (key !== null) add('key', '__KEY', key)
  for (const each of described) {
    const { path } = each
    if ('value' in each) add(path, path, each.value)
    else {
      terms.set(path, [path, 'reference'])
      if (each.key !== undefined) add(`${path}.key`, `${path}.__KEY`, each.key)
    }
  }
  return terms
}
