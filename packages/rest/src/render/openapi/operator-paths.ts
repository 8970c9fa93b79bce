/**
 * Describes `$operator`. Paths, verbs and actions are those of `OPERATOR_ENDPOINTS`; here each
 * operation has its words, its answer and its refusals. Nothing depends on the model.
 */
import type { ClassSizes, DatabaseState, StorageState } from '@entia/engine'
import type { OpenStreamInfo, ProposedIndex } from '../../endpoints/context/operator-desk.ts'
import {
  OPERATOR_ACTIONS,
  OPERATOR_ENDPOINTS,
  type OperatorAction,
  type OperatorPart,
} from '../../request/operator-endpoints.ts'
import { operation, type Reason, responses } from './parameters.ts'
import {
  arrayOf,
  count,
  flag,
  inPath,
  jsonContent,
  object,
  objectOf,
  orNull,
  type Piece,
  pieceOf,
  schemaRef,
  text,
} from './schema.ts'

const duration: Piece = { type: 'number', minimum: 0 }

type Memory = Extract<StorageState, { kind: 'memory' }>

/** The answers of operators, as components. */
export const OPERATOR_SCHEMAS: Piece = {
  'rest.Operator': object({
    actions: arrayOf({ enum: OPERATOR_ACTIONS }),
    offersAdvice: flag,
    createsIndexes: flag,
  }),
  'rest.RunningRequest': object({
    id: count,
    method: text,
    path: text,
    user: orNull(object({ ID: text, userName: text })),
    remoteAddress: text,
    milliseconds: duration,
    operation: orNull(text),
    name: orNull(text),
    filter: orNull(text),
    orderBy: orNull(text),
    canStop: flag,
    isStopped: flag,
  }),
  'rest.Sizes': objectOf<ClassSizes>({
    dataClass: text,
    entities: count,
    bytes: count,
    other: count,
    attributes: arrayOf(
      objectOf<ClassSizes['attributes'][number]>({
        name: text,
        bytes: count,
        index: orNull(count),
        proposal: orNull(object({ bytes: count, milliseconds: duration })),
      }),
    ),
  }),
  'rest.ProposedIndex': objectOf<ProposedIndex>({
    dataClass: text,
    attribute: text,
    change: text,
    reads: count,
    milliseconds: duration,
    reason: text,
    looksAt: orNull(count),
    finds: orNull(count),
    bytes: count,
    buildMilliseconds: duration,
  }),
  'rest.OpenStream': objectOf<OpenStreamInfo>({
    kind: { enum: ['live', 'replica'] },
    user: orNull(text),
    dataClasses: arrayOf(text),
    plan: { enum: ['incremental', 'recompute', null] },
    replica: orNull(text),
    behindMilliseconds: duration,
  }),
  'rest.Storage': {
    anyOf: [
      objectOf<Memory>({
        kind: { const: 'memory' },
        globalStamp: count,
        historyCommits: count,
        historyBytes: count,
        journal: orNull(
          objectOf<NonNullable<Memory['journal']>>({
            folder: text,
            writtenStamp: orNull(count),
            waitingCommits: count,
            journalBytes: count,
            dumpStamp: orNull(count),
            dumpBytes: count,
            isCompacting: flag,
            hasFailed: flag,
          }),
        ),
      }),
      object({
        kind: { const: 'postgresql' },
        database: orNull(
          objectOf<DatabaseState>({
            version: text,
            schema: text,
            globalStamp: count,
            bytes: count,
            connections: count,
            maxConnections: count,
            lockWaits: count,
            oldestTransactionSeconds: duration,
            historyCommits: count,
            historyChanges: count,
          }),
        ),
      }),
    ],
  },
}

/** The refusals are those besides a wrong parameter and a rule that does not allow it. */
type Described = readonly [summary: string, answers: Piece, ...refusals: Reason[]]

type Verb = 'GET' | 'POST' | 'DELETE'
type PartKey<P extends OperatorPart = OperatorPart> = P extends null ? 'overview' : P & string

const listOf = (member: string, schema: string): Piece =>
  object({ [member]: arrayOf(schemaRef(schema)) })

const DONE = schemaRef('rest.Ok')

const DESCRIBED: { readonly [P in PartKey]: { readonly [V in Verb]?: Described } } = {
  overview: {
    GET: ['What the caller may do here, and what is served', schemaRef('rest.Operator')],
  },
  requests: {
    GET: [
      'The requests that this process answers now, without values',
      listOf('requests', 'rest.RunningRequest'),
    ],
  },
  request: {
    GET: ['The plan of a running request', object({ plan: orNull(arrayOf(text)) }), 'notRunning'],
    DELETE: ['Stops a running request', DONE, 'denied', 'notRunning', 'runsToItsEnd'],
  },
  sizes: {
    GET: ['The bytes of each dataclass, attribute and index', listOf('dataClasses', 'rest.Sizes')],
  },
  indexes: {
    GET: [
      'The indexes that slow reads would have used, with their cost',
      listOf('indexes', 'rest.ProposedIndex'),
    ],
  },
  index: { POST: ['Adds an index until the process ends', DONE, 'denied', 'elsewhere'] },
  streams: {
    GET: ['The open streams of live queries and replicas', listOf('streams', 'rest.OpenStream')],
  },
  storage: {
    GET: [
      'The history and the journal, or the database',
      object({ storage: schemaRef('rest.Storage') }),
    ],
  },
}

const IN_PATH: { readonly [name: string]: Piece } = {
  '{id}': inPath('id', 'The id of a running request.', count),
  '{dataClass}': inPath('dataClass', 'A dataclass.', text),
  '{attribute}': inPath('attribute', 'A stored attribute of it.', text),
}

/** The paths of `$operator`. */
export const operatorPaths = (): Piece =>
  pieceOf(
    OPERATOR_ENDPOINTS.map(({ part, path, actions }) => {
      const parameters = path.split('/').flatMap((segment) => IN_PATH[segment] ?? [])
      const operations = Object.entries(actions).map(([verb, action]) => {
        const described = DESCRIBED[part ?? 'overview'][verb as Verb]!
        return [verb.toLowerCase(), operatorOperation(part, verb, action, described)] as const
      })
      return [
        `/$operator${path}`,
        { ...(parameters.length === 0 ? {} : { parameters }), ...pieceOf(operations) },
      ] as const
    }),
  )

function operatorOperation(
  part: OperatorPart,
  verb: string,
  action: OperatorAction,
  [summary, answers, ...refusals]: Described,
): Piece {
  const id = part === null ? '$operator' : `$operator.${part}`
  return operation(
    '$operator',
    verb === 'GET' ? id : `${id}.${action}`,
    summary,
    responses(
      `For callers to whom the rule of the option operator allows the action ${action}.`,
      jsonContent(answers),
      ['malformed', ...(refusals.includes('notRunning') ? [] : (['hidden'] as const)), ...refusals],
    ),
  )
}
