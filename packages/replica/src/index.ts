// A part of a server's store where it is used.
export type { BatchValues } from '@entia/core/internal'
export type { Called, CallOutcome } from './calls.ts'
export type { Conflict, Resolution } from './conflict.ts'
export type { Outcome, Problem } from './outcomes.ts'
export { ReplicaError, type ReplicaErrorCode } from './replica-error.ts'
export type { ReplicaState } from './replica-parts.ts'
export {
  type Kept,
  type Replica,
  type ReplicateOptions,
  replicate,
  type Sent,
  type TabOptions,
} from './replicate.ts'
export type { Shape } from './shapes.ts'
