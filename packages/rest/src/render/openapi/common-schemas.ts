import { PRIVILEGED_ACTIONS } from '../../endpoints/permission/privileges.ts'
import { arrayOf, count, flag, object, type Piece, PLAIN_VALUE, schemaRef, text } from './schema.ts'

/** The members that `$queryplan`, `$querypath` and `$explain` add. */
export const PLAN_MEMBERS: Piece = {
  __queryPlan: schemaRef('rest.Plan'),
  __extendedQueryPlan: schemaRef('rest.Plan'),
  __queryPath: schemaRef('rest.Plan'),
  __extendedQueryPath: schemaRef('rest.Plan'),
  __explain: { type: 'object' },
}

const NUMBER_OR_NULL: Piece = { type: ['number', 'null'] }

const LOCK_STATUS: Piece = {
  type: 'object',
  properties: {
    success: flag,
    status: { type: 'integer' },
    statusText: text,
    lockKind: { type: 'integer' },
    lockKindText: text,
    lockInfo: { type: 'object' },
  },
}

/** Schemas of every document. Names of dataclasses contain no dots. */
export const COMMON_SCHEMAS: Piece = {
  'rest.ErrorEntry': object({
    message: text,
    componentSignature: text,
    errCode: { type: 'integer' },
  }),
  'rest.Error': {
    type: 'object',
    description: 'The errors, the deepest cause first.',
    properties: { __ERROR: { type: 'array', items: schemaRef('rest.ErrorEntry'), minItems: 1 } },
    required: ['__ERROR'],
  },
  'rest.PlainError': {
    ...object({ error: text, code: { type: 'integer' } }),
    description: 'The reason and its number.',
  },
  'rest.Ok': object({ ok: { const: true } }),
  'rest.Deferred': {
    ...object({ __deferred: object({ uri: text }) }),
    description: 'The address of related entities.',
  },
  'rest.DeferredEntity': {
    ...object({ __deferred: object({ uri: text, __KEY: text }) }),
    description: 'The address of a related entity.',
  },
  'rest.MediaLink': {
    ...object({ __deferred: object({ uri: text, image: { const: true } }, ['uri']) }),
    description: 'The address of the content of an image or BLOB.',
  },
  'rest.Upload': {
    ...object({ ID: text }),
    description: 'Content that was sent to $upload, by the ID in its answer.',
  },
  'rest.Plan': { type: 'object', description: 'The structure of a filter.' },
  'rest.Status': LOCK_STATUS,
  'rest.Lock': object({ result: flag, __STATUS: schemaRef('rest.Status') }),
  'rest.Aggregates': {
    type: 'object',
    description:
      'By attribute; sum and average of numbers only. Both are null if the sum exceeds the largest double.',
    additionalProperties: {
      type: 'object',
      properties: { count, sum: NUMBER_OR_NULL, average: NUMBER_OR_NULL, min: {}, max: {} },
    },
  },
  'rest.Group': {
    type: 'object',
    description: 'The values of the attributes, by name, and aggregates, by path and function.',
    additionalProperties: true,
  },
  'rest.Groups': object(
    {
      ...PLAN_MEMBERS,
      __DATACLASS: text,
      __GlobalStamp: count,
      __COUNT: count,
      __FIRST: count,
      __GROUPS: arrayOf(schemaRef('rest.Group')),
      __SENT: count,
    },
    ['__DATACLASS', '__GlobalStamp', '__COUNT', '__FIRST', '__GROUPS', '__SENT'],
  ),
  'rest.Dashboard': object(
    {
      ...PLAN_MEMBERS,
      schema: arrayOf(
        object({
          name: text,
          dataType: { enum: ['BOOLEAN', 'NUMBER', 'STRING'] },
          semantics: { type: 'object', additionalProperties: text },
        }),
      ),
      rows: arrayOf(object({ values: arrayOf(PLAIN_VALUE) })),
      filtersApplied: flag,
      __COUNT: count,
      __FIRST: count,
    },
    ['schema', 'rows', 'filtersApplied', '__COUNT', '__FIRST'],
  ),
  'rest.Catalog': {
    type: 'object',
    description: 'The model as the caller knows it.',
    properties: {
      __UNIQID: text,
      __BASEID: {},
      __NAME: text,
      properties: { type: 'object' },
      methods: arrayOf({ type: 'object' }),
      dataClasses: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: text,
            uri: text,
            dataURI: text,
            attributes: arrayOf({ type: 'object' }),
            methods: arrayOf({ type: 'object' }),
            key: arrayOf(object({ name: text })),
          },
          required: ['name', 'dataURI'],
        },
      },
      singletons: arrayOf({ type: 'object' }),
    },
    required: ['__UNIQID', '__NAME', 'dataClasses'],
    additionalProperties: false,
  },
  'rest.Info': {
    type: 'object',
    description: 'The state of the server: entity sets and sessions.',
    properties: {
      cacheSize: count,
      usedCache: count,
      entitySetCount: count,
      entitySet: arrayOf({ type: 'object' }),
      ProgressInfo: arrayOf({ type: 'object' }),
      sessionInfo: arrayOf({ type: 'object' }),
    },
    additionalProperties: false,
  },
  'rest.Privileges': object({
    privileges: arrayOf(
      object({
        dataClass: text,
        actions: arrayOf({ enum: ['describe', ...PRIVILEGED_ACTIONS] }),
        functions: arrayOf(text),
      }),
    ),
  }),
  'rest.Result': object({ result: flag }),
  'rest.User': object({
    result: { anyOf: [object({ ID: text, userName: text, fullName: text }), { type: 'null' }] },
  }),
}
