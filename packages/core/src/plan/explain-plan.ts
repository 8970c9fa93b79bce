import { assertNever } from '../errors.ts'
import { describePredicate, type Predicate } from '../filter/predicate.ts'
import type { Explain, ExplainNode } from '../model/explain-types.ts'
import { inputsOf, type PhysicalPlan } from './physical-plan.ts'

/** The actual rows and time of an operator that ran. */
type Actual = (
  plan: PhysicalPlan,
) => { readonly rows: number; readonly milliseconds: number } | undefined

/** A physical plan as explain nodes. */
export function explainPlan(plan: PhysicalPlan, actual: Actual): ExplainNode {
  const run = actual(plan)
  const { operator, detail, index } = describeOperator(plan)
  return {
    operator,
    detail,
    index,
    estimatedRows: plan.rows,
    isExact: plan.isExact,
    actualRows: run?.rows ?? null,
    milliseconds: run?.milliseconds ?? null,
    inputs: inputsOf(plan).map((input) => explainPlan(input, actual)),
  }
}

/** The operator of an index access. */
const OF_ACCESS = {
  hash: 'keyLookup',
  posting: 'postingList',
  words: 'wordSearch',
  range: 'indexRange',
} as const

function describeOperator(plan: PhysicalPlan): {
  operator: string
  detail: string
  index: string | null
} {
  const name = plan.dataClass.name
  switch (plan.kind) {
    case 'index':
      return {
        operator: OF_ACCESS[plan.access],
        detail: qualified(plan.isExact ? plan.predicate : beginnings(plan.predicate), name),
        index: `${name}.${plan.attribute.name}`,
      }
    case 'semiJoin': {
      const { relation } = plan
      const foreignKey =
        relation.kind === 'relatedEntity' ? relation.foreignKey : relation.inverse.foreignKey
      const how =
        plan.direction === 'forward'
          ? 'posting lists of the foreign key'
          : 'foreign keys of the related'
      return {
        operator: plan.direction === 'forward' ? 'semiJoinForward' : 'semiJoinBackward',
        detail: `${name}.${relation.name} in ${relation.target.name} (${how})`,
        index: plan.direction === 'forward' ? `${name}.${foreignKey.name}` : null,
      }
    }
    case 'all':
    case 'none':
    case 'intersect':
    case 'union':
    case 'complement':
      return { operator: plan.kind, detail: name, index: null }
    case 'filter':
    case 'scan':
      return { operator: plan.kind, detail: residualText(plan.residual, name), index: null }
    default:
      return assertNever(plan)
  }
}

const residualText = (residual: readonly Predicate[], name: string): string =>
  residual.map((predicate) => qualified(predicate, name)).join(' and ')
const qualified = (predicate: Predicate, name: string): string => {
  const text = describePredicate(predicate)
  return predicate.kind === 'compare' ||
    predicate.kind === 'property' ||
    predicate.kind === 'computed'
    ? `${name}.${text}`
    : text
}

/** The part of comparisons that the ranges of an index answer: of a pattern, its beginning. */
function beginnings(predicate: Predicate): Predicate {
  if (predicate.kind === 'and') return { ...predicate, parts: predicate.parts.map(beginnings) }
  if (predicate.kind !== 'compare') return predicate
  const { test } = predicate
  if (test.op === 'like' && test.written === undefined)
    return { ...predicate, test: { ...test, spelling: beginning(test.spelling) } }
  if (test.op !== 'in') return predicate
  const spelling = new Set(
    test.spelling.map((item) => (typeof item === 'string' ? beginning(item) : item)),
  )
  return { ...predicate, test: { ...test, spelling: [...spelling] } }
}

/** A pattern up to its first wildcard. */
function beginning(spelling: string): string {
  const at = spelling.search(/[@*]/)
  return at < 0 ? spelling : `${spelling.slice(0, at)}@`
}

/** Makes an explain printable: a tree with a line per operator, with estimated and actual rows. */
export function printable(explain: Omit<Explain, 'toString'>): Explain {
  const out: Explain = {
    ...explain,
    toString: () => `${head(explain)}${lines(explain.root, '', '').join('\n')}`,
  }
  Object.defineProperty(out, 'toString', { enumerable: false })
  return out
}

/** An explanation of a read at an older global stamp. */
export function explainedAsOf(explain: Explain, globalStamp: number): Explain {
  const { estimatedRows, isExact, actualRows } = explain.root
  const root: ExplainNode = {
    operator: 'asOf',
    detail: `${explain.dataClass} at global stamp ${globalStamp}`,
    index: null,
    estimatedRows,
    isExact,
    actualRows,
    milliseconds: null,
    inputs: [explain.root],
  }
  return printable({ ...explain, root })
}

const head = (explain: Omit<Explain, 'toString'>): string =>
  explain.filter === null ? '' : `${explain.dataClass}: ${explain.filter}\n`

function lines(node: ExplainNode, lead: string, below: string): string[] {
  const rows = node.actualRows === null ? '' : `, found ${node.actualRows}`
  const time = node.milliseconds === null ? '' : `, ${node.milliseconds.toFixed(3)} ms`
  const index = node.index === null ? '' : ` [index ${node.index}]`
  const estimate = `${node.isExact ? '' : 'about '}${Math.round(node.estimatedRows)} rows`
  const out = [`${lead}${node.operator}  ${node.detail}${index}  (${estimate}${rows}${time})`]
  node.inputs.forEach((input, at) => {
    const isLast = at === node.inputs.length - 1
    out.push(
      ...lines(input, `${below}${isLast ? '└─ ' : '├─ '}`, `${below}${isLast ? '   ' : '│  '}`),
    )
  })
  return out
}
