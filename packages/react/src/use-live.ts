import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { LiveResult } from './live-result.ts'
import { resultOf } from './results.ts'
import {
  type AnyDataClass,
  type AnySelection,
  type EntityIn,
  type ItemOf,
  type Key,
  type KeyIn,
  type LocalSelection,
  type Page,
  withKey,
} from './selection.ts'

/** What a component shows of the entities of a store in this process. */
export interface Shown {
  /**
   * Paths such as `lastName, employer.name`: the component renders again when a related value on
   * them changes. Over HTTP, `selection.select(paths)` does this.
   */
  readonly select?: string | undefined
}
type ShownOf<S> = S extends LocalSelection ? Shown : { readonly select?: undefined }

/**
 * The entities of a selection, in its order, kept up to date. The selection can be created while
 * rendering: components with equal selections share one live query. The array and its entities stay
 * the same objects until they change.
 *
 * A selection of a server suspends the component until the first result arrives. Errors of the
 * selection are thrown to the nearest error boundary.
 *
 * @example
 * ```ts
 * const Count = () => useLive(client.Employee.query`salary > ${50_000}`).length
 * ```
 */
export function useLive<S extends AnySelection>(
  selection: S,
  shown?: ShownOf<S>,
): readonly ItemOf<S>[] {
  return useResult(selection, null, shown?.select) as readonly ItemOf<S>[]
}

/**
 * The entities of one page of a selection, in its order, kept up to date; see `useLive`.
 *
 * @example
 * ```ts
 * const names = client.Employee.all().orderBy('lastName')
 * const Count = () => usePage(names, { skip: 0, top: 20 }).length
 * ```
 */
export function usePage<S extends AnySelection>(
  selection: S,
  { skip, top, select }: Page & ShownOf<S>,
): readonly ItemOf<S>[] {
  return useResult(selection, { skip, top }, select) as readonly ItemOf<S>[]
}

/**
 * The entity with a key, kept up to date; undefined if there is none. See `useLive`.
 *
 * @example
 * ```ts
 * const Name = ({ id }: { id: number }) => useEntity(client.Employee, id)?.lastName ?? ''
 * ```
 */
export function useEntity<C extends AnyDataClass>(
  dataClass: C,
  key: KeyIn<C>,
): EntityIn<C> | undefined {
  const [entity] = useResult(withKey(dataClass, key as Key), null)
  return entity as EntityIn<C> | undefined
}

function useResult(
  selection: AnySelection,
  page: Page | null,
  select?: string,
): readonly unknown[] {
  const result = resultOf(selection, page, select)
  const asked = useRef<Asked>({ shown: null, list: null, next: null, left: new Set() }).current
  leaveOthers(asked, result)
  const { subscribe, snapshot, snapshotOr, serverSnapshot } = result
  const { list: last } = asked
  const read = last === null ? snapshot : () => snapshotOr(last)
  const list = useSyncExternalStore(subscribe, read, serverSnapshot)
  useEffect(() => {
    Object.assign(asked, { shown: result, list, next: null })
    asked.left.clear()
  })
  return list
}

/** The results that a mounted component has asked for. */
interface Asked {
  /** The one that it shows, and its list. */
  shown: LiveResult | null
  list: readonly unknown[] | null
  /** The one that it waits for. */
  next: LiveResult | null
  /** The texts of those that it did not wait for. */
  readonly left: Set<string>
}

/**
 * Ends the result that a component waited for when it asks for another one, as while a user types.
 * A component may wait for two results in turn, in renders of two priorities: a result that it asks
 * for again is not ended.
 */
function leaveOthers(asked: Asked, result: LiveResult): void {
  const { shown, next, left } = asked
  if (result === shown || result === next) return
  asked.next = result
  if (next === null || left.has(next.text)) return
  left.add(next.text)
  next.abandon()
}
