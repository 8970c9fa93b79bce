import type { Capability } from '../kernel/capability.ts'
import { perStore } from '../kernel/handle.ts'
import { LiveQueries } from '../live/live-queries.ts'
import { type Shown, shownOf } from '../live/live-shown.ts'
import { type LiveSource, liveSource, textOfSource } from '../live/live-source.ts'
import type { ClassModel } from '../model/catalog.ts'
import type { Untyped } from '../model/definition.ts'
import { keyOf, stampOf } from '../model/entity.ts'
import type { LiveDelta, LiveIdentity, LiveOptions, LiveQuery } from '../model/live-types.ts'
import type { SelectionLive } from '../model/selection-types.ts'
import { type Selection, selectionParts } from '../selection/selection.ts'
import type { SelectionPort } from '../selection/selection-port.ts'
import { refused } from '../value/check-options.ts'
import { storeOfSelection } from './store-of-selection.ts'

const liveQueriesOf = perStore(({ writer, reader }) => {
  const queries = new LiveQueries(writer.listeners, reader.database, () => writer.outside('live'))
  writer.observe(queries)
  return queries
})

const sourceOf = (selection: Selection, shown: readonly Shown[]): LiveSource => {
  const { members, provenance } = selectionParts(selection)
  return liveSource(selection.table.model, provenance, members.pageWindow, shown)
}

const selection = {
  live(this: Selection, listener: (delta: LiveDelta) => void, options?: LiveOptions): LiveQuery {
    const { port } = selectionParts(this)
    port.moment.enter()
    const source = sourceOf(this, shownBy(options, this.table.model, port))
    return liveQueriesOf(storeOfSelection(port, 'live')).start(port, source, listener, options)
  },
  liveIdentity(this: Selection): LiveIdentity {
    const source = sourceOf(this, [])
    const { port: origin } = selectionParts(this)
    return { origin, text: textOfSource(source), isPage: source.page !== null, keyOf, stampOf }
  },
} satisfies SelectionLive<Untyped, string>

/** What the option `select` shows of related entities. */
function shownBy(options: unknown, model: ClassModel, { scope }: SelectionPort): readonly Shown[] {
  const select =
    typeof options === 'object' && options !== null && 'select' in options
      ? options.select
      : undefined
  if (select === undefined) return []
  if (typeof select === 'string') return shownOf(model, select, scope.sees)
  throw refused('The option select', 'a list of paths as text', typeof select)
}

/** `live` and `liveIdentity` of selections. */
export const liveQueries = { name: 'liveQueries', selection } as const satisfies Capability
