import type { AnyDataStore } from '@entia/core'
import { handleOf, persistenceOf, tableSizes } from '@entia/core/internal'
import type { EngineOperating } from '../interface/engine-operating.ts'

/** A store in this process, as its operators see it. */
export function localOperating(store: AnyDataStore): EngineOperating {
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
    createIndex: (dataClass, attribute) => store.dataClass(dataClass).createIndex(attribute),
  }
}
