/** A piece of SQL with the values of its question marks, in their order. */
export interface Sql {
  readonly text: string
  readonly values: readonly SqlValue[]
}
export type SqlValue = string | number | null | Uint8Array

/** A template of SQL whose holes are pieces of SQL; values come in by `bound`, names by `raw`. */
export function sql(strings: TemplateStringsArray, ...holes: readonly Sql[]): Sql {
  let text = strings[0]
  const values: SqlValue[] = []
  for (let i = 0; i < holes.length; i++) {
    text += holes[i].text + strings[i + 1]
    values.push(...holes[i].values)
  }
  return { text, values }
}

/** Text of the test's own, such as a column's name. */
export const raw = (text: string): Sql => ({ text, values: [] })

/** A value, handed over apart from the text. */
export const bound = (value: SqlValue): Sql => ({ text: '?', values: [value] })

/**
 * A JSON path such as `$."list"`, as a literal: paths are few and statements are kept by their
 * text.
 */
export const jsonPath = (path: string): Sql => raw(`'${path}'`)

export function joined(parts: readonly Sql[], by: string, none: string): Sql {
  if (parts.length === 0) return raw(none)
  return {
    text: `(${parts.map(({ text }) => text).join(by)})`,
    values: parts.flatMap(({ values }) => values),
  }
}
export const all = (parts: readonly Sql[]): Sql => joined(parts, ' AND ', '1')
export const any = (parts: readonly Sql[]): Sql => joined(parts, ' OR ', '0')
