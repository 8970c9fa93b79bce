import { listOf, membersOf, textOf } from './model.ts'

/** One part of a query: what is done, with which index, and what it found. */
export interface PlanNode {
  readonly kind: 'and' | 'or' | 'not' | 'index' | 'scan' | 'join'
  readonly title: string
  readonly detail: string
  /** `Flight.delay`; null where every entity is looked at, and for nodes that only combine. */
  readonly index: string | null
  /** Entities found in its dataclass; null where this part was not run. */
  readonly found: number | null
  /** Milliseconds. */
  readonly time: number | null
  readonly children: readonly PlanNode[]
}

/** The tree of `__extendedQueryPath`, or of `__extendedQueryPlan` where nothing was run; null without a filter. */
export function planTreeOf(extended: unknown): PlanNode | null {
  const node = membersOf(extended)
  const measured = { found: numberOf(node.foundRecords), time: numberOf(node.timeTaken) }
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
      return { kind: 'join', title, detail, index: null, ...measured, children: nodesOf([node.filter]) }
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

function nodesOf(parts: readonly unknown[]): readonly PlanNode[] {
  return parts.map(planTreeOf).filter((node) => node !== null)
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? '')
}

/** A node at its place: rows downwards from 0, `depth` to the right, and the row of its parent. */
export interface PlacedNode {
  readonly node: PlanNode
  readonly depth: number
  readonly row: number
  readonly parentRow: number | null
}

/** Every node in a row of its own, parents above their parts. */
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
