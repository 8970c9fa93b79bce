import type { EntiaError } from '@entia/core'
import type { Projection, RemoveOutcome, WriteOutcome } from '@entia/engine'
import { type Answer, errorsOf, failuresIn } from '../endpoints/context/answer.ts'
import type { EntityRenderer } from './entity.ts'
import { membersOf, objectOf } from './layout.ts'
import type { Reply } from './serialize.ts'
import { BAD_REQUEST, errorStack, saveStatusOf, statusOfBatch } from './status.ts'

type Written = Extract<Answer, { kind: 'written' }>
type Removed = Extract<Answer, { kind: 'removed' }>

/** An array is answered with `__ENTITIES`, one item per input; an object with that item. */
export function renderWritten(written: Written, items: readonly string[]): Reply {
  const { answer, isArray, atomic } = written
  const { outcomes, failures } = answer
  const errors = failuresIn(written)
  const isPartlySaved =
    errors.length > 0 && !atomic && outcomes.some(({ kind }) => kind !== 'failed')
  const status = statusOfBatch(errors, isPartlySaved)
  const [only] = items
  // If the batch failed as a whole, the items themselves have no errors.
  if (!isArray && only !== undefined)
    return {
      status,
      headers: {},
      body: failures.length === 0 ? only : objectOf(only.slice(1, -1), errorMembers(failures)),
    }
  return { status, headers: {}, body: listText(items, errors, status) }
}

/** `{"ok":true}`, or the items as in a write if one could not be deleted. */
export function renderRemoved({ answer }: Removed, items: readonly string[]): Reply {
  const errors = errorsOf(answer.outcomes)
  if (errors.length === 0) return { status: 200, headers: {}, body: '{"ok":true}' }
  const status = statusOfBatch(errors, answer.committed && errors.length < answer.outcomes.length)
  return { status, headers: {}, body: listText(items, errors, status) }
}

/**
 * Every answer from 400 on has `__ERROR` at the top level. In a mixed answer only the failed items
 * have it.
 */
function listText(items: readonly string[], errors: readonly EntiaError[], status: number): string {
  return objectOf(
    `"__ENTITIES":[${items.join(',')}]`,
    status < BAD_REQUEST ? '' : errorMembers(errors),
  )
}

function errorMembers(errors: readonly EntiaError[]): string {
  return errors.length === 0 ? '' : membersOf({ __ERROR: errors.flatMap(errorStack) })
}

const SUCCESS = membersOf({ __STATUS: { success: true } })

/** One item. */
export function renderOutcome(
  outcome: WriteOutcome | RemoveOutcome,
  projection: Projection,
  entities: EntityRenderer,
): string {
  if (outcome.kind === 'failed') return renderFailure(outcome, projection, entities)
  const members =
    outcome.kind === 'removed'
      ? membersOf({ __KEY: outcome.keyText })
      : entities.renderWritten(outcome.record, projection)
  return `{${SUCCESS},${members}}`
}

/** The status, the entity as it is stored now, if it exists, and the error. */
function renderFailure(
  outcome: Extract<WriteOutcome | RemoveOutcome, { kind: 'failed' }>,
  projection: Projection,
  entities: EntityRenderer,
): string {
  const { error, stored, keyText } = outcome
  const status = saveStatusOf(error)
  return objectOf(
    membersOf({ __STATUS: { ...status, success: false } }),
    stored === null
      ? membersOf(keyText === null ? {} : { __KEY: keyText })
      : entities.renderWritten(stored, projection),
    errorMembers([error]),
  )
}
