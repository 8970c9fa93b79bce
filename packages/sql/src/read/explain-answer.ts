import type { Explain, ExplainNode } from '@entia/core'
import { exactNode, visibleClass, visibleIndex } from '@entia/core/internal'
import type { SelectionPlan } from '@entia/engine'
import { layoutOf } from '../schema/layout.ts'
import type { SqlModel } from '../schema/sql-model.ts'
import { sql } from '../sql-builder/sql.ts'
import { statementOf } from '../sql-builder/statement.ts'
import { COMMIT } from '../sql-builder/transaction.ts'
import { askedOrder, type EntityQuerySql, pagePart } from './entity-query-sql.ts'
import { conditionAnswer } from './filter-answer.ts'
import type { ReadContext } from './read-context.ts'

/** One node of EXPLAIN (FORMAT JSON). */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Plan Rows': number
  readonly 'Parallel Aware'?: boolean
  readonly Plans?: readonly PlanNode[]
}

/** All entities, or those of one page. */
type ExplainedPage = { readonly skip: number; readonly top: number } | null

/**
 * How the database would find the entities of a page, for a caller: without names that the caller
 * does not know. A caller from whom entities are hidden gets the number of entities of the page, as
 * in memory: a plan would tell of the row filters and count hidden entities. Null if the entities
 * have no SQL.
 */
export async function explainAnswer(
  context: ReadContext,
  asked: EntityQuerySql,
  filterText: string | null,
  page: { readonly skip: number; readonly top: number },
  count: number,
): Promise<Explain | null> {
  const root = asked.filters.restrictsRows
    ? exactNode('view', '', null, Math.max(0, Math.min(page.top, count - page.skip)), [])
    : await visibleRoot(context, asked, page)
  if (root === null) return null
  return {
    dataClass: asked.dataClass.name,
    filter: filterText,
    root,
    condition: filterText === null ? null : conditionAnswer(context, asked),
    toString: () => lines(root, 0).join('\n'),
  }
}

async function visibleRoot(
  context: ReadContext,
  asked: EntityQuerySql,
  page: ExplainedPage,
): Promise<ExplainNode | null> {
  const plan = await explainEntities(context, asked, page)
  const { catalog } = context.model
  const { sees } = asked.filters
  const shown = (node: ExplainNode): ExplainNode => ({
    ...node,
    detail: node.detail === '' ? '' : visibleClass(catalog, sees, node.detail),
    index: visibleIndex(catalog, sees, node.index),
    inputs: node.inputs.map(shown),
  })
  return plan && shown(plan.root)
}

/**
 * The plan of the statement that finds the entities: not of their count, and not of what an answer
 * shows of them. The operators and estimates are those of the database, the dataclasses and indexes
 * those of the model. Conditions are left out, as they may contain names hidden from the caller.
 * One round trip. Null if the entities have no SQL.
 */
export async function explainEntities(
  context: ReadContext,
  asked: EntityQuerySql,
  page: ExplainedPage,
): Promise<SelectionPlan | null> {
  const { model, pool } = context
  const { where, dataClass, from } = asked
  const order = askedOrder(context, asked)
  if (where === null || order === null) return null
  const part =
    page === null ? sql`FROM ${from} WHERE ${where}` : pagePart(asked, where, order, page)
  const { name } = model.tables[dataClass.ordinal]!
  const [plans, rows] = await pool.connect(({ send }) =>
    send([
      statementOf(sql`BEGIN READ ONLY`),
      statementOf(sql`EXPLAIN (FORMAT JSON) SELECT 1 ${part}`),
      statementOf(
        sql`SELECT greatest(reltuples, 0)::double precision FROM pg_class WHERE oid = ${name.quoted}::regclass`,
      ),
      COMMIT,
    ]).then((results) => [results[1]!.rows, results[2]!.rows] as const),
  )
  const [whole] = JSON.parse(String(plans[0]![0])) as readonly { readonly Plan: PlanNode }[]
  return {
    root: nodeOf(model, indexesOf(model), whole!.Plan),
    entities: Number(rows[0]![0]),
  }
}

function nodeOf(
  model: SqlModel,
  indexes: ReadonlyMap<string, string>,
  node: PlanNode,
): ExplainNode {
  const relation = node['Relation Name']
  const table = model.tables.find(({ name }) => name.plain === relation)
  const index = node['Index Name']
  return {
    operator: operatorName(node),
    detail: table?.model.name ?? '',
    index: index === undefined ? null : (indexes.get(index) ?? null),
    estimatedRows: node['Plan Rows'],
    isExact: false,
    actualRows: null,
    milliseconds: null,
    inputs: (node.Plans ?? []).map((input) => nodeOf(model, indexes, input)),
  }
}

const known = new WeakMap<SqlModel, ReadonlyMap<string, string>>()

/**
 * `Employee.lastName` by the name of its index. Nodes of bitmap scans name the index and not its
 * table.
 */
function indexesOf(model: SqlModel): ReadonlyMap<string, string> {
  let indexes = known.get(model)
  if (indexes === undefined) {
    indexes = new Map(
      layoutOf(model).flatMap((table) =>
        [...table.indexes, ...table.constraints].map(
          ({ name, of }) => [name, `${table.dataClass}.${of.attribute.name}`] as const,
        ),
      ),
    )
    known.set(model, indexes)
  }
  return indexes
}

/** `indexScan` of "Index Scan". */
function operatorName({ 'Node Type': type, 'Parallel Aware': isParallel }: PlanNode): string {
  const words = isParallel === true ? ['Parallel', ...type.split(' ')] : type.split(' ')
  return words
    .map((word, at) => (at === 0 ? word.toLowerCase() : word[0]!.toUpperCase() + word.slice(1)))
    .join('')
}

const lines = (
  { operator, detail, index, estimatedRows, isExact, inputs }: ExplainNode,
  depth: number,
): string[] => [
  `${'  '.repeat(depth)}${operator}${detail === '' ? '' : ` ${detail}`}${index === null ? '' : ` [index ${index}]`} (${isExact ? '' : 'about '}${estimatedRows})`,
  ...inputs.flatMap((input) => lines(input, depth + 1)),
]
