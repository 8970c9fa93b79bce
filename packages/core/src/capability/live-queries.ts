import type { Capability } from '../kernel/capability.ts'
import { handleOfReader, type StoreHandle } from '../kernel/handle.ts'
import { LiveQueries } from '../live/live-queries.ts'
import { liveSource } from '../live/live-source.ts'
import type { Untyped } from '../model/definition.ts'
import type { LiveDelta, LiveOptions, LiveQuery } from '../model/live-types.ts'
import type { SelectionLive } from '../model/selection-types.ts'
import { pastError } from '../past/past-errors.ts'
import { type Selection, selectionParts } from '../selection/selection.ts'

/** Those of a store, from its first one on. */
const running = new WeakMap<StoreHandle, LiveQueries>()

function liveQueriesOf(handle: StoreHandle): LiveQueries {
  let queries = running.get(handle)
  if (queries === undefined) {
    const { writer, reader } = handle
    queries = new LiveQueries(writer.listeners, reader.database, () => writer.outside('live'))
    writer.observe(queries)
    running.set(handle, queries)
  }
  return queries
}

const selection = {
  live(this: Selection, listener: (delta: LiveDelta) => void, options?: LiveOptions): LiveQuery {
    const { port, members, provenance } = selectionParts(this)
    port.moment.enter()
    const source = liveSource(this.table.model, provenance, members.pageWindow)
    const handle = handleOfReader(port.whole)
    if (handle === undefined)
      throw pastError('pastReadOnly', { operation: 'live', globalStamp: port.moment.globalStamp })
    return liveQueriesOf(handle).start(port, source, listener, options)
  },
} satisfies SelectionLive<Untyped, string>

/** `live` of selections. */
export const liveQueries = { name: 'liveQueries', selection } as const satisfies Capability
