import type { ClassModel, ConditionNode, ConditionTrace } from '@entia/core'
import {
  both,
  type ConditionSources,
  conditionOf,
  EVERYTHING,
  MODEL_STATISTICS,
  type Predicate,
  restrictRelations,
  visibleCondition,
} from '@entia/core/internal'
import type { FilterAnswer } from '@entia/engine'
import { listed, type Sql, sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { fromPlace, rootPlace } from '../translate/place.ts'
import { isTranslatable, predicateSql } from '../translate/predicate-sql.ts'
import type { CallerFilters } from './caller-filters.ts'
import type { EntityQuerySql } from './entity-query-sql.ts'
import type { ReadContext } from './read-context.ts'

/** A filter whose plan is requested. */
export type PlannedFilter = Pick<EntityQuerySql, 'dataClass' | 'bound' | 'filters'> & {
  /** True for a filter on one entity: it is tested, whatever index there is. */
  readonly isOfOne?: boolean
}

/** The plan of a filter as in memory: it tells of the filter and the indexes of the model. */
export function conditionAnswer(
  { model }: ReadContext,
  { dataClass, bound, filters, isOfOne = false }: PlannedFilter,
): ConditionNode | null {
  const asked = bound.asked?.() ?? bound.predicate
  const indexes = isOfOne ? noIndex : indexesFor(filters)
  const condition = conditionOf(dataClass, asked, MODEL_STATISTICS, undefined, indexes)
  return condition && visibleCondition(model.catalog, filters.sees, condition)
}

const noIndex = (): boolean => false

/** Callers from whom entities are hidden see no indexes; others those of the model. */
const indexesFor = ({ restrictsRows }: CallerFilters) => (restrictsRows ? noIndex : undefined)

/** One condition of a filter on a dataclass, with what it selects. */
interface Part {
  readonly dataClass: ClassModel
  readonly condition: ConditionNode
  readonly parts: readonly Part[]
  /** Its place among the counts of the statement. */
  readonly place: number
}

/**
 * What each part of a filter finds, by itself: one statement. Undefined if a part has no SQL; null
 * for a filter that selects everything.
 */
async function traceAnswer(
  context: ReadContext,
  { dataClass, bound, filters }: Pick<EntityQuerySql, 'dataClass' | 'bound' | 'filters'>,
): Promise<ConditionTrace | null | undefined> {
  const { model } = context
  const sources: ConditionSources = new Map()
  const asked = bound.asked?.() ?? bound.predicate
  const root = conditionOf(dataClass, asked, MODEL_STATISTICS, sources, indexesFor(filters))
  if (root === null) return null
  const predicates: (readonly [ClassModel, Predicate])[] = []
  const partOf = (of: ClassModel, condition: ConditionNode): Part => {
    const place = predicates.length
    const own = restrictRelations(sources.get(condition) ?? EVERYTHING, filters.rowsOf)
    const rows = filters.rowsOf(of)
    predicates.push([of, rows === null ? own : both([own, rows])])
    const parts = innerConditions(condition).map((inner) =>
      partOf(condition.kind === 'join' ? model.catalog.byName.get(condition.target)! : of, inner),
    )
    return { dataClass: of, condition, parts, place }
  }
  const whole = partOf(dataClass, root)
  if (!predicates.every(([, predicate]) => isTranslatable(model, predicate))) return undefined
  const time = sql`extract(epoch FROM clock_timestamp())::float8 * 1000`
  const counts = predicates.map(([of, predicate]): Sql => {
    const at = rootPlace(model, of)
    return sql`(SELECT count(*) FROM ${fromPlace(at)} WHERE ${predicateSql(model, predicate, at)}), ${time}`
  })
  const start = context.monotonic()
  const { rows } = await context.pool.query(statementOf(sql`SELECT ${time}, ${listed(counts)}`))
  const row = rows[0]!
  const elapsed = context.monotonic() - start
  const measured = Math.max(Number(row[2 * predicates.length]) - Number(row[0]), Number.MIN_VALUE)
  const run = ({ condition, parts, place }: Part): ConditionTrace => {
    const steps: ConditionTrace[] = []
    for (const part of parts) {
      const step = run(part)
      steps.push(step)
      if (condition.kind === 'and' && step.found === 0) break
    }
    const own = ((Number(row[2 * place + 2]) - Number(row[2 * place])) / measured) * elapsed
    return {
      condition: visibleCondition(model.catalog, filters.sees, condition),
      found: Number(row[2 * place + 1]),
      milliseconds: steps.reduce((sum, step) => sum + step.milliseconds, Math.max(0, own)),
      steps,
    }
  }
  return run(whole)
}

function innerConditions(condition: ConditionNode): readonly ConditionNode[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts
    case 'not':
    case 'join':
      return [condition.part]
    case 'comparison':
      return []
  }
}

/** The plan and the trace of a filter, where they are requested. Undefined as `traceAnswer`. */
export async function filterAnswer(
  context: ReadContext,
  asked: PlannedFilter,
  {
    filter,
    withPlan,
    withPath,
  }: {
    readonly filter: unknown
    readonly withPlan: boolean
    readonly withPath: boolean
  },
): Promise<FilterAnswer | undefined> {
  const condition = withPlan && filter !== null ? conditionAnswer(context, asked) : null
  const trace = withPath && filter !== null ? await traceAnswer(context, asked) : null
  return trace === undefined ? undefined : { condition, trace }
}
