import { createHash } from 'node:crypto'
import type { SqlValue, Statement } from '../connect/port.ts'
import { Sql, SqlName } from './sql.ts'

/** The statement of a piece of SQL: its text, its values, and a name made from the text. */
export function statementOf(piece: Sql): Statement {
  const values: SqlValue[] = []
  const text = write(piece, values)
  return statementOfText(text, values)
}

function write({ strings, holes }: Sql, values: SqlValue[]): string {
  let text = strings[0]!
  for (let at = 0; at < holes.length; at++) {
    const hole = holes[at]!
    if (hole instanceof Sql) text += write(hole, values)
    else if (hole instanceof SqlName) text += hole.quoted
    else text += `$${values.push(hole)}`
    text += strings[at + 1]!
  }
  return text
}

/** Names of recent texts: a hash costs as much as the rest of a short statement. */
const names = new Map<string, string>()
const MAX_NAMES = 1024

/** PostgreSQL keeps 63 bytes of a name. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url')
  if (names.size >= MAX_NAMES) names.clear()
  names.set(text, name)
  return name
}

/** The statement of a whole text, of which names and structure come from the catalog. */
export const statementOfText = (text: string, values: readonly SqlValue[] = []): Statement => ({
  name: nameOf(text),
  text,
  values,
})
