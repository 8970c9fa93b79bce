import type { ConditionNode, ExplainNode } from '@entia/core'

/** Characters of a filter or an order in a report. */
const MAX_CHARACTERS = 200

export const shortened = (text: string): string =>
  text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`

/** A filter without its values: `salary > ? and employer: (name = ?)`. */
export const shapeOf = (condition: ConditionNode): string => shortened(shape(condition, false))

/** The same condition without its values, which may be long and must not be kept. */
export function withoutValues(node: ConditionNode): ConditionNode {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { ...node, parts: node.parts.map(withoutValues) }
    case 'not':
    case 'join':
      return { ...node, part: withoutValues(node.part) }
    case 'comparison':
      return { ...node, value: null }
  }
}

function shape(node: ConditionNode, isInner: boolean): string {
  switch (node.kind) {
    case 'and':
    case 'or': {
      if (node.parts.length === 0) return node.kind === 'and' ? 'true' : 'false'
      const text = node.parts.map((part) => shape(part, true)).join(` ${node.kind} `)
      return isInner && node.parts.length > 1 ? `(${text})` : text
    }
    case 'not':
      return `not (${shape(node.part, false)})`
    case 'comparison':
      return node.operator.startsWith('is ')
        ? `${node.attribute} ${node.operator}`
        : `${node.attribute} ${node.operator} ?`
    case 'join':
      return `${node.target} by ${node.leftAttribute}: (${shape(node.part, false)})`
  }
}

/**
 * A plan without the values of its filter: operators with the index or the dataclass that they
 * read.
 */
export const planLines = (node: ExplainNode, depth = 0): readonly string[] => [
  `${'  '.repeat(depth)}${node.operator}${placeOf(node)} (about ${Math.round(node.estimatedRows)})`,
  ...node.inputs.flatMap((input) => planLines(input, depth + 1)),
]

/** A detail that is one word is a dataclass; others are conditions with values. */
const placeOf = ({ index, detail }: ExplainNode): string =>
  index !== null ? ` ${index}` : /^\w+$/.test(detail) ? ` ${detail}` : ''

/** Operators that look at every entity of a dataclass. */
const SCANS: readonly string[] = ['scan', 'seqScan', 'parallelSeqScan']

export const readsEverything = (node: ExplainNode): boolean =>
  SCANS.includes(node.operator) || node.inputs.some(readsEverything)
