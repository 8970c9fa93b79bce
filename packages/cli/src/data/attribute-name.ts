import { attribute, defineDataClass } from '@entia/core'
import pluralize from 'pluralize'

/** Maps the columns of a file to attributes. */
export class ColumnNames {
  /** Attribute names by column. */
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()

  /** `attributes`: those of an existing model, which may have the names of built-in members. */
  constructor(attributes: Iterable<string> = []) {
    for (const name of attributes) if (BUILT_IN.has(name)) this.#give(name, name)
  }

  /**
   * Names the new columns of a row. A column keeps its name if programs and filters can use it.
   * Other columns get the nearest free name, in column order.
   */
  learn(columns: readonly string[]): void {
    const unnamed = columns.filter((column) => !this.#names.has(column))
    for (const column of unnamed)
      if (!this.#taken.has(column) && isColumnName(column)) this.#give(column, column)
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
            `the column ${JSON.stringify(column)} is loaded as the attribute ${name}, ${BUILT_IN.has(column) ? `since every ${ENTITY_MEMBERS.includes(column) ? 'entity' : 'object'} has a member "${column}"` : 'a name that filters accept'}.`,
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
 * The attribute name for a column: its own name if programs and filters can use it, otherwise its
 * words joined. `First Name` becomes `firstName`, `2024` becomes `_2024`, and the reserved `uri`
 * becomes `uri_`.
 */
export function attributeName(column: string): string {
  if (isColumnName(column)) return column
  const name = asIdentifier(joined(column), 'column')
  const lower = name.charAt(0).toLowerCase() + name.slice(1)
  return isColumnName(lower) ? lower : `${lower}_`
}

/**
 * The dataclass name for a file or a list: its own name if a store accepts it, otherwise its words
 * joined. `data` stays `data`; `blog-posts` becomes `blogPosts`, and `sessions`, which every store
 * has, `sessions_`.
 */
export function dataClassName(file: string): string {
  if (isDataClassName(file)) return file
  const name = asIdentifier(joined(file), 'rows')
  return isDataClassName(name) ? name : `${name}_`
}

/**
 * Whether a name in singular or plural, in any case, is meant by another: `Company`, `companies`.
 */
export const areAlike = (name: string, other: string): boolean => likeness(name) === likeness(other)

/** Equal for names that are alike. */
export const likeness = (name: string): string => pluralize.singular(name).toLowerCase()

/** Whether a store accepts the name for a dataclass. */
function isDataClassName(name: string): boolean {
  try {
    defineDataClass(name, { ID: attribute.long({ key: true }) })
    return true
  } catch {
    return false
  }
}

/** Members of entities. An attribute of the same name would hide them. */
const ENTITY_MEMBERS: readonly string[] = ['key', 'stamp', 'timestamp']
/** With members that JavaScript itself calls. */
const BUILT_IN: ReadonlySet<string> = new Set([
  ...ENTITY_MEMBERS,
  ...Object.getOwnPropertyNames(Object.prototype),
  'then',
  'toJSON',
])

const isColumnName = (name: string): boolean => !BUILT_IN.has(name) && isAttributeName(name)

/**
 * Whether a dataclass accepts the name for an attribute. `defineDataClass` has the rule, so it
 * decides.
 */
export function isAttributeName(name: string): boolean {
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
