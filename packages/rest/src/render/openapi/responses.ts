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

/** Refusals as components, by reason. */
export const REFUSALS: Piece = {
  ...Object.fromEntries(
    Object.entries(REASONS).map(([reason, [, description]]) => [
      reason,
      { description, content: jsonContent(schemaRef('rest.Error')) },
    ]),
  ),
  other: { description: 'Any other error.', content: jsonContent(schemaRef('rest.Error')) },
}

export interface Responses extends Piece {
  readonly 200: { readonly description: string; readonly content: Piece }
}

const responseRef = (name: string): Piece => ({ $ref: `#/components/responses/${name}` })

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
    ...Object.fromEntries(
      reasons.map((reason) => [usualStatusOf(REASONS[reason][0]), responseRef(reason)]),
    ),
    default: responseRef('other'),
  }
}
