import type { Explain, ExplainNode } from '@entia/core'
import type { SqlModel } from '../schema/sql-model.ts'
import { type Sql, sql } from '../text/sql.ts'
import { statementOf } from '../text/statement.ts'
import type { AskedEntities } from './asked-entities.ts'
import { conditionAnswer } from './filter-answer.ts'
import type { ReadContext } from './read-context.ts'

/** One node of EXPLAIN (FORMAT JSON). */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Plan Rows': number
  readonly Plans?: readonly PlanNode[]
}

/**
 * How the database would find a page: its operators with its estimates, the dataclasses and indexes
 * that they read. Conditions are left out: they may name what the caller does not know.
 */
export async function explainAnswer(
  context: ReadContext,
  asked: AskedEntities,
  filterText: string | null,
  select: Sql,
): Promise<Explain> {
  const { model, pool } = context
  const { rows } = await pool.query(statementOf(sql`EXPLAIN (FORMAT JSON) ${select}`))
  const [whole] = JSON.parse(String(rows[0]![0])) as readonly { readonly Plan: PlanNode }[]
  const root = nodeOf(model, whole!.Plan)
  const { dataClass } = asked
  return {
    dataClass: dataClass.name,
    filter: filterText,
    root,
    condition: filterText === null ? null : conditionAnswer(context, asked),
    toString: () => lines(root, 0).join('\n'),
  }
}

function nodeOf(model: SqlModel, node: PlanNode): ExplainNode {
  const relation = node['Relation Name']
  const table = model.tables.find(({ name }) => name.plain === relation)
  const indexName = node['Index Name']
  return {
    operator: operatorName(node['Node Type']),
    detail: table?.model.name ?? '',
    index: table === undefined || indexName === undefined ? null : indexOf(table.model, indexName),
    estimatedRows: node['Plan Rows'],
    isExact: false,
    actualRows: null,
    milliseconds: null,
    inputs: (node.Plans ?? []).map((input) => nodeOf(model, input)),
  }
}

/** `Employee.lastName` of the index "Employee$lastName". */
function indexOf(
  { name, storage }: SqlModel['tables'][number]['model'],
  index: string,
): string | null {
  const attribute = storage.find((each) => index.includes(`$${each.name}`))
  return attribute === undefined ? null : `${name}.${attribute.name}`
}

/** `indexScan` of "Index Scan". */
const operatorName = (type: string): string =>
  type
    .split(' ')
    .map((word, at) => (at === 0 ? word.toLowerCase() : word[0]!.toUpperCase() + word.slice(1)))
    .join('')

const lines = (
  { operator, detail, estimatedRows, inputs }: ExplainNode,
  depth: number,
): string[] => [
  `${'  '.repeat(depth)}${operator}${detail === '' ? '' : ` ${detail}`} (about ${estimatedRows})`,
  ...inputs.flatMap((input) => lines(input, depth + 1)),
]
