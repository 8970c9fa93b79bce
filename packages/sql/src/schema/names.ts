import { createHash } from 'node:crypto'

/** PostgreSQL silently cuts off longer names. */
export const MAX_NAME_BYTES = 63
/** Columns that every table has, of this package or of PostgreSQL. */
const RESERVED = new Set('_rec _stamp _ts tableoid ctid xmin xmax cmin cmax'.split(' '))

/**
 * A name and a suffix within PostgreSQL's limit: a name that is too long becomes its beginning and
 * a hash. Names of a model contain neither "~" nor "$", so that no two results are the same.
 */
export function bounded(name: string, suffix = ''): string {
  const room = MAX_NAME_BYTES - Buffer.byteLength(suffix)
  if (Buffer.byteLength(name) <= room) return name + suffix
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
  let start = ''
  for (const character of name) {
    if (Buffer.byteLength(start + character) + 1 + hash.length > room) break
    start += character
  }
  return `${start}~${hash}${suffix}`
}

/** The end of the name of an index of words. */
export const WORDS_SUFFIX = '$words'

/** The column of an attribute. */
export const columnName = (attribute: string): string =>
  RESERVED.has(attribute) ? `${attribute}~` : bounded(attribute)

/** The column beside it: the comparison key, or the media type. */
export const companionName = (column: string): string => bounded(column, '$')

/** The table of a dataclass. */
export const tableName = (dataClass: string): string =>
  bounded(dataClass, dataClass.startsWith('entia_') ? '~' : '')
