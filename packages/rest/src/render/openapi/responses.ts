import type { ErrorCode } from '@entia/core'
import { usualStatusOf } from '../status.ts'
import { jsonContent, type Piece, schemaRef } from './schema.ts'

/** Why a request may be refused, in the order of the document. */
const REASONS = {
  malformed: ['parameterInvalid', 'A wrong parameter, filter, body or value.'],
  login: ['loginRequired', 'A login is required.'],
  denied: ['accessDenied', 'No permission, or a change sent by a page of another site.'],
  absent: [
    'entityNotFound',
    'A dataclass, key, attribute or entity set of the address does not exist.',
  ],
  stale: ['stampChanged', 'A stale stamp, a value that is taken, or a restricted removal.'],
  precondition: ['preconditionFailed', 'If-Match is not the stored stamp.'],
  tooLarge: ['bodyTooLarge', 'The body is too large.'],
  mediaType: ['mediaTypeUnsupported', 'The type of the content is not supported.'],
  rules: ['validationFailed', 'A rule of the model, a hook or a function refuses it.'],
  locked: ['entityLocked', 'Another session has locked the entity.'],
} as const satisfies { readonly [reason: string]: readonly [ErrorCode, string] }

export type Reason = keyof typeof REASONS

/** Refusals as components, by reason. Those of plain REST have another body. */
export const REFUSALS: Piece = {
  ...refusals('', 'rest.Error'),
  ...refusals('plain.', 'rest.PlainError'),
}

function refusals(prefix: '' | 'plain.', schema: string): Piece {
  const content = jsonContent(schemaRef(schema))
  return Object.fromEntries(
    [...Object.entries(REASONS), ['other', [null, 'Any other error.']] as const].map(
      ([reason, [, description]]) => [prefix + reason, { description, content }],
    ),
  )
}

interface Success {
  readonly description: string
  readonly content: Piece
  readonly headers?: Piece
}

/** The responses of an operation: that to success by its status, and refusals. */
export interface Responses extends Piece {
  readonly 200?: Success
  readonly 201?: Success
}

const responseRef = (name: string): Piece => ({ $ref: `#/components/responses/${name}` })

const refusalRefs = (prefix: '' | 'plain.', reasons: readonly Reason[]): Piece => ({
  ...Object.fromEntries(
    reasons.map((reason) => [usualStatusOf(REASONS[reason][0]), responseRef(prefix + reason)]),
  ),
  default: responseRef(`${prefix}other`),
})

/** The reasons that can refuse any read. */
export const OF_READS: readonly Reason[] = ['malformed', 'login', 'denied', 'absent']
export const OF_WRITES: readonly Reason[] = [
  ...OF_READS,
  'stale',
  'precondition',
  'tooLarge',
  'rules',
  'locked',
]

/**
 * The responses of an operation. `batch` is the answer if only some of several changes were made.
 */
export function responses(
  description: string,
  content: Piece,
  reasons: readonly Reason[],
  batch: Piece | null = null,
): Responses {
  return {
    200: { description, content },
    ...(batch === null
      ? {}
      : { 207: { description: 'Some were stored, some were not.', content: batch } }),
    ...refusalRefs('', reasons),
  }
}

/** The responses of an operation of plain REST. */
export const plainResponses = (success: Success, reasons: readonly Reason[]): Responses => ({
  200: success,
  ...refusalRefs('plain.', reasons),
})

/** The responses of an operation of plain REST that creates an entity. */
export const createdResponses = (success: Success): Responses => ({
  201: success,
  ...refusalRefs('plain.', OF_WRITES),
})
