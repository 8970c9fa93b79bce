import type { ConditionNode, ConditionTrace } from '@entia/core'

/** The plan members of an answer, in their order. */
export interface QueryPlan {
  readonly __queryPlan: unknown
  readonly __extendedQueryPlan: unknown
}

/** Renders the plan of a filter. Without a filter, both members are empty objects. */
export function renderQueryPlan(condition: ConditionNode | null): QueryPlan {
  if (condition === null) return { __queryPlan: {}, __extendedQueryPlan: {} }
  return { __queryPlan: simpleNode(condition), __extendedQueryPlan: extendedNode(condition, 1) }
}

type Logical = Extract<ConditionNode, { kind: 'and' | 'or' | 'not' }>
export type Comparison = Extract<ConditionNode, { kind: 'comparison' }>
export type Join = Extract<ConditionNode, { kind: 'join' }>

const LOGIC_NAMES = { and: 'And', or: 'Or', not: 'Not' } as const

function simpleNode(node: ConditionNode): unknown {
  switch (node.kind) {
    case 'comparison':
      return { item: comparisonText(node) }
    case 'join':
      return {
        item: joinText(node),
        ...(isAnything(node.part) ? {} : { subquery: [simpleNode(node.part)] }),
      }
    default:
      return { [LOGIC_NAMES[node.kind]]: partsOf(node).map(simpleNode) }
  }
}

function extendedNode(node: ConditionNode, instance: number): unknown {
  switch (node.kind) {
    case 'comparison':
      return comparisonMembers(node, instance)
    case 'join':
      return {
        ...joinMembers(node, instance),
        filter: isAnything(node.part) ? {} : extendedNode(node.part, node.instance),
      }
    default:
      return logicMembers(
        node,
        partsOf(node).map((part) => extendedNode(part, instance)),
      )
  }
}

const logicMembers = ({ kind }: Logical, parts: readonly unknown[]): object => ({
  type: 'LogicOperatorNode',
  logicOper: LOGIC_NAMES[kind],
  parts,
})

/** True for the inner condition of a join that only requires an entity to exist. */
function isAnything(node: ConditionNode): boolean {
  return node.kind === 'and' && node.parts.length === 0
}

/** The members of a comparison in an extended plan or path. */
function comparisonMembers(node: Comparison, instance: number): object {
  const { attribute, dataClass, operator, index } = node
  const oper = ` ${operator} `
  const value = node.value ?? null
  const shown = { field: attribute, table: dataClass, instance, oper, value }
  return index === null ? { type: 'SeqNode', ...shown } : { type: 'IndexNode', ...shown, index }
}

/** The members of a join in an extended plan or path, without its filter. */
function joinMembers(node: Join, instance: number): object {
  const { source, leftAttribute, target, rightAttribute } = node
  const step = {
    leftTable: source,
    leftField: leftAttribute,
    leftInstance: instance,
    rightTable: target,
    rightField: rightAttribute,
    rightInstance: node.instance,
  }
  return { type: 'JoinNode', targetTable: target, instance: node.instance, joinPath: [step] }
}

/** Parts in order of interest: indexed comparisons, joins, the rest; otherwise as written. */
function partsOf(node: Logical): readonly ConditionNode[] {
  if (node.kind === 'not') return [node.part]
  if (node.kind === 'or') return node.parts
  return [...node.parts].sort((a, b) => rankOf(a) - rankOf(b))
}

function rankOf(node: ConditionNode): number {
  if (node.kind === 'comparison' && node.index !== null) return 0
  return node.kind === 'join' ? 1 : 2
}

function comparisonText(node: Comparison): string {
  const field = `${node.dataClass}.${node.attribute}`
  const place = node.index === null ? field : `[index : ${node.index} ]`
  const value = node.value === undefined || node.value === null ? '' : ` ${valueText(node.value)}`
  return `${place} ${node.operator}${value}`
}

function joinText(node: Join): string {
  const { source, leftAttribute, target, rightAttribute } = node
  return `Join on Table : ${target}  :  ${source}.${leftAttribute} = ${target}.${rightAttribute}`
}

function valueText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The longest plan in a header. */
const MAX_HEADER_CHARACTERS = 8192

/**
 * Plan members as the value of a header, for answers that are bare arrays or values. Escapes
 * characters beyond ASCII, as JSON allows.
 */
export function planHeader(plan: object): string {
  const ascii = JSON.stringify(plan).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return ascii.slice(0, MAX_HEADER_CHARACTERS)
}

/** The path members of an answer, in their order. */
export interface QueryPath {
  readonly __queryPath: unknown
  readonly __extendedQueryPath: unknown
}

/** Renders what the parts of a filter found. Without a filter, both members are empty objects. */
export function renderQueryPath(trace: ConditionTrace | null): QueryPath {
  if (trace === null) return { __queryPath: {}, __extendedQueryPath: {} }
  return {
    __queryPath: { steps: [simpleStep(trace)] },
    __extendedQueryPath: extendedStep(trace, 1),
  }
}

function simpleStep(trace: ConditionTrace): unknown {
  const { condition, found } = trace
  const steps = shownSteps(trace)
  const step = {
    description: descriptionOf(trace),
    time: millisecondsOf(trace),
    recordsfounds: found,
  }
  if (steps.length === 0) return step
  const inner = steps.map(simpleStep)
  // The protocol puts the inner steps of a join into an unlabelled step.
  return { ...step, steps: condition.kind === 'join' ? [{ steps: inner }] : inner }
}

/** A join that only requires an entity to exist has no inner steps. */
function shownSteps({ steps }: ConditionTrace): readonly ConditionTrace[] {
  return steps.filter(({ condition }) => !isAnything(condition))
}

function descriptionOf({ condition }: ConditionTrace): string {
  switch (condition.kind) {
    case 'comparison':
      return comparisonText(condition)
    case 'join':
      return joinText(condition)
    default:
      return LOGIC_NAMES[condition.kind].toUpperCase()
  }
}

function extendedStep(trace: ConditionTrace, instance: number): object {
  const { condition, found } = trace
  const steps = shownSteps(trace)
  const measured = { timeTaken: millisecondsOf(trace), foundRecords: found }
  switch (condition.kind) {
    case 'comparison':
      return { ...comparisonMembers(condition, instance), ...measured }
    case 'join': {
      const [filter = {}] = steps.map((step) => extendedStep(step, condition.instance))
      return { ...joinMembers(condition, instance), filter, ...measured }
    }
    default: {
      const parts = steps.map((step) => extendedStep(step, instance))
      return { ...logicMembers(condition, parts), ...measured }
    }
  }
}

/** Rounded to microseconds, the resolution of clocks. */
function millisecondsOf({ milliseconds }: ConditionTrace): number {
  return Math.round(milliseconds * 1000) / 1000
}
