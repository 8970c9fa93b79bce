import pluralize from 'pluralize'

/** A name that the model takes, made of a column's: kept where it can be, else its words joined. `First Name` becomes `firstName`. */
export function attributeName(column: string): string {
  if (/^(?!__|\$)[^\s.,()[\]]+$/.test(column)) return column
  const name = joined(column)
  return name === '' ? 'column' : name.charAt(0).toLowerCase() + name.slice(1)
}

/** A dataclass's name, made of a file's: `blog-posts` becomes `BlogPost`. */
export function dataClassName(file: string): string {
  const name = joined(file)
  const singular = pluralize.singular(name)
  return singular === '' ? 'Row' : singular.charAt(0).toUpperCase() + singular.slice(1)
}

/** Words one behind the other, each but the first with a capital. One word keeps its capitals. */
function joined(text: string): string {
  const [first = '', ...others] = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  if (others.length === 0) return first
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
