import type { ClassModel, ErrorCode } from '@entia/core'
import { isRelation, type Names, NUMERIC_TYPES } from '@entia/engine'
import { usualStatusOf } from '../status.ts'
import {
  arrayOf,
  componentName,
  count,
  flag,
  inHeader,
  inPath,
  inQuery,
  jsonContent,
  OK,
  type Piece,
  PLAIN_VALUE,
  parameterRef,
  refs,
  schemaRef,
  text,
} from './schema.ts'

const AGGREGATES: Piece = { enum: ['$all', 'average', 'count', 'max', 'min', 'sum'] }

/**
 * Parameters shared by all dataclasses, by component. Their examples can be requested as they are.
 */
export const COMMON_PARAMETERS: Piece = {
  params: inQuery(
    '$params',
    'Values of :1, :2, … or of :name in $filter, as JSON; of a function its parameters.',
    text,
    '[1]',
  ),
  // Without example: not every dataclass has an index of words.
  search: inQuery(
    '$search',
    'Words, each in any attribute with an index of words; word* is a prefix. Best matches first.',
    text,
  ),
  top: inQuery('$top', 'The most entities of the page.', count, 5),
  skip: inQuery('$skip', 'Entities before the page.', count, 2),
  asArray: inQuery('$asArray', 'Answers a bare array, without envelope and relations.', flag, true),
  format: inQuery(
    '$format',
    'dashboard: rows of a table.',
    { enum: ['json', 'dashboard'] },
    'dashboard',
  ),
  compute: inQuery(
    '$compute',
    'Computes over the whole selection; $all answers all aggregates as an object.',
    AGGREGATES,
    'count',
  ),
  distinct: inQuery('$distinct', 'The values of one attribute, each once.', flag, true),
  groupby: inQuery(
    '$groupby',
    'Groups by attributes, separated by commas; dates also by day, week, month, quarter or year: date.month.',
    text,
  ),
  aggregates: inQuery(
    '$aggregates',
    'With $groupby: count, and average, count, countDistinct, max, min or sum of a path: delay.average.',
    text,
  ),
  having: inQuery('$having', 'With $groupby: a condition on groups: count > 10.', text),
  // For pages without an attribute in the path. Without example, since they need another parameter.
  computeOf: inQuery('$compute', 'Aggregates of the one attribute in $attributes.', AGGREGATES),
  distinctOf: inQuery(
    '$distinct',
    'The values of the one attribute in $attributes, each once.',
    flag,
  ),
  live: inQuery('$live', 'Server-sent events: the page, then its changes.', flag),
  queryplan: inQuery('$queryplan', 'Which indexes the filter uses.', flag, true),
  querypath: inQuery('$querypath', 'What each part of the filter finds.', flag, true),
  keep: inQuery(
    '$method',
    'entityset keeps the whole selection, at the address __ENTITYSET. release ends an entity set.',
    { enum: ['entityset', 'subentityset', 'release'] },
    'entityset',
  ),
  timeout: inQuery(
    '$timeout',
    'The lifetime of an unused entity set in seconds; with $method=entityset.',
    count,
  ),
  savedfilter: inQuery('$savedfilter', 'Recreates the set if it has expired.', text),
  savedorderby: inQuery('$savedorderby', 'The order of $savedfilter.', text),
  clean: inQuery('$clean', 'Without entities that were deleted.', flag, true),
  logicOperator: inQuery('$logicOperator', 'How to combine the set with $otherCollection.', {
    enum: ['AND', 'OR', 'EXCEPT', 'INTERSECT'],
  }),
  otherCollection: inQuery('$otherCollection', 'The id of another entity set.', text),
  subOrderby: inQuery('$subOrderby', 'The order of $method=subentityset.', text),
  write: inQuery('$method', 'update is the default; insert refuses a __KEY; delete removes.', {
    enum: ['update', 'insert', 'delete'],
  }),
  changeSet: inQuery('$method', 'delete removes the entities of the set; release ends the set.', {
    enum: ['delete', 'release'],
  }),
  atomic: inQuery('$atomic', 'Saves or deletes all entities or none.', flag),
  refresh: inQuery('$refresh', 'Answers the result without storing it.', flag),
  isoTimestamps: inQuery('$isoTimestamps', 'Answers `__TIMESTAMP` as a date-time.', flag),
  lock: inQuery(
    '$lock',
    'Locks or unlocks the entity for the session, and answers whether it succeeded.',
    flag,
  ),
  imageformat: inQuery('$imageformat', 'The requested type; best is the stored one.', text, 'best'),
  binary: inQuery('$binary', 'The bytes, as a download.', flag, true),
  rawPict: inQuery('$rawPict', 'The body is an image of this type, or true.', text),
  ifMatch: inHeader('If-Match', 'The stamp in quotes, "3". Refused unless it is the stored one.'),
  ifNoneMatch: inHeader('If-None-Match', 'The ETag of an answer. 304 if it is unchanged.'),
  setId: inPath('id', 'The id of an entity set.', text),
}

