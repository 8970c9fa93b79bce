import { type AnyDataStore, type Explain, isEntiaError } from '@entia/core'
import type { EngineInfo } from '../interface/engine.ts'
import {
  counter,
  type EngineObservation,
  gauge,
  labelled,
  type MetricFamily,
  type PlannedQuery,
} from '../interface/engine-observation.ts'
import { classOf } from '../interface/selection-source.ts'
import type { LongReads } from './long-reads.ts'

/** The figures of a store in this process. Cost: O(entity sets + locks). */
export function storeMetrics(store: AnyDataStore, long: LongReads): readonly MetricFamily[] {
  const { entitySets, usedCache } = storeInfo(store)
  const { figures } = store
  return [
    gauge('store_info', 'The store that is served.', labelled('store', [[store.catalog.name, 1]])),
    gauge('uptime_seconds', 'Time since the store was made.', figures.uptimeMilliseconds / 1000),
    gauge(
      'entities',
      'Entities of each dataclass.',
      labelled(
        'dataclass',
        store.catalog.classes.map(({ name }) => [name, store.dataClass(name).count]),
      ),
    ),
    counter(
      'commits_total',
      'Commits so far: the global stamp, which a journal goes on from.',
      store.globalStamp,
    ),
    gauge('history_commits', 'Commits that can be gone back to.', figures.historyCommits),
    gauge('history_bytes', 'What these commits take, about.', figures.historyBytes),
    gauge('entity_sets', 'Entity sets that are kept.', entitySets.length),
    gauge('entity_set_bytes', 'What entity sets take at most.', usedCache),
    gauge('sessions', 'Open sessions.', store.sessions.size),
    gauge('locks', 'Locked entities.', store.locks.size),
    gauge('uploads', 'Uploads that wait for the change that names them.', store.uploads.size),
    gauge('kept_text_characters', 'Entities that are kept as text.', figures.keptTextCharacters),
    counter('filters_compiled_total', 'Filter texts that were not known.', figures.filtersCompiled),
    counter('long_reads_total', 'Reads that took more than one time slice.', long.longReads),
  ]
}

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

/** The most bytes that an entity set takes per member. */
const BYTES_PER_MEMBER = 8

/**
 * What a store keeps besides its entities. All of it is in memory, so the "cache" is the size of
 * the entity sets.
 */
export function storeInfo(store: AnyDataStore): EngineInfo {
  const entitySets = store.entitySets.list()
  const bytes = entitySets.reduce((sum, { size }) => sum + size * BYTES_PER_MEMBER, 0)
  return { cacheSize: bytes, usedCache: bytes, entitySets, sessions: store.sessions.list() }
}
