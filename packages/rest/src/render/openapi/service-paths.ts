import type { Names } from '../../engine/names.ts'
import type { InfoPart } from '../../request/address.ts'
import { OF_READS, responses } from './responses.ts'
import { jsonContent, type Piece, schemaRef } from './schema.ts'

const get = (tag: string, operationId: string, summary: string, schema: string): Piece => ({
  tags: [tag],
  operationId,
  summary,
  responses: responses(summary, jsonContent(schemaRef(schema)), OF_READS),
})

const INFO_PARTS: readonly InfoPart[] = ['cacheInfo', 'entitySet', 'progressInfo', 'sessionInfo']

/** The paths besides those of dataclasses and functions. */
export function servicePaths(names: Names, has: { readonly users: boolean; readonly media: boolean }): Piece {
  const [first] = names.dataClasses()
  const listed = {
    name: 'names',
    in: 'path',
    required: true,
    description: 'Names of dataclasses, with commas.',
    schema: { type: 'string' },
    ...(first === undefined ? {} : { example: first.name }),
  }
  return {
    '/$catalog': { get: get('$catalog', '$catalog.short', 'The dataclasses.', 'rest.Catalog') },
    '/$catalog/$all': { get: get('$catalog', '$catalog.all', 'The whole model.', 'rest.Catalog') },
    '/$catalog/{names}': {
      parameters: [listed],
      get: get('$catalog', '$catalog.some', 'The model of some dataclasses.', 'rest.Catalog'),
    },
    '/$info': { get: get('$server', '$info', 'What the server keeps.', 'rest.Info') },
    '/$info/{part}': {
      parameters: [
        {
          name: 'part',
          in: 'path',
          required: true,
          description: 'Which members of $info.',
          schema: { enum: INFO_PARTS },
          example: 'entitySet',
        },
      ],
      get: get('$server', '$info.part', 'A part of what the server keeps.', 'rest.Info'),
    },
    '/$info/privileges': {
      get: get('$server', '$info.privileges', 'What the caller may do with each dataclass.', 'rest.Privileges'),
    },
    '/$entityset/$release': {
      post: {
        tags: ['$server'],
        operationId: '$entitySets.release',
        summary: 'Forgets entity sets',
        requestBody: { required: true, content: jsonContent({ type: 'array', items: { type: 'string' } }) },
        responses: responses('They are forgotten.', jsonContent(schemaRef('rest.Ok')), ['malformed', 'denied']),
      },
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
const UPLOAD: Piece = {
  tags: ['$server'],
  operationId: '$upload',
  summary: 'Keeps content for a change that names it by its ID',
  requestBody: { required: true, content: { 'image/*': bytes, 'application/octet-stream': bytes } },
  responses: responses(
    'Where it is kept.',
    jsonContent({ type: 'object', properties: { ID: { type: 'string' } }, required: ['ID'] }),
    ['malformed', 'denied', 'tooLarge', 'mediaType'],
  ),
}

const DIRECTORY: Piece = {
  '/$directory/login': {
    post: {
      tags: ['$session'],
      operationId: '$login',
      summary: 'Logs in; the session is a cookie',
      requestBody: {
        required: true,
        description: '["name", "password"], and the lifetime of the session in seconds as a third.',
        content: jsonContent({
          type: 'array',
          prefixItems: [{ type: 'string' }, { type: 'string' }, { type: ['number', 'null'] }],
          items: { type: ['string', 'number', 'null'] },
          minItems: 2,
          maxItems: 3,
        }),
      },
      responses: responses('Logged in.', jsonContent(schemaRef('rest.Result')), ['malformed', 'login', 'denied']),
    },
  },
  '/$directory/currentUser': { get: get('$session', '$currentUser', 'Who is logged in.', 'rest.User') },
  '/$directory/currentUserBelongsTo': {
    post: {
      ...get('$session', '$currentUserBelongsTo', 'Whether who is logged in is of a group.', 'rest.Result'),
      requestBody: { required: true, content: jsonContent({ type: 'array', items: { type: 'string' } }) },
    },
  },
}
