import type { ClassModel } from '@entia/core'
import { type Access, LocalSelection } from '@entia/core/internal'
import { type Described, selectionOver } from './described.ts'
import { type AsyncRuns, notWithin } from './sql-user.ts'

/** A selection as an argument of a function. */
export class DescribedArgument {
  readonly described: Described

  constructor(described: Described) {
    this.described = described
  }
}

/** A call of a function of the application. */
export interface FunctionCall {
  readonly name: string
  readonly args: readonly unknown[]
  /** The entity sets of what it works on. */
  readonly sets?: readonly string[]
  readonly run: (access: Access, given: readonly unknown[]) => Promise<unknown>
  /** The entity set that a function returned. */
  readonly setOf: (dataClass: ClassModel, id: string) => unknown
}

/**
 * Calls a function in a decision: it may run several times, until what it reads is loaded.
 * Selections among its arguments become those of the working store; a selection as its result
 * becomes an entity set of the database. Throws what the function throws.
 */
export async function callOver(
  runs: AsyncRuns,
  { name, args, sets = [], run, setOf }: FunctionCall,
): Promise<unknown> {
  const named = args.flatMap((each) =>
    each instanceof DescribedArgument && each.described.setId !== null
      ? [each.described.setId]
      : [],
  )
  const facts = { sets: [...sets, ...named] }
  const { result, model } = await runs.write(`the function "${name}"`, facts, async (access) => {
    const given = args.map((each) =>
      each instanceof DescribedArgument ? selectionOver(access, each.described) : each,
    )
    const result = await run(access, given)
    const model = result instanceof LocalSelection ? access.model(String(result.dataClass)) : null
    return { result, model }
  })
  if (model !== null && runs.port === null)
    throw notWithin(
      'A function that returns a selection,',
      'Call it before or after the transaction.',
    )
  return model === null ? result : setOf(model, (result as { readonly id: string }).id)
}
