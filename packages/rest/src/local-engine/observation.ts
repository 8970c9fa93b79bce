import { type AnyDataStore, type Explain, isEntiaError } from '@entia/core'
import type { EngineObservation, PlannedQuery } from '../engine/engine-observation.ts'
import { classOf } from '../engine/selection-source.ts'

/** How a store in this process finds entities. Nothing runs. */
export function localObservation(store: AnyDataStore): EngineObservation {
  return {
    conditionOf: (query) => explained(store, query)?.condition ?? null,
    async planOf(query) {
      const explain = explained(store, query)
      if (explain === null) return null
      return { root: explain.root, entities: store.dataClass(explain.dataClass).count }
    },
    tallying: null,
  }
}

/** Null without a filter, and for one that is refused. */
function explained(store: AnyDataStore, { source, filter }: PlannedQuery): Explain | null {
  if (filter === null || source.kind === 'entitySet') return null
  try {
    return store.dataClass(classOf(source).name).explain(filter.text, filter.params ?? undefined)
  } catch (error) {
    if (isEntiaError(error)) return null
    throw error
  }
}
