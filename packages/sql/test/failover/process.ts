// One serving process of `npm run test:long -- failover`: executes the commands of the script.
import { isEntiaError } from '@entia/core'
import { DatabaseError } from '../../src/connect/database-error.ts'
import { type Asked, openBank } from '../races/bank.ts'
import { answerParent } from '../races/child.ts'
import { Load, type LoadPlan } from './load.ts'

/** The commands of the script to a process. */
export type Order =
  | { readonly kind: 'ask'; readonly asked: readonly Asked[] }
  | { readonly kind: 'start'; readonly plan: LoadPlan }
  | { readonly kind: 'commits' | 'followed' | 'stop' | 'close' }

const bank = await openBank(JSON.parse(process.argv[2]!))
let load: Load | null = null

answerParent(async (order: Order): Promise<unknown> => {
  switch (order.kind) {
    case 'ask':
      return Promise.all(order.asked.map((each) => bank.ask(each)))
    case 'start':
      load?.end()
      load = new Load(bank, order.plan)
      return null
    case 'commits':
      return load!.commits
    case 'followed':
      return load!.followed
    case 'stop':
      return load!.stop()
    case 'close':
      load?.end()
      await bank.close()
      return bank.failures
        .filter(isUnexpected)
        .map((each) => (each instanceof Error ? `${each.stack}` : String(each)))
  }
})

/** The host gets the error of each request that failed without a primary, and its cause. */
function isUnexpected(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.failure !== 'unavailable'
  return !isEntiaError(error, 'engineUnavailable') && !isEntiaError(error, 'commitOutcomeUnknown')
}
