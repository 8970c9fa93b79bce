import type { Names } from '../../engine/names.ts'
import type { InfoPart } from '../../request/address.ts'
import { inPath, operation } from './operation.ts'
import { OF_READS, responses } from './responses.ts'
import { jsonContent, type Piece, schemaRef } from './schema.ts'

const get = (
  tag: string,
  operationId: string,
  summary: string,
  schema: string,
  requestBody?: Piece,
): Piece =>
  operation(
    tag,
    operationId,
    summary,
    responses(summary, jsonContent(schemaRef(schema)), OF_READS),
    requestBody === undefined ? {} : { requestBody },
  )

const INFO_PARTS: readonly InfoPart[] = ['cacheInfo', 'entitySet', 'progressInfo', 'sessionInfo']

/** The paths besides those of dataclasses and functions. */
export function servicePaths(
  names: Names,
  has: { readonly users: boolean; readonly media: boolean },
): Piece {
  const [first] = names.dataClasses()
  const listed = inPath(
    'names',
    'Names of dataclasses, with commas.',
    { type: 'string' },
    first?.name,
  )
  return {
    '/$catalog': { get: get('$catalog', '$catalog.short', 'The dataclasses.', 'rest.Catalog') },
    '/$catalog/$all': { get: get('$catalog', '$catalog.all', 'The whole model.', 'rest.Catalog') },
    '/$catalog/{names}': {
      parameters: [listed],
      get: get('$catalog', '$catalog.some', 'The model of some dataclasses.', 'rest.Catalog'),
    },
    '/$info': { get: get('$server', '$info', 'The state of the server.', 'rest.Info') },
    '/$info/{part}': {
      parameters: [inPath('part', 'Which members of $info.', { enum: INFO_PARTS }, 'entitySet')],
      get: get('$server', '$info.part', 'A part of the state of the server.', 'rest.Info'),
    },
    '/$info/privileges': {
      get: get(
        '$server',
        '$info.privileges',
        'The permissions of the caller for each dataclass.',
        'rest.Privileges',
      ),
    },
    '/$entityset/$release': {
      post: operation(
        '$server',
        '$entitySets.release',
        'Releases entity sets',
        responses('They are released.', jsonContent(schemaRef('rest.Ok')), ['malformed', 'denied']),
        { requestBody: { required: true, content: TEXTS } },
      ),
    },
    ...(has.media ? { '/$upload': { post: UPLOAD } } : {}),
    // Logout also ends a session that a lock opened.
    '/$directory/logout': {
      get: get('$session', '$logout.get', 'Ends the session.', 'rest.Result'),
      post: get('$session', '$logout', 'Ends the session.', 'rest.Result'),
    },
    ...(has.users ? DIRECTORY : {}),
  }
}

const bytes = { schema: { type: 'string', contentMediaType: 'application/octet-stream' } }
const UPLOAD: Piece = operation(
  '$server',
  '$upload',
  'Keeps content for a change that names it by its ID',
  responses(
    'Where it is kept.',
    jsonContent({ type: 'object', properties: { ID: { type: 'string' } }, required: ['ID'] }),
    ['malformed', 'denied', 'tooLarge', 'mediaType'],
  ),
  {
    requestBody: {
      required: true,
      content: { 'image/*': bytes, 'application/octet-stream': bytes },
    },
  },
)

const TEXTS = jsonContent({ type: 'array', items: { type: 'string' } })

const DIRECTORY: Piece = {
  '/$directory/login': {
    post: operation(
      '$session',
      '$login',
      'Logs in; the session is a cookie',
      responses('Logged in.', jsonContent(schemaRef('rest.Result')), [
        'malformed',
        'login',
        'denied',
      ]),
      {
        requestBody: {
          required: true,
          description:
            '["name", "password"], and the lifetime of the session in seconds as a third.',
          content: jsonContent({
            type: 'array',
            prefixItems: [{ type: 'string' }, { type: 'string' }, { type: ['number', 'null'] }],
            items: { type: ['string', 'number', 'null'] },
            minItems: 2,
            maxItems: 3,
          }),
        },
      },
    ),
  },
  '/$directory/currentUser': {
    get: get('$session', '$currentUser', 'The user of the session.', 'rest.User'),
  },
  '/$directory/currentUserBelongsTo': {
    post: get(
      '$session',
      '$currentUserBelongsTo',
      'Whether the user is in a group.',
      'rest.Result',
      {
        required: true,
        content: TEXTS,
      },
    ),
  },
}
