import type { ConditionNode, ExplainNode } from '@entia/core'

/** Slow reads of one shape: the same dataclass, filter without values, and order. */
export interface ShapeFigures {
  readonly dataClass: string
  /** Null without a filter. */
  readonly condition: ConditionNode | null
  readonly filter: string | null
  readonly orderBy: string | null
  readonly calls: number
  readonly milliseconds: number
  /** Calls with a known number of found entities, and the sum of these numbers. */
  readonly counted: number
  readonly found: number
  /** Entities of the dataclass, and whether the last plan read them all; null before a plan. */
  readonly plan: { readonly entities: number; readonly readsEverything: boolean } | null
}

/** Shapes that are kept: the least recently slow one is dropped first. */
const MAX_SHAPES = 200

/** What is kept of the slow reads of a process. Memory: as long as 200 filters. */
export class ShapeStatistics {
  readonly #shapes = new Map<string, ShapeFigures>()

  /** Returns the key of the shape. */
  add(
    shape: Pick<ShapeFigures, 'dataClass' | 'condition' | 'filter' | 'orderBy'>,
    milliseconds: number,
    found: number | null,
  ): string {
    const key = JSON.stringify([shape.dataClass, shape.filter, shape.orderBy])
    const known = this.#shapes.get(key)
    this.#put(key, {
      ...shape,
      calls: (known?.calls ?? 0) + 1,
      milliseconds: (known?.milliseconds ?? 0) + milliseconds,
      counted: (known?.counted ?? 0) + (found === null ? 0 : 1),
      found: (known?.found ?? 0) + (found ?? 0),
      plan: known?.plan ?? null,
    })
    return key
  }

  planned(key: string, plan: NonNullable<ShapeFigures['plan']>): void {
    const known = this.#shapes.get(key)
    if (known !== undefined) this.#shapes.set(key, { ...known, plan })
  }

  get shapes(): readonly ShapeFigures[] {
    return [...this.#shapes.values()]
  }

  #put(key: string, figures: ShapeFigures): void {
    this.#shapes.delete(key)
    this.#shapes.set(key, figures)
    const [oldest] = this.#shapes.keys()
    if (this.#shapes.size > MAX_SHAPES && oldest !== undefined) this.#shapes.delete(oldest)
  }
}

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
