import { produce } from 'immer'
import type { Capability } from '../kernel/capability.ts'
import type { StoreHandle } from '../kernel/handle.ts'

/**
 * Updates by a function get immer drafts, which copy only what changes. Without it a draft is a
 * deep copy of the entity.
 */
export const drafts = {
  name: 'drafts',
  install({ writer }: StoreHandle) {
    writer.context.produce = produce
  },
} as const satisfies Capability
