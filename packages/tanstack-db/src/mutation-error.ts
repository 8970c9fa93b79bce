import type { Key } from './rows.ts'
import type { Outcome } from './source.ts'

/** Why a write was not made, as the client reports it. */
export type FailedOutcome = Exclude<Outcome, { readonly kind: 'saved' | 'removed' | 'undone' }>

/**
 * The server has refused a mutation, which is no longer shown. `outcome` is what `update` of
 * `@entia/client` resolves to: with `stampChanged`, `outcome.current` is the entity as the other
 * user saved it, and the collection shows it.
 */
export class MutationError extends Error {
  override readonly name = 'MutationError'
  readonly dataClass: string
  readonly key: Key
  readonly outcome: FailedOutcome

  constructor(dataClass: string, key: Key, outcome: FailedOutcome) {
    super(messageOf(`${dataClass} ${key}`, outcome))
    this.dataClass = dataClass
    this.key = key
    this.outcome = outcome
  }
}

function messageOf(entity: string, outcome: FailedOutcome): string {
  switch (outcome.kind) {
    case 'stampChanged':
      return `${entity} was saved by somebody else since it was read. The collection shows what they saved.`
    case 'locked':
      return `${entity} is locked by another session.`
    case 'absent':
      return `${entity} does not exist on the server.`
    case 'refused':
      return outcome.message
  }
}
