import { useSyncExternalStore } from 'react'
import { resultOf } from './results.ts'
import {
  type AnyDataClass,
  type AnySelection,
  type EntityIn,
  type ItemOf,
  type Key,
  type KeyIn,
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

/**
 * The entities of a selection, in its order, kept up to date. The selection can be created while
 * rendering: components with equal selections share one live query. The array and its entities stay
 * the same objects until they change.
 *
 * A selection of a server suspends the component until the first result arrives. Errors of the
 * selection are thrown to the nearest error boundary.
 */
export function useLive<S extends AnySelection>(
  selection: S,
  { select }: Shown = {},
): readonly ItemOf<S>[] {
  return useResult(selection, null, select) as readonly ItemOf<S>[]
}

/** The entities of one page of a selection, in its order, kept up to date; see `useLive`. */
export function usePage<S extends AnySelection>(
  selection: S,
  { skip, top, select }: Page & Shown,
): readonly ItemOf<S>[] {
  return useResult(selection, { skip, top }, select) as readonly ItemOf<S>[]
}

/** The entity with a key, kept up to date; undefined if there is none. See `useLive`. */
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
  const { subscribe, snapshot, serverSnapshot } = resultOf(selection, page, select)
  return useSyncExternalStore(subscribe, snapshot, serverSnapshot)
}
