import { column, type Names, type Place } from './place.ts'
import { keyAttributeOf, type RelationAttribute, resolveAlias } from './schema.ts'
import { all, raw, type Sql, sql } from './sql.ts'
import { jsonLink, linkedElements, propertyTest } from './translate-json.ts'
import { scalarTest } from './translate-value.ts'
import type { Comparison, Condition, Step } from './tree.ts'

/**
 * One part of a conjunction: relations to follow, then the comparison; or a complete piece of SQL.
 */
type Term =
  | { readonly kind: 'opaque'; readonly sql: Sql }
  | {
      readonly kind: 'comparison'
      readonly comparison: Comparison
      readonly steps: readonly Step[]
    }

/** The condition as SQL that is 0 or 1 for every row, never null: README.md, "Two values". */
export function translate(condition: Condition, at: Place, names: Names): Sql {
  switch (condition.kind) {
    case 'or':
      return sql`(${translate(condition.left, at, names)} OR ${translate(condition.right, at, names)})`
    case 'except':
      return sql`(${translate(condition.left, at, names)} AND NOT ${translate(condition.right, at, names)})`
    case 'not':
      return sql`(NOT ${translate(condition.part, at, names)})`
    default:
      return conjunction(termsOf(condition, at, names), at, 0, names)
  }
}

/** The comparisons of nested `and`s in one list; other conditions are opaque. */
function termsOf(condition: Condition, at: Place, names: Names): readonly Term[] {
  if (condition.kind === 'and') return condition.parts.flatMap((part) => termsOf(part, at, names))
  if (condition.kind !== 'comparison')
    return [{ kind: 'opaque', sql: translate(condition, at, names) }]
  return [termOf(condition)]
}

/**
 * Replaces aliases by their targets, and the comparison of a relation with a key by that of the
 * key.
 */
function termOf(comparison: Comparison): Term {
  const { attribute, steps, value } = comparison
  if (attribute.kind === 'alias') {
    const found = resolveAlias(comparison.owner, attribute)
    const through = found.steps.map((relation): Step => ({ relation, instance: 1 }))
    const owner = found.steps[found.steps.length - 1].target
    return termOf({
      ...comparison,
      owner,
      attribute: found.attribute,
      steps: [...steps, ...through],
    })
  }
  if ((attribute.kind === 'one' || attribute.kind === 'many') && value.kind !== 'null') {
    const owner = attribute.target
    const key = { ...comparison, owner, attribute: keyAttributeOf(owner) }
    return {
      kind: 'comparison',
      comparison: key,
      steps: [...steps, { relation: attribute, instance: 1 }],
    }
  }
  return { kind: 'comparison', comparison, steps }
}

/**
 * Terms whose first `depth` steps are already joined. Those that share the next step are about one
 * related entity.
 */
function conjunction(terms: readonly Term[], at: Place, depth: number, names: Names): Sql {
  const parts: Sql[] = []
  const groups = new Set<string>()
  for (const term of terms) {
    if (term.kind === 'opaque') {
      parts.push(term.sql)
      continue
    }
    const group = groupOf(term, depth)
    if (group === null) parts.push(leaf(term.comparison, at, names))
    else if (!groups.has(group)) {
      groups.add(group)
      const members = terms.filter(
        (other) => other.kind === 'comparison' && groupOf(other, depth) === group,
      )
      parts.push(groupTest(members, at, depth, names))
    }
  }
  return all(parts)
}

function groupOf(term: Term, depth: number): string | null {
  if (term.kind === 'opaque') return null
  if (term.steps.length > depth) {
    const { relation, instance } = term.steps[depth]
    return `${relation.name}{${instance}}`
  }
  return jsonLink(term.comparison)
}

function groupTest(members: readonly Term[], at: Place, depth: number, names: Names): Sql {
  const [first] = members
  if (first.kind === 'opaque') throw new Error('only comparisons are grouped')
  if (first.steps.length === depth)
    return linkedElements(
      members.flatMap((member) => (member.kind === 'comparison' ? [member.comparison] : [])),
      at,
      names,
    )
  const { relation } = first.steps[depth]
  const there: Place = { className: relation.target, name: names.next('t') }
  const inner = conjunction(members, there, depth + 1, names)
  const exists = sql`EXISTS (SELECT 1 FROM ${raw(relation.target)} ${raw(there.name)} WHERE ${joinOf(relation, at, there)} AND ${inner})`
  const isMissingEnough =
    relation.kind === 'one' &&
    members.every((member) => member.kind === 'comparison' && asksNull(member))
  return isMissingEnough
    ? sql`(${column(at, `${relation.foreignKey} position`)} IS NULL OR ${exists})`
    : exists
}

/** The result of a condition for a missing row. */
const asksNull = ({ comparison }: Extract<Term, { readonly kind: 'comparison' }>): boolean =>
  comparison.value.kind === 'null' &&
  (comparison.operator === 'equal' || comparison.operator === 'identical') &&
  comparison.properties.every(({ element }) => element === null)

/**
 * Rows are joined by record numbers, since the tables of several worlds share one table and may
 * repeat keys.
 */
export function joinOf(relation: RelationAttribute, at: Place, there: Place): Sql {
  const position = `${relation.foreignKey} position`
  return relation.kind === 'one'
    ? sql`${column(there, 'position')} = ${column(at, position)}`
    : sql`${column(there, position)} = ${column(at, 'position')}`
}

function leaf(comparison: Comparison, at: Place, names: Names): Sql {
  const { attribute, value, operator } = comparison
  const isNegative = operator === 'notEqual' || operator === 'notIdentical'
  switch (attribute.kind) {
    case 'stored':
    case 'computed':
      return scalarTest(
        {
          key: column(at, attribute.name),
          words: column(at, `${attribute.name} words`),
          type: attribute.type,
        },
        operator,
        value,
      )
    case 'one': {
      // A key without a target is an empty relation.
      const position = column(at, `${attribute.name} position`)
      return isNegative ? sql`(${position} IS NOT NULL)` : sql`(${position} IS NULL)`
    }
    case 'blob':
      return isNegative
        ? sql`(${column(at, attribute.name)} IS NOT NULL)`
        : sql`(${column(at, attribute.name)} IS NULL)`
    case 'object':
      if (comparison.properties.length > 0) return propertyTest(comparison, at, names)
      return isNegative
        ? sql`(${column(at, attribute.name)} IS NOT NULL)`
        : sql`(${column(at, attribute.name)} IS NULL)`
    case 'many': {
      const there: Place = { className: attribute.target, name: names.next('t') }
      const exists = sql`EXISTS (SELECT 1 FROM ${raw(there.className)} ${raw(there.name)} WHERE ${joinOf(attribute, at, there)})`
      return isNegative ? exists : sql`(NOT ${exists})`
    }
    case 'alias':
      throw new Error('aliases must be resolved first')
  }
}
