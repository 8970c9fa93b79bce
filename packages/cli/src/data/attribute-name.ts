import { attribute, defineDataClass } from '@entia/core'
import pluralize from 'pluralize'

/** Maps the columns of a file to attributes. */
export class ColumnNames {
  /** Attribute names by column. */
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()

  /**
   * Names the new columns of a row. A column keeps its name if the model accepts it. Other columns
   * get the nearest free name, in column order.
   */
  learn(columns: readonly string[]): void {
    const unnamed = columns.filter((column) => !this.#names.has(column))
    for (const column of unnamed)
      if (!this.#taken.has(column) && isAttributeName(column)) this.#give(column, column)
    for (const column of unnamed)
      if (!this.#names.has(column)) this.#give(column, this.#freeName(column))
  }

  /** The attribute of a column. Names the column first if it is new. */
  of(column: string): string {
    if (!this.#names.has(column)) this.learn([column])
    return this.#names.get(column) ?? column
  }

  /** One sentence for each column that was renamed. */
  get remarks(): readonly string[] {
    return [...this.#names].flatMap(([column, name]) =>
      column === name
        ? []
        : [
            `the column ${JSON.stringify(column)} is loaded as the attribute ${name}, a name that filters accept.`,
          ],
    )
  }

  #freeName(column: string): string {
    const name = attributeName(column)
    let free = name
    for (let n = 2; this.#taken.has(free); n++) free = `${name}${n}`
    return free
  }
  #give(column: string, name: string): void {
    this.#names.set(column, name)
    this.#taken.add(name)
  }
}

/**
 * The attribute name for a column: its own name if the model accepts it, otherwise its words
 * joined. `First Name` becomes `firstName`, `2024` becomes `_2024`, and the reserved `uri` becomes
 * `uri_`.
 */
export function attributeName(column: string): string {
  if (isAttributeName(column)) return column
  const name = asIdentifier(joined(column), 'column')
  const lower = name.charAt(0).toLowerCase() + name.slice(1)
  return isAttributeName(lower) ? lower : `${lower}_`
}

/** The dataclass name for a file: `blog-posts` becomes `BlogPost`. */
export function dataClassName(file: string): string {
  const singular = asIdentifier(pluralize.singular(joined(file)), 'Row')
  return singular.charAt(0).toUpperCase() + singular.slice(1)
}

/**
 * Whether a dataclass accepts the name for an attribute. `defineDataClass` has the rule, so it
 * decides.
 */
function isAttributeName(name: string): boolean {
  const key = name === 'ID' ? 'key' : 'ID'
  try {
    defineDataClass('Row', {
      [key]: attribute.long({ key: true }),
      [name]: attribute.long(),
    } as never)
    return true
  } catch {
    return false
  }
}

/** Prefixes `_` if the first character is neither a letter nor `_`. */
const asIdentifier = (name: string, empty: string): string =>
  name === '' ? empty : /^[\p{L}_]/u.test(name) ? name : `_${name}`

/** Joins words in camel case. A single word keeps its capitals. */
function joined(text: string): string {
  const [first = '', ...others] = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '')
  if (others.length === 0) return first
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
