import { aggregates } from '../capability/aggregates.ts'
import { bulkWrites } from '../capability/bulk-writes.ts'
import { drafts } from '../capability/drafts.ts'
import { dumps } from '../capability/dumps.ts'
import { explaining } from '../capability/explaining.ts'
import { functions } from '../capability/functions.ts'
import { grouping } from '../capability/grouping.ts'
import { indexes } from '../capability/indexes.ts'
import { liveQueries } from '../capability/live-queries.ts'
import { observing } from '../capability/observing.ts'
import { past } from '../capability/past.ts'
import { projections } from '../capability/projections.ts'
import { serverState } from '../capability/server-state.ts'
import { slicedReads } from '../capability/sliced-reads.ts'
import { snapshots } from '../capability/snapshots.ts'
import { texts } from '../capability/texts.ts'
import { typedQueries } from '../capability/typed-queries.ts'
import { verifying } from '../capability/verifying.ts'
import { views } from '../capability/views.ts'

/** Everything that a store can do: those of `createDataStore`. */
export const ALL_CAPABILITIES = [
  indexes,
  serverState,
  observing,
  drafts,
  bulkWrites,
  projections,
  typedQueries,
  texts,
  aggregates,
  grouping,
  explaining,
  liveQueries,
  views,
  past,
  snapshots,
  dumps,
  verifying,
  functions,
  slicedReads,
] as const
