import { listOf, membersOf, textOf } from './model.ts'

/** One part of a query: its operation, its index and its result. */
export interface PlanNode {
  readonly kind: 'and' | 'or' | 'not' | 'index' | 'scan' | 'join' | 'step'
  readonly title: string
  readonly detail: string
  /** `Flight.delay`; null for scans and for nodes that only combine. */
  readonly index: string | null
  /** Entities found in its dataclass; null if this part did not run. */
  readonly found: number | null
  /** Entities that the planner expected; null if unknown. */
  readonly estimated: number | null
  /** Milliseconds. */
  readonly time: number | null
  readonly children: readonly PlanNode[]
}

/**
 * The tree of `__extendedQueryPath`, or of `__extendedQueryPlan` if the query did not run; null
 * without a filter.
 */
export function planTreeOf(extended: unknown): PlanNode | null {
  const node = membersOf(extended)
  const measured = {
    found: numberOf(node.foundRecords),
    estimated: null,
    time: numberOf(node.timeTaken),
  }
  switch (node.type) {
    case 'LogicOperatorNode': {
      const title = textOf(node.logicOper)
      const kind = title === 'Or' ? 'or' : title === 'Not' ? 'not' : 'and'
      return {
        kind,
        title: title.toUpperCase(),
        detail: '',
        index: null,
        ...measured,
        children: nodesOf(listOf(node.parts)),
      }
    }
    case 'JoinNode': {
      const step = membersOf(listOf(node.joinPath)[0])
      const detail = `${textOf(step.leftTable)}.${textOf(step.leftField)} = ${textOf(step.rightTable)}.${textOf(step.rightField)}`
      const title = `Join with ${textOf(node.targetTable)}`
      return {
        kind: 'join',
        title,
        detail,
        index: null,
        ...measured,
        children: nodesOf([node.filter]),
      }
    }
    case 'IndexNode':
    case 'SeqNode': {
      const index = node.type === 'IndexNode' ? textOf(node.index) : null
      const title = `${textOf(node.field)}${textOf(node.oper)}${valueText(node.value)}`
      return {
        kind: index === null ? 'scan' : 'index',
        title,
        detail: textOf(node.table),
        index,
        ...measured,
        children: [],
      }
    }
    default:
      return null
  }
}

/**
 * The tree of the operators in `__explain.root`: how the page was found. Null for malformed input.
 */
export function explainTreeOf(root: unknown): PlanNode | null {
  const node = membersOf(root)
  if (typeof node.operator !== 'string') return null
  const index = typeof node.index === 'string' ? node.index : null
  const milliseconds = numberOf(node.milliseconds)
  return {
    kind: index !== null ? 'index' : node.operator === 'scan' ? 'scan' : 'step',
    title: wordsOf(node.operator),
    detail: textOf(node.detail),
    index,
    found: numberOf(node.actualRows),
    estimated: numberOf(node.estimatedRows),
    time: milliseconds === null ? null : Math.round(milliseconds * 1000) / 1000,
    children: listOf(node.inputs)
      .map(explainTreeOf)
      .filter((input) => input !== null),
  }
}

/** `orderByIndex` becomes `order by index`. */
const wordsOf = (operator: string): string =>
  operator.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function nodesOf(parts: readonly unknown[]): readonly PlanNode[] {
  return parts.map(planTreeOf).filter((node) => node !== null)
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? '')
}

/** A node at its place: row from the top, depth from the left, and its parent's row. */
export interface PlacedNode {
  readonly node: PlanNode
  readonly depth: number
  readonly row: number
  readonly parentRow: number | null
}

/** Gives every node its own row, parents above their children. */
export function layOut(root: PlanNode): readonly PlacedNode[] {
  const placed: PlacedNode[] = []
  const place = (node: PlanNode, depth: number, parentRow: number | null) => {
    const row = placed.length
    placed.push({ node, depth, row, parentRow })
    for (const child of node.children) place(child, depth + 1, row)
  }
  place(root, 0, null)
  return placed
}