/** Parameters of one dataclass, with examples of its own attributes. */
export function classParameters(dataClass: ClassModel, names: Names): Piece {
  const name = componentName(dataClass.name)
  const { key } = dataClass
  const isNumeric = NUMERIC_TYPES.has(key.type)
  const known = names.attributes(dataClass)
  // Filters need brackets or quotes around other names.
  const isKeyKnown =
    names.find(dataClass, key.name) !== undefined && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(key.name)
  const plain = known
    .filter((attribute) => !isRelation(attribute))
    .map((attribute) => attribute.name)
  const relations = known.filter(isRelation).map((attribute) => attribute.name)
  return {
    [`${name}.key`]: inPath(
      'key',
      'The key of an entity; in double quotes if it contains brackets.',
      text,
      isNumeric ? '1' : undefined,
    ),
    [`${name}.filter`]: inQuery(
      '$filter',
      'Selects entities.',
      text,
      isKeyKnown ? `"${key.name} ${isNumeric ? '>= 1' : 'is not null'}"` : undefined,
    ),
    [`${name}.orderby`]: inQuery(
      '$orderby',
      'attribute asc|desc, …; paths through relations too.',
      text,
      isKeyKnown ? `${key.name} desc` : undefined,
    ),
    [`${name}.attributes`]: inQuery(
      '$attributes',
      `The attributes to show, separated by commas; all by default: ${[...plain, ...relations].join(', ')}; separate relations with a dot.`,
      text,
      plain.length > 0 ? plain.slice(0, 3).join(',') : undefined,
    ),
    [`${name}.expand`]: inQuery(
      '$expand',
      relations.length > 0
        ? `Relations to show inline: ${relations.join(', ')}.`
        : 'Relations to show inline.',
      text,
      relations[0],
    ),
  }
}

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
  hidden: ['resourceNotFound', 'The rule of the host does not allow it to the caller.'],
  notRunning: [
    'requestNotRunning',
    'No request with this id is running, or the rule of the host does not allow it to the caller.',
  ],
  runsToItsEnd: ['requestCannotStop', 'The request changes something, and runs to its end.'],
  elsewhere: ['notOnThisEngine', 'Only a migration of the database adds indexes.'],
  unavailable: ['engineUnavailable', 'The storage does not answer, or the process is stopping.'],
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

/** The responses of a read. */
export const reads = (description: string, content: Piece): Responses =>
  responses(description, content, OF_READS)

/** The responses of a change; for `batch` see `responses`. */
export const changes = (
  description: string,
  content: Piece = OK,
  batch: Piece | null = null,
): Responses => responses(description, content, OF_WRITES, batch)

/** The response to a read with the ETag of what is stored. */
export const UNCHANGED: Piece = {
  304: { description: 'The entity still has the ETag of If-None-Match.' },
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

/** An operation. Its description joins what it does and what it answers. */
export function operation(
  tag: string,
  operationId: string,
  summary: string,
  responses: Responses,
  parameters?: readonly Piece[],
  requestBody?: Piece,
): Piece {
  const { description: answered } = (responses[200] ?? responses[201])!
  const description = `${summary.replace(/\.$/, '')}. ${answered}`
  const request = { ...(parameters && { parameters }), ...(requestBody && { requestBody }) }
  return { tags: [tag], operationId, summary, description, ...request, responses }
}

/** Makes the operations on a dataclass. */
export function operationsOn({ name }: ClassModel) {
  const component = componentName(name)
  return (
    id: string,
    summary: string,
    responses: Responses,
    parameters?: readonly Piece[],
    requestBody?: Piece,
  ): Piece => operation(name, `${component}.${id}`, summary, responses, parameters, requestBody)
}

/** Parameters of every page. */
export const PAGE_PARAMETERS: readonly string[] = [
  ...['params', 'search', 'top', 'skip', 'queryplan', 'querypath'],
  ...['asArray', 'format', 'keep', 'timeout'],
]

const GROUP_PARAMETERS: readonly string[] = ['groupby', 'aggregates', 'having']

/** Parameters that are one component for each dataclass. */
export const ofClass = (dataClass: ClassModel, ...parts: readonly string[]): readonly Piece[] =>
  parts.map((part) => parameterRef(`${componentName(dataClass.name)}.${part}`))

/** Parameters of a page of a dataclass whose attributes are not in the path. */
export const ofPages = (dataClass: ClassModel): readonly Piece[] => [
  ...ofClass(dataClass, 'filter', 'orderby', 'attributes', 'expand'),
  ...refs(...PAGE_PARAMETERS, 'computeOf', 'distinctOf', ...GROUP_PARAMETERS, 'live'),
]

export const PAGE_DESCRIPTION =
  'A page, a bare array, or rows of a table; with $compute aggregates or one of them, with $distinct values, with $groupby groups.'

/** The answer to a page in all its shapes, and other ones. */
export function pageContent(dataClass: ClassModel, ...others: readonly Piece[]): Piece {
  const name = componentName(dataClass.name)
  const shapes = [
    schemaRef(`${name}.page`),
    arrayOf(schemaRef(name)),
    ...['rest.Dashboard', 'rest.Aggregates', 'rest.Groups'].map(schemaRef),
    arrayOf(schemaRef('rest.Group')),
  ]
  const values = [arrayOf(PLAIN_VALUE), PLAIN_VALUE]
  return {
    'application/json': { schema: { anyOf: [...shapes, ...values, ...others] } },
    'text/event-stream': {
      schema: { type: 'string', description: 'With $live: what changes, as it is committed.' },
    },
  }
}
