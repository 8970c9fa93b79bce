import type { Capability } from '../kernel/capability.ts'
import { perStore } from '../kernel/handle.ts'
import { LiveQueries } from '../live/live-queries.ts'
import { liveSource } from '../live/live-source.ts'
import type { Untyped } from '../model/definition.ts'
import type { LiveDelta, LiveOptions, LiveQuery } from '../model/live-types.ts'
import type { SelectionLive } from '../model/selection-types.ts'
import { type Selection, selectionParts } from '../selection/selection.ts'
import { storeOfSelection } from './store-of-selection.ts'

const liveQueriesOf = perStore(({ writer, reader }) => {
  const queries = new LiveQueries(writer.listeners, reader.database, () => writer.outside('live'))
  writer.observe(queries)
  return queries
})

const selection = {
  live(this: Selection, listener: (delta: LiveDelta) => void, options?: LiveOptions): LiveQuery {
    const { port, members, provenance } = selectionParts(this)
    port.moment.enter()
    const source = liveSource(this.table.model, provenance, members.pageWindow)
    return liveQueriesOf(storeOfSelection(port, 'live')).start(port, source, listener, options)
  },
} satisfies SelectionLive<Untyped, string>

/** `live` of selections. */
export const liveQueries = { name: 'liveQueries', selection } as const satisfies Capability
