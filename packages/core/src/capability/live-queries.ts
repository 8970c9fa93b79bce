import type { Capability } from '../kernel/capability.ts'
import { perStore } from '../kernel/handle.ts'
import { LiveQueries } from '../live/live-queries.ts'
import { type LiveSource, liveSource, textOfSource } from '../live/live-source.ts'
import type { Untyped } from '../model/definition.ts'
import { keyOf, stampOf } from '../model/entity.ts'
import type { LiveDelta, LiveIdentity, LiveOptions, LiveQuery } from '../model/live-types.ts'
import type { SelectionLive } from '../model/selection-types.ts'
import { type Selection, selectionParts } from '../selection/selection.ts'
import { storeOfSelection } from './store-of-selection.ts'

const liveQueriesOf = perStore(({ writer, reader }) => {
  const queries = new LiveQueries(writer.listeners, reader.database, () => writer.outside('live'))
  writer.observe(queries)
  return queries
})

const sourceOf = (selection: Selection): LiveSource => {
  const { members, provenance } = selectionParts(selection)
  return liveSource(selection.table.model, provenance, members.pageWindow)
}

const selection = {
  live(this: Selection, listener: (delta: LiveDelta) => void, options?: LiveOptions): LiveQuery {
    const { port } = selectionParts(this)
    port.moment.enter()
    const source = sourceOf(this)
    return liveQueriesOf(storeOfSelection(port, 'live')).start(port, source, listener, options)
  },
  liveIdentity(this: Selection): LiveIdentity {
    const source = sourceOf(this)
    const { port: origin } = selectionParts(this)
    return { origin, text: textOfSource(source), isPage: source.page !== null, keyOf, stampOf }
  },
} satisfies SelectionLive<Untyped, string>

/** `live` and `liveIdentity` of selections. */
export const liveQueries = { name: 'liveQueries', selection } as const satisfies Capability
