import { prepareFilter } from '../../src/filter/bind-filter.ts'
import type { Predicate } from '../../src/filter/predicate.ts'
import type { ClassModel, StorageAttribute } from '../../src/model/catalog.ts'
import type { ExplainNode } from '../../src/model/explain-types.ts'
import type { Statistics } from '../../src/plan/cost.ts'
import { explainPlan } from '../../src/plan/explain-plan.ts'
import { IndexAccess, type PhysicalPlan } from '../../src/plan/physical-plan.ts'
import { planAlternatives, planQuery } from '../../src/plan/plan-query.ts'
import { rewrite } from '../../src/plan/rewrite.ts'
import { employee } from '../filter/staff-catalog.ts'

/** The counts that a planner needs for the staff, without stored data. */
export interface Counts {
  /** Records by dataclass; 10 000 employees and 100 of every other unless given. */
  readonly rows?: { readonly [className: string]: number }
  /** Index counts by attribute, equal for any range. Other attributes have no index. */
  readonly found?: { readonly [attribute: string]: number }
  /** The share found by a sample of a column; a half unless given. */
  readonly shares?: { readonly [attribute: string]: number }
  /** The number of records in posting lists of a foreign key; null if it has none. */
  readonly joined?: number | null
  readonly fanOut?: number
  /** The distinct words of a text column; a column without an entry has no dictionary. */
  readonly words?: { readonly [attribute: string]: number }
  readonly access?: IndexAccess['access']
}

/** Index counts of employees, by attribute. */
export const found = (rows: { readonly [attribute: string]: number }): Counts => ({
  found: Object.fromEntries(
    Object.entries(rows).map(([name, count]) => [`Employee.${name}`, count]),
  ),
})

/** Companies found by name, employees in their posting lists, and index counts of employees. */
export const named = (
  companies: number,
  joined: number | null,
  rows: { readonly [attribute: string]: number } = {},
): Counts => ({ found: { 'Company.name': companies, ...found(rows).found }, joined })

const nameOf = ({ owner, name }: StorageAttribute): string => `${owner.name}.${name}`

/** Planner counts from a table; `asked` records the calls. */
export function statisticsOf(counts: Counts, asked: string[] = []): Statistics {
  const rowCount = ({ name }: ClassModel): number =>
    counts.rows?.[name] ?? (name === 'Employee' ? 10_000 : 100)
  return {
    rowCount,
    mayDangle: false,
    access(attribute) {
      const rows = counts.found?.[nameOf(attribute)]
      if (rows === undefined) return null
      return new IndexAccess(counts.access ?? 'range', 'window', 1, rows, 0, rows, [])
    },
    rangeAccess({ attribute }) {
      return this.access(attribute, {
        kind: 'number',
        ranges: [],
        nulls: false,
        isPoints: false,
        isExact: true,
      })
    },
    sampledShare: (attribute) => counts.shares?.[nameOf(attribute)] ?? 0.5,
    joinPlaces({ relation }, { kind, rows }) {
      asked.push(`${relation.name} of ${kind} ${rows}`)
      const joined = counts.joined ?? null
      return joined === null ? null : { version: 1, innerVersion: 1, rows: joined, lists: [] }
    },
    fanOut: () => counts.fanOut ?? 100,
    wordCount: (attribute) => counts.words?.[nameOf(attribute)] ?? null,
  }
}

export const predicateOf = (text: string, dataClass: ClassModel = employee): Predicate =>
  rewrite(prepareFilter(text, dataClass).bind().predicate)

export const chosen = (
  text: string,
  counts: Counts,
  dataClass: ClassModel = employee,
): PhysicalPlan => planQuery(dataClass, predicateOf(text, dataClass), statisticsOf(counts))

export const priced = (
  text: string,
  counts: Counts,
  dataClass: ClassModel = employee,
): PhysicalPlan[] => planAlternatives(dataClass, predicateOf(text, dataClass), statisticsOf(counts))

/** A plan on one line: `filter Employee.salary > 2 (indexRange Employee.age = 1)`. */
export function lineOf(plan: PhysicalPlan): string {
  const line = ({ operator, detail, inputs }: ExplainNode): string =>
    `${operator} ${detail}${inputs.length === 0 ? '' : ` (${inputs.map(line).join('; ')})`}`
  return line(explainPlan(plan, () => undefined))
}
