import type { ClassModel } from '@entia/core'
import type { Found, Missing, WorkingRow } from '@entia/engine'
import type { RowLock } from './row-lock-sql.ts'

/** An entity as it was fetched. */
interface FetchedRow {
  readonly stamp: number
  /** The strongest hold that it has been fetched with. */
  readonly hold: RowLock
}

/** The entities that a transaction has fetched, by dataclass and record number. */
export class FetchedRows {
  readonly #classes = new Map<ClassModel, Map<number, FetchedRow>>()

  /** One that was fetched. */
  at(dataClass: ClassModel, record: number): FetchedRow {
    return this.#classes.get(dataClass)!.get(record)!
  }

  /** `isAlone`: rows of its dataclass are held alone. */
  note({ dataClass, record, stamp }: WorkingRow, { kind }: Missing, isAlone: boolean): void {
    let rows = this.#classes.get(dataClass)
    if (rows === undefined) this.#classes.set(dataClass, (rows = new Map()))
    const hold =
      kind === 'matches' ? (rows.get(record)?.hold ?? 'none') : isAlone ? 'exclusive' : 'shared'
    rows.set(record, { stamp, hold })
  }

  clear(): void {
    this.#classes.clear()
  }
}

/** Whether facts are as they were: every write of a record gives it another stamp. */
export function haveSameRecords(before: readonly Found[], now: readonly Found[]): boolean {
  const known = new Map(before.map((each) => [each.missing, versionsIn(each)]))
  return now.every((each) => (known.get(each.missing) ?? '') === versionsIn(each))
}
const versionsIn = (found: Found): string => {
  if ('rows' in found)
    return `${found.rows.map(({ record, stamp }) => `${record}.${stamp}`).join()};`
  return 'next' in found ? `${found.next}` : ''
}
