import { createHash } from 'node:crypto'
import type { SqlValue, Statement } from '../connect/port.ts'
import { Sql, SqlName, sql } from './sql.ts'

/** What is written once per shape: the text, and the name made from it. */
type Written = Pick<Statement, 'name' | 'text'>

/**
 * Where the walk through a piece of SQL has come. Every template, name and place of a value leads
 * to one further step, so two pieces end at the same step only if their texts are equal.
 */
class Step {
  readonly next = new Map<object | string, Step>()
  /** Of the pieces that end here; null before the first one. */
  written: Written | null = null
}

/** Stands for a value, whichever it is. */
const VALUE = {}
/** Steps that are kept: some hundred shapes of usual statements. Then all are dropped. */
const MAX_STEPS = 32_768

let first = new Step()
let steps = 0

/**
 * The statement of a piece of SQL: its text, its values, and a name made from the text. Pieces of
 * the same templates and names share a text, which is written once. Cost: O(piece), a look-up for
 * each of its parts.
 */
export function statementOf(piece: Sql): Statement {
  const values: SqlValue[] = []
  const last = walk(piece, first, values)
  last.written ??= writtenOf(textOf(piece))
  const { name, text } = last.written
  if (steps > MAX_STEPS) {
    first = new Step()
    steps = 0
  }
  return { name, text, values }
}

/** Collects the values on the way. */
function walk({ strings, holes }: Sql, from: Step, values: SqlValue[]): Step {
  let step = stepTo(from, strings)
  for (let at = 0; at < holes.length; at++) {
    const hole = holes[at]!
    if (hole instanceof Sql) step = walk(hole, step, values)
    else if (hole instanceof SqlName) step = stepTo(step, hole.quoted)
    else {
      values.push(hole)
      step = stepTo(step, VALUE)
    }
  }
  return step
}

function stepTo({ next }: Step, part: object | string): Step {
  let step = next.get(part)
  if (step === undefined) {
    step = new Step()
    steps++
    next.set(part, step)
  }
  return step
}

/** The text of a piece, written without what is known of its shape. Cost: O(text). */
function textOf(piece: Sql): string {
  let values = 0
  const write = ({ strings, holes }: Sql): string => {
    let text = strings[0]!
    for (let at = 0; at < holes.length; at++) {
      const hole = holes[at]!
      if (hole instanceof Sql) text += write(hole)
      else if (hole instanceof SqlName) text += hole.quoted
      else text += `$${++values}`
      text += strings[at + 1]!
    }
    return text
  }
  return write(piece)
}

/**
 * In a piece whose best plan depends on its values: the statement has no name, so PostgreSQL plans
 * it each time instead of keeping one plan for all values.
 */
export const PLANNED_BY_VALUES = sql`/* planned by values */`

/** PostgreSQL keeps 63 bytes of a name. */
const writtenOf = (text: string): Written => ({
  name: text.includes(PLANNED_BY_VALUES.strings[0]!)
    ? ''
    : createHash('sha256').update(text).digest('base64url'),
  text,
})

/** The statement of a whole text, of which names and structure come from the catalog. */
export const statementOfText = (text: string, values: readonly SqlValue[] = []): Statement => ({
  ...writtenOf(text),
  values,
})
