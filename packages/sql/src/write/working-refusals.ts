import { notOnThisEngine, type Refuse, type RefusedCall } from '@entia/engine'

const PLANS = 'Ask a server for the plan with $queryplan or $explain, or PostgreSQL with EXPLAIN.'
const UNDO = 'Use transact: if its body throws, nothing of it is saved.'

const REMEDIES: { readonly [C in RefusedCall]: string } = {
  at: 'Read the present state, or keep earlier values in entities of their own.',
  changes: 'Read changes() of the SQL store, outside of hooks and functions.',
  snapshot: UNDO,
  restore: UNDO,
  dump: 'Use the backups of PostgreSQL.',
  on: 'Use a hook of the dataclass, or changes() of the SQL store.',
  live: 'Follow the selection from a client with $live=true.',
  explain: PLANS,
  trace: PLANS,
  plans: PLANS,
}

/** The error of a call in a hook or function that needs all records or the history in memory. */
export const notInDecisions: Refuse = (call) =>
  notOnThisEngine(`"${call}" in a hook or a function`, REMEDIES[call])
