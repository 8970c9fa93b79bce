import type { AnyDataStore } from '@entia/core'
import { createIndexSliced, handleOf, persistenceOf, tableSizes } from '@entia/core/internal'
import type { EngineOperating } from '../interface/engine-operating.ts'
import type { NextSlice } from '../interface/time-slices.ts'

/** A store in this process, as its operators see it. Long work runs in time slices. */
export function localOperating(store: AnyDataStore, nextSlice: NextSlice): EngineOperating {
  return {
    sizes: () =>
      handleOf(store)
        .writer.tables.map(tableSizes)
        .sort((a, b) => b.bytes - a.bytes),
    storage: () => ({
      kind: 'memory',
      globalStamp: store.globalStamp,
      historyCommits: store.figures.historyCommits,
      historyBytes: store.figures.historyBytes,
      journal: persistenceOf(store).journalState?.() ?? null,
    }),
    createIndex: (dataClass, attribute) =>
      createIndexSliced(store.dataClass(dataClass), attribute, nextSlice),
  }
}
