import type { Explain, ExplainNode } from '@entia/core'

/** A selection, or a plan of a query that did not run (`store.Employee.explain(…)`). */
export type Explained = Explain | { explain(): Explain }

/**
 * Whether any part of the plan uses an index, for example `Employee.salary`.
 *
 * @example
 * ```ts
 * usesIndex(store.Employee.query('salary > 50000'), 'Employee.salary') // → true
 * ```
 */
export function usesIndex(explained: Explained, index: string): boolean {
  return isUsedIn(planOf(explained).root, index)
}

/**
 * Throws an Error that shows the plan if the index is not used. For runners without matchers.
 *
 * @example
 * ```ts
 * assertUsesIndex(store.Employee.query('salary > 50000'), 'Employee.salary')
 * ```
 */
export function assertUsesIndex(explained: Explained, index: string): void {
  if (!usesIndex(explained, index)) throw new Error(aboutIndex(explained, index, true))
}

/** The message of a failed expectation. */
export function aboutIndex(explained: Explained, index: string, isExpected: boolean): string {
  const plan = planOf(explained)
  const used = [...indexesIn(plan.root)]
  const instead = used.length === 0 ? 'no index is used' : `used: ${used.join(', ')}`
  return `The plan was expected ${isExpected ? 'to use' : 'not to use'} the index ${index}; ${instead}.\n\n${plan}`
}

const planOf = (explained: Explained): Explain =>
  'explain' in explained ? explained.explain() : explained

const isUsedIn = ({ index, inputs }: ExplainNode, name: string): boolean =>
  index === name || inputs.some((input) => isUsedIn(input, name))

function* indexesIn({ index, inputs }: ExplainNode): Iterable<string> {
  if (index !== null) yield index
  for (const input of inputs) yield* indexesIn(input)
}
