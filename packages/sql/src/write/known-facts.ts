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
}

/**
 * What is known of the facts that a decision will ask for; null if something is missing. The entity
 * that it saves is taken out of `recent` until `giveBack` or the end of the decision.
 */
export function knownFacts(
  model: SqlModel,
  recent: RecentRows,
  { predicted, isOptimistic, hasRules }: Omit<Decided<unknown>, 'body'>,
): KnownFacts | null {
  const [first] = predicted
  if (isOptimistic !== true || first === undefined || predicted.length > MAX_PREDICTED) return null
  const dataClass = first.kind === 'entity' || first.kind === 'sequence' ? first.dataClass : null
  if (dataClass === null) return null
  const isNew = first.kind === 'sequence'
  if (isNew && (hasRules !== false || !canBeNumberedLate(model, dataClass))) return null
  const rows = new Map<string, WorkingRow>()
  const found: Found[] = []
  let count = 0
  for (const missing of predicted) {
    if (missing.kind === 'sequence' && isNew && missing.dataClass === dataClass) count++
    else if (missing.kind !== 'entity') break
    else if (!rows.has(nameOf(missing))) {
      const isSaved = missing === first
      const row = recent.find(missing.dataClass, missing.key, isSaved)
      if (row === null || rows.size === MAX_ROWS) break
      rows.set(nameOf(missing), row)
      found.push({ missing, rows: [row] })
    } else found.push({ missing, rows: [rows.get(nameOf(missing))!] })
  }
  const isWhole = found.length + count === predicted.length
  if (isWhole && recent.isPromising(dataClass)) {
    const next = isNew ? recent.expectNumbers(dataClass, count) : 0
    if (next !== null) {
      const numbers = Array.from({ length: count }, (_, at) => next + at)
      if (isNew) found.push({ missing: { kind: 'sequence', dataClass }, numbers })
      const numbered = isNew ? { dataClass, numbers } : null
      return { recent, dataClass, rows: [...rows.values()], found, numbered }
    }
  }
  for (const row of rows.values()) recent.put(row)
  return null
}

/**
 * Ends an attempt. Its entities are kept if it asked the database nothing, and forgotten if it
 * failed there: one of them may have changed. If it is stored, they are what it has made of them.
 */
export function endAttempt(
  { recent, dataClass, rows, numbered }: KnownFacts,
  outcome: 'dropped' | 'failed' | 'stored',
): void {
  recent.attempted(dataClass, outcome === 'stored')
  if (numbered !== null) recent.numbered(dataClass, numbered.numbers.length)
  if (outcome === 'stored') return
  for (const row of rows)
    if (outcome === 'dropped') recent.put(row)
    else recent.forget(row)
}

const nameOf = ({ dataClass, key }: Extract<Missing, { readonly kind: 'entity' }>): string =>
  `${dataClass.ordinal} ${typeof key} ${hashKey(key)}`
