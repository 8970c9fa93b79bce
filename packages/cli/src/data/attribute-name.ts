import { attribute, defineDataClass } from '@entia/core'
import pluralize from 'pluralize'

/** Which column of a file is which attribute. */
export class ColumnNames {
  /** By column. */
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()

  /**
   * Names the columns of a row that are new. A column whose name the model takes keeps it; others get the nearest one that is free, in
   * the order of the columns.
   */
  learn(columns: readonly string[]): void {
    const unnamed = columns.filter((column) => !this.#names.has(column))
    for (const column of unnamed) if (!this.#taken.has(column) && isAttributeName(column)) this.#give(column, column)
    for (const column of unnamed) if (!this.#names.has(column)) this.#give(column, this.#freeName(column))
  }

  /** The attribute of a column, which is learned where it is new. */
  of(column: string): string {
    if (!this.#names.has(column)) this.learn([column])
    return this.#names.get(column) ?? column
  }

  /** Columns whose attribute has another name, in words for the user. */
  get remarks(): readonly string[] {
    return [...this.#names].flatMap(([column, name]) =>
      column === name
        ? []
        : [`the column ${JSON.stringify(column)} is loaded as the attribute ${name}, whose name filters can write.`],
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
 * A name that the model takes, made of a column's: kept where it can be, else its words joined. `First Name` becomes `firstName`, `2024`
 * `_2024`, and `uri`, which answers hold under this name, `uri_`.
 */
export function attributeName(column: string): string {
  if (isAttributeName(column)) return column
  const name = asIdentifier(joined(column), 'column')
  const lower = name.charAt(0).toLowerCase() + name.slice(1)
  return isAttributeName(lower) ? lower : `${lower}_`
}

/** A dataclass's name, made of a file's: `blog-posts` becomes `BlogPost`. */
export function dataClassName(file: string): string {
  const singular = asIdentifier(pluralize.singular(joined(file)), 'Row')
  return singular.charAt(0).toUpperCase() + singular.slice(1)
}

/** True for what a dataclass takes as the name of an attribute: its definition is asked, which has the rule. */
function isAttributeName(name: string): boolean {
  const key = name === 'ID' ? 'key' : 'ID'
  try {
    defineDataClass('Row', { [key]: attribute.long({ key: true }), [name]: attribute.long() } as never)
    return true
  } catch {
    return false
  }
}

/** A name does not begin with a digit or a mark. */
const asIdentifier = (name: string, empty: string): string =>
  name === '' ? empty : /^[\p{L}_]/u.test(name) ? name : `_${name}`

/** Words one behind the other, each but the first with a capital. One word keeps its capitals. */
function joined(text: string): string {
  const [first = '', ...others] = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '')
  if (others.length === 0) return first
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
