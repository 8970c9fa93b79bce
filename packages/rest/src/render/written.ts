import type { EntiaError } from '@entia/core'
import type { Answer } from '../handle/answer.ts'
import type { RemoveOutcome, WriteOutcome } from '../handle/engine-door.ts'
import type { Projection } from '../handle/projection.ts'
import type { EntityRenderer, JsonObject } from './entity.ts'
import { errorStack } from './error-stack.ts'
import { saveStatusOf, statusOfBatch } from './status.ts'

type Written = Extract<Answer, { kind: 'written' }>
type Removed = Extract<Answer, { kind: 'removed' }>

/** Status and body of an answer to a write. */
export interface WrittenReply {
  readonly status: number
  readonly body: unknown
}

/** An array answers `__ENTITIES`, one item per input; one object answers that item. */
export function renderWritten(
  { answer, projection, isArray, atomic }: Written,
  entities: EntityRenderer,
): WrittenReply {
  const errors = errorsOf(answer.outcomes)
  const all = [...errors, ...answer.failures]
  const items = answer.outcomes.map((outcome) => renderOutcome(outcome, projection, entities))
  const status = statusOfBatch(all, !atomic && errors.length < answer.outcomes.length)
  const [only] = items
  if (!isArray && only !== undefined) {
    if (answer.failures.length === 0) return { status, body: only }
    return { status, body: { ...only, __ERROR: answer.failures.flatMap(errorStack) } }
  }
  return { status, body: withErrors({ __ENTITIES: items }, all, status) }
}

/** `{"ok":true}`, or the items as for a write when one could not be deleted. */
export function renderRemoved({ answer, projection }: Removed, entities: EntityRenderer): WrittenReply {
  const errors = errorsOf(answer.outcomes)
  if (errors.length === 0) return { status: 200, body: { ok: true } }
  const status = statusOfBatch(errors, answer.committed && errors.length < answer.outcomes.length)
  const items = answer.outcomes.map((outcome) => renderRemoveOutcome(outcome, projection, entities))
  return { status, body: withErrors({ __ENTITIES: items }, errors, status) }
}

function errorsOf(outcomes: readonly (WriteOutcome | RemoveOutcome)[]): readonly EntiaError[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? [outcome.error] : []))
}

/** Every answer of 400 and above carries `__ERROR` at its top. A mixed one is none: the items that failed carry theirs. */
function withErrors(body: object, errors: readonly EntiaError[], status: number): object {
  return status < 400 ? body : { ...body, __ERROR: errors.flatMap(errorStack) }
}

const SUCCESS = Object.freeze({ success: true })

function renderOutcome(outcome: WriteOutcome, projection: Projection, entities: EntityRenderer): JsonObject {
  switch (outcome.kind) {
    case 'saved':
      return { __STATUS: SUCCESS, ...entities.renderWritten(outcome.record, projection) }
    case 'notStored': {
      const entity = entities.renderWritten(outcome.record, projection)
      // The number or UUID the engine would have given was never given.
      const { key } = projection.dataClass
      const isGenerated = key.autoSequence || key.type === 'uuid'
      if (outcome.record.key === null && isGenerated && Object.hasOwn(entity, key.name)) entity[key.name] = null
      return { __STATUS: SUCCESS, ...entity }
    }
    case 'failed':
      return renderFailure(outcome, projection, entities)
  }
}

function renderRemoveOutcome(outcome: RemoveOutcome, projection: Projection, entities: EntityRenderer): JsonObject {
  return outcome.kind === 'removed'
    ? { __STATUS: SUCCESS, __KEY: outcome.keyText }
    : renderFailure(outcome, projection, entities)
}

/** The entity as it is stored now, if there is one, between what happened and why. */
function renderFailure(
  outcome: Extract<WriteOutcome | RemoveOutcome, { kind: 'failed' }>,
  projection: Projection,
  entities: EntityRenderer,
): JsonObject {
  const { error, stored, keyText } = outcome
  const status = saveStatusOf(error)
  return {
    ...(status === null ? {} : { __STATUS: { ...status, success: false } }),
    ...(stored === null ? (keyText === null ? {} : { __KEY: keyText }) : entities.renderWritten(stored, projection)),
    __ERROR: errorStack(error),
  }
}
