import { attribute, defineDataClass } from '@entia/core'
import type { BatchOutcome } from '@entia/core/internal'

/**
 * What a store in memory knows of each replica that writes: the number of its last batch, written
 * in the transaction of the batch, so that no batch is decided twice. Add it to the dataclasses of
 * the store. It is not exposed.
 */
export const ReplicaState = defineDataClass(
  'ReplicaState',
  {
    ID: attribute.string({ key: true, maxLength: 64 }),
    /** The ID of the user who owns the replica; null for a guest. */
    user: attribute.string(),
    last: attribute.long64({ notNull: true, default: 0 }),
    /** Refusals that the replica may not have received yet, by number. */
    refused: attribute.object<{ [number: string]: BatchOutcome }>(),
  },
  { exposed: false },
)
