import { type EntiaError, type ErrorCode, isEntiaError } from '@entia/core'
import { restError } from '../errors/rest-error.ts'
import type { CallerStore } from './caller-store.ts'
import { visibleReason } from './errors.ts'

/**
 * Errors about data or the caller, which clients receive unchanged. Every other error of the store
 * (a misspelt name, a filter that does not parse) is a defect of the function.
 */
const ABOUT_THE_CALL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...([
    'functionRefused',
    'functionParameterInvalid',
    'entityNotFound',
    'entityCannotBeLoaded',
  ] as const),
  ...([
    'keyMalformed',
    'keyNull',
    'keyEmpty',
    'keyNotUnique',
    'uniqueViolation',
    'notNullViolation',
  ] as const),
  ...([
    'valueInvalid',
    'valueTooSmall',
    'valueTooLarge',
    'textTooShort',
    'textTooLong',
    'patternMismatch',
  ] as const),
  ...([
    'relationTargetMissing',
    'removeRestricted',
    'entityLocked',
    'stampChanged',
    'validationFailed',
  ] as const),
  ...([
    'entityCannotBeSaved',
    'entityCannotBeRemoved',
    'recordCannotBeSaved',
    'hookRefused',
  ] as const),
  ...([
    'sequenceExhausted',
    'sequenceWouldEnd',
    'loadRefused',
    'entitySetNotFound',
    'tooManySessions',
  ] as const),
  ...(['loginFailed', 'loginRequired', 'accessDenied'] as const),
])

/** The application's error numbers start here. */
const FIRST_OWN_NUMBER = 10_000

interface CalledFunction {
  readonly owner: string
  readonly name: string
}

/**
 * The error that a call answers if its function threw. Clients see no details of errors that are
 * not meant for them.
 */
export function thrownByFunction(
  called: CalledFunction,
  callerStore: CallerStore,
  thrown: unknown,
): EntiaError {
  const isMeant =
    isEntiaError(thrown) &&
    ABOUT_THE_CALL.has(thrown.code) &&
    (thrown.code !== 'functionRefused' ||
      (Number.isInteger(thrown.errCode) &&
        thrown.errCode >= FIRST_OWN_NUMBER &&
        typeof thrown.message === 'string'))
  return isMeant
    ? visibleReason(callerStore, thrown)
    : failed(called, 'it threw an error.', forHost(thrown))
}

/** The error for a result that cannot be rendered; `reason` is reported to the host only. */
export function resultRefused({ owner, name }: CalledFunction, reason: unknown): EntiaError {
  return failed({ owner, name }, 'it ran, but its result cannot be shown.', forHost(reason))
}

function failed({ owner, name }: CalledFunction, problem: string, cause: unknown): EntiaError {
  return restError('functionFailed', { owner, name, problem }, { cause })
}

/** Wraps EntiaErrors, since error answers list every EntiaError in the chain of causes. */
function forHost(thrown: unknown): unknown {
  if (thrown === undefined) return new Error('The function threw undefined.')
  return isEntiaError(thrown) ? new Error(thrown.message, { cause: thrown }) : thrown
}
