import type { ClassModel } from '@entia/core'
import { hashKey } from '@entia/core/internal'
import type { Found, Missing, WorkingRow } from '@entia/engine'
import type { SqlModel } from '../schema/sql-model.ts'
import type { Decided } from './decided.ts'
import { canBeNumberedLate } from './numbered-commit.ts'
import type { RecentRows } from './recent-rows.ts'

/** Beyond these, a decision saves many entities: fetching their facts costs little of it. */
const MAX_PREDICTED = 2000
const MAX_ROWS = 16

type Entity = Extract<Missing, { readonly kind: 'entity' }>

/** New entities of one dataclass, with the numbers that they are decided with. */
export interface Numbered {
  readonly dataClass: ClassModel
  readonly numbers: readonly number[]
}

/** What a process knows of everything that a decision is predicted to ask. */
export interface KnownFacts {
  readonly recent: RecentRows
  /** The dataclass that it saves to. */
  readonly dataClass: ClassModel
  readonly rows: readonly WorkingRow[]
  /** The answers for the first run. */
  readonly found: readonly Found[]
  /** Null unless it inserts entities. */
  readonly numbered: Numbered | null
  /** The entity that it saves; null if it is new. */
  readonly taken: Entity | null
}

/** What is known of the facts that a decision will ask for. */
export type Knowledge =
  /** Everything. */
  | { readonly kind: 'known'; readonly facts: KnownFacts }
  /** These entities must be read first. */
  | { readonly kind: 'unknown'; readonly missing: readonly Entity[] }

/**
 * What is known of the facts that a decision will ask for; null if it must not be attempted.
 * `read`: entities that were read for it. The one that it saves is taken until `endAttempt`.
 */
export function knownFacts(
  model: SqlModel,
  recent: RecentRows,
  { predicted, attempt, hasRules }: Omit<Decided<unknown>, 'body'>,
  read: readonly Found[] = [],
): Knowledge | null {
  const [first] = predicted
  if (attempt === undefined || first === undefined || predicted.length > MAX_PREDICTED) return null
  const dataClass = first.kind === 'entity' || first.kind === 'sequence' ? first.dataClass : null
  if (dataClass === null || !recent.isPromising(dataClass)) return null
  const isNew = first.kind === 'sequence'
  if (isNew && (hasRules !== false || !canBeNumberedLate(model, dataClass))) return null
  const entities = new Map<string, Entity>()
  let count = 0
  for (const missing of predicted) {
    if (missing.kind === 'sequence' && isNew && missing.dataClass === dataClass) count++
    else if (missing.kind === 'entity') entities.set(nameOf(missing), missing)
    else return null
  }
  const list = [...entities.values()]
  const readRows = new Map<string, WorkingRow>()
  if (list.length > MAX_ROWS || !list.every((each) => recent.isFree(each))) return null
  for (const { missing, ...each } of read)
    if (missing.kind === 'entity' && 'rows' in each && each.rows.length === 1)
      readRows.set(nameOf(missing), each.rows[0]!)
  const rows = list.map((each) => readRows.get(nameOf(each)) ?? recent.find(each))
  const missing = list.filter((_, at) => rows[at] === null)
  if (missing.length > 0) {
    // No entity has the key that a new one is given.
    const hasOwnKey = isNew && missing.some((each) => each.dataClass === dataClass)
    const isRead = attempt === 'read' && recent.isWorthReading(dataClass, isNew)
    return isRead && !hasOwnKey ? { kind: 'unknown', missing } : null
  }
  const numbers = isNew ? recent.expectNumbers(dataClass, count) : []
  if (numbers === null) return null
  const found: Found[] = list.map((missing, at) => ({ missing, rows: [rows[at]!] }))
  if (isNew) found.push({ missing: { kind: 'sequence', dataClass }, numbers })
  const taken = isNew ? null : list[0]!
  if (taken !== null) recent.take(taken)
  const facts: KnownFacts = {
    ...{ recent, dataClass, found, taken },
    rows: rows.map((row) => row!),
    numbered: isNew ? { dataClass, numbers } : null,
  }
  return { kind: 'known', facts }
}

/**
 * Ends an attempt. Its entities are kept if it asked the database nothing, and forgotten if it
 * failed there: one of them may have changed. If it is stored, they are what it has made of them.
 */
export function endAttempt(
  { recent, dataClass, rows, numbered, taken }: KnownFacts,
  outcome: 'dropped' | 'failed' | 'stored',
): void {
  if (taken !== null) recent.free(taken)
  recent.attempted(dataClass, outcome === 'stored')
  if (numbered !== null) recent.numbered(dataClass, numbered.numbers)
  if (outcome === 'stored') return
  for (const row of rows)
    if (outcome === 'dropped') recent.put(row)
    else recent.forget(row)
}

const nameOf = ({ dataClass, key }: Entity): string =>
  `${dataClass.ordinal} ${typeof key} ${hashKey(key)}`
