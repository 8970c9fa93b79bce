import { givenOf } from './odd-values.ts'
import type { PlainClub } from './plain-club.ts'
import { type ClassName, folded, type PlainRecord, RELATIONS, type Value } from './plain-model.ts'

/** A comparison of an attribute, or of one of a related entity (`team.name`). */
export interface Test {
  readonly path: string
  readonly op: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'begin' | 'end' | 'in'
  readonly value: Value | readonly Value[]
}
export type Filter =
  | { readonly kind: 'test'; readonly test: Test }
  | {
      readonly kind: 'both'
      readonly word: 'and' | 'or' | 'except'
      readonly of: readonly [Filter, Filter]
    }
  | { readonly kind: 'not'; readonly of: Filter }
export interface Order {
  readonly name: string
  readonly isDown: boolean
}

/** The members of a query in its order; ties, and queries without an order, in record order. */
export function membersOf(
  club: PlainClub,
  className: ClassName,
  filter: Filter | null,
  order: readonly Order[],
) {
  const members = club
    .living(className)
    .filter((record) => filter === null || holds(club, record, filter))
  return members.sort((a, b) => {
    for (const { name, isDown } of order) {
      const found = compare(
        comparable(className, name, a.row[name]),
        comparable(className, name, b.row[name]),
      )
      if (found !== 0) return isDown ? -found : found
    }
    return 0
  })
}

/** The filter as text; adds its values to `params`. */
export function textOf(filter: Filter, params: unknown[]): string {
  if (filter.kind === 'not') return `not (${textOf(filter.of, params)})`
  if (filter.kind === 'both')
    return `(${textOf(filter.of[0], params)}) ${filter.word} (${textOf(filter.of[1], params)})`
  const { path, op, value } = filter.test
  if (value === null) return `${path} ${op} null`
  const given = Array.isArray(value) ? value.map((one) => givenOf(path, one)) : givenOf(path, value)
  return `${path} ${op} :${params.push(given)}`
}

function holds(club: PlainClub, record: PlainRecord, filter: Filter): boolean {
  if (filter.kind === 'not') return !holds(club, record, filter.of)
  if (filter.kind === 'test') return passes(club, record, filter.test)
  const [left, right] = filter.of.map((part) => holds(club, record, part))
  return filter.word === 'and'
    ? left && right
    : filter.word === 'or'
      ? left || right
      : left && !right
}

function passes(
  club: PlainClub,
  { className, row }: PlainRecord,
  { path, op, value }: Test,
): boolean {
  const [name, related] = path.split('.')
  const relation = RELATIONS.find((each) => each.owner === className && each.name === name)
  if (related !== undefined && relation !== undefined) {
    const target = club.find(relation.target, row[relation.key])
    // Behind an empty relation every value is missing.
    return target === undefined
      ? op === '=' && value === null
      : passes(club, target, { path: related, op, value })
  }
  const found = comparable(className, name, row[name])
  if (value === null) return (found === null) === (op === '=')
  if (found === null) return false
  if (Array.isArray(value)) return value.some((one) => comparable(className, name, one) === found)
  const asked = comparable(className, name, value as Value)
  if (op === 'begin') return String(found).startsWith(String(asked))
  if (op === 'end') return String(found).endsWith(String(asked))
  const order = compare(found, asked)
  if (op === '=' || op === '!=') return (order === 0) === (op === '=')
  return op === '<' ? order < 0 : op === '<=' ? order <= 0 : op === '>' ? order > 0 : order >= 0
}

const EXACT = ['Team.motto', 'Player.nick', 'Pass.code', 'Oddity.key']
const comparable = (className: ClassName, name: string, value: Value): Value =>
  typeof value === 'string' && !EXACT.includes(`${className}.${name}`) ? folded(value) : value
/**
 * Null is lowest. All texts of the commands are in the basic plane, where the orders of code units
 * and code points agree.
 */
function compare(a: Value, b: Value): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return a < b ? -1 : 1
}
