import { filteredReads } from './filtered-reads.js'
import { equalityReads, prefixReads, rangeReads } from './indexed-reads.js'
import { pointReads, textReads } from './point-reads.js'
import { aggregateReads, groupReads, orderedReads, setReads } from './whole-table-reads.js'
import { writes } from './writes.js'

/** All workloads in the order of measurement: reads run on the loaded data, writes come last. */
/** @type {readonly import('./workload.js').Workload[]} */
export const workloads = [
  { kind: 'load', id: 'W1', title: 'bulk load, indexes included', needs: [] },
  { kind: 'memory', id: 'W1m', title: 'memory per entity', needs: [] },
  ...pointReads,
  ...equalityReads,
  ...rangeReads,
  ...filteredReads,
  ...orderedReads,
  ...prefixReads,
  ...aggregateReads,
  ...groupReads,
  ...setReads,
  ...textReads,
  ...writes,
]
