import { useRef } from 'preact/hooks'
import { changedKeys } from './changed-keys.ts'

/** The entities that a reload changed or added. */
export interface Fresh {
  readonly keys: ReadonlySet<string>
  /** Increases with each reload that changed something. */
  readonly round: number
}

const nothing: Fresh = { keys: new Set(), round: 0 }

/** Compares the entities of a page with those shown before at the same place. */
export function useFresh(place: string | null, entities: readonly unknown[]): Fresh {
  const before = useRef({ place, entities, fresh: nothing })
  if (before.current.place !== place) before.current = { place, entities, fresh: nothing }
  else if (before.current.entities !== entities) {
    const keys = changedKeys(before.current.entities, entities)
    const fresh =
      keys.size === 0 ? before.current.fresh : { keys, round: before.current.fresh.round + 1 }
    before.current = { place, entities, fresh }
  }
  return before.current.fresh
}
