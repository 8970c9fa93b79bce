/** What is compared. */
export type ProblemKind =
  | 'schema'
  | 'unicode'
  | 'value'
  | 'key'
  | 'stamp'
  | 'unique'
  | 'relation'
  | 'count'
  | 'sequence'
  | 'history'
  | 'lock'
  | 'set'

/** One thing in a database that is not as Entia leaves it. */
export interface DatabaseProblem {
  readonly kind: ProblemKind
  /** `Employee 17`, `Employee.lastName`, or a table. */
  readonly place: string
  readonly problem: string
  readonly remedy: string
}

/** Other programs must not write to the tables: their writes break what is derived. */
export const REMEDY_KEYS =
  'Stop all processes, set "unicode" of entia_store to an empty text, and run "entia migrate": it writes all keys again.'
export const REMEDY_ROWS = 'Correct or delete the entity, or restore a backup.'
