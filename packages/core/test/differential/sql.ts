/** A piece of SQL with the values of its question marks, in order. */
export interface Sql {
  readonly text: string
  readonly values: readonly SqlValue[]
}
export type SqlValue = string | number | null | Uint8Array

/** A template of SQL. Its holes are pieces of SQL; `bound` inserts values and `raw` names. */
export function sql(strings: TemplateStringsArray, ...holes: readonly Sql[]): Sql {
  let text = strings[0]
  const values: SqlValue[] = []
  for (let i = 0; i < holes.length; i++) {
    text += holes[i].text + strings[i + 1]
    values.push(...holes[i].values)
  }
  return { text, values }
}

/** Text written by the test, such as the name of a column. */
export const raw = (text: string): Sql => ({ text, values: [] })

/** A value, passed separately from the text. */
export const bound = (value: SqlValue): Sql => ({ text: '?', values: [value] })

/**
 * A JSON path such as `$."list"` as a literal: there are few paths, and statements are cached by
 * text.
 */
export const jsonPath = (path: string): Sql => raw(`'${path}'`)

function joined(parts: readonly Sql[], by: string, none: string): Sql {
  if (parts.length === 0) return raw(none)
  return {
    text: `(${parts.map(({ text }) => text).join(by)})`,
    values: parts.flatMap(({ values }) => values),
  }
}
export const all = (parts: readonly Sql[]): Sql => joined(parts, ' AND ', '1')
export const any = (parts: readonly Sql[]): Sql => joined(parts, ' OR ', '0')
