import type { AnyDataStore } from '@entia/core'
import type { BatchConflict, BatchItem, BatchValues } from '@entia/core/internal'
import { columnIn, columnOf, nameOf } from './contents.ts'
import { shownValue, storedValue } from './stored-value.ts'

/** Two writers have changed the same values, by the names of attributes and to-one relations. */
export interface Conflict {
  readonly dataClass: string
  readonly key: string | number
  /** The values that the transaction has replaced. */
  readonly base: BatchValues | null
  /** The values that it has given; null for a removal. */
  readonly mine: BatchValues | null
  /** The values that the server has; null if the entity was removed there. */
  readonly theirs: BatchValues | null
}

/** What becomes of one conflict: the values of the transaction, of the server, or others. */
export type Resolution = 'mine' | 'theirs' | BatchValues

/** Throws a TypeError for anything else. A promise has no values: the change would be dropped. */
export function checkResolution(given: unknown): asserts given is Resolution {
  if (given === 'mine' || given === 'theirs') return
  const isValues = typeof given === 'object' && given !== null
  if (isValues && [Object.prototype, null].includes(Object.getPrototypeOf(given))) return
  throw new TypeError(`A conflict is decided by 'mine', 'theirs' or an object of values, at once.`)
}

/** A conflict with values as entities have them. */
export function shownConflict(store: AnyDataStore, conflict: BatchConflict): Conflict {
  const { dataClass, key } = conflict
  const model = store.catalog.byName.get(dataClass)
  // The definitions may have changed since.
  const shown = (values: BatchValues | null): BatchValues | null =>
    values === null
      ? null
      : Object.fromEntries(
          Object.entries(values).map(([name, value]) => {
            const column = model && columnIn(model, name)
            return [name, column === undefined ? value : shownValue(column, value)]
          }),
        )
  const { base, mine, theirs } = conflict
  return { dataClass, key, base: shown(base), mine: shown(mine), theirs: shown(theirs) }
}

/**
 * The changes of a batch once its conflicts are resolved, for the state that the server has
 * reported. Throws a TypeError for a value of another type.
 */
export function resolved(
  store: AnyDataStore,
  items: readonly BatchItem[],
  conflicts: readonly BatchConflict[],
  choices: readonly Resolution[],
): readonly BatchItem[] {
  return items.flatMap((item) => {
    const at = conflicts.findIndex(
      ({ dataClass, key }) => dataClass === item.dataClass && key === item.key,
    )
    const conflict = conflicts[at]
    const choice = choices[at]
    if (conflict === undefined || choice === undefined || item.kind === 'insert') return [item]
    const { theirs, stamp } = conflict
    if (choice === 'theirs') return []
    if (item.kind === 'remove') return choice === 'mine' ? [{ ...item, before: {}, stamp }] : []
    const values = choice === 'mine' ? item.values : storedValues(store, item.dataClass, choice)
    // The entity may exist again by then. Otherwise the change is refused again, and not lost.
    if (theirs === null) return [{ ...item, values }]
    const before = Object.fromEntries(
      Object.keys(values).flatMap((name) => (name in theirs ? [[name, theirs[name]]] : [])),
    )
    return [{ ...item, values, before, stamp }]
  })
}

function storedValues(store: AnyDataStore, dataClass: string, given: BatchValues): BatchValues {
  const model = store.catalog.byName.get(dataClass)
  if (model === undefined) throw new TypeError(`The replica has no dataclass "${dataClass}".`)
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const column = columnOf(model, name)
      return [nameOf(column), storedValue(column, value)]
    }),
  )
}
