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

/**
 * The entities of a selection, in its order, kept up to date. The selection can be created while
 * rendering: components with equal selections share one live query. The array and its entities stay
 * the same objects until they change.
 *
 * A selection of a server suspends the component until the first result arrives. Errors of the
 * selection are thrown to the nearest error boundary.
 */
export function useLive<S extends AnySelection>(selection: S): readonly ItemOf<S>[] {
  return useResult(selection, null) as readonly ItemOf<S>[]
}

/** The entities of one page of a selection, in its order, kept up to date; see `useLive`. */
export function usePage<S extends AnySelection>(
  selection: S,
  { skip, top }: Page,
): readonly ItemOf<S>[] {
  return useResult(selection, { skip, top }) as readonly ItemOf<S>[]
}

/** The entity with a key, kept up to date; undefined if there is none. See `useLive`. */
export function useEntity<C extends AnyDataClass>(
  dataClass: C,
  key: KeyIn<C>,
): EntityIn<C> | undefined {
  const [entity] = useResult(withKey(dataClass, key as Key), null)
  return entity as EntityIn<C> | undefined
}

function useResult(selection: AnySelection, page: Page | null): readonly unknown[] {
  const { subscribe, snapshot, serverSnapshot } = resultOf(selection, page)
  return useSyncExternalStore(subscribe, snapshot, serverSnapshot)
}
