import type { ClassModel, StoreFunction } from '@entia/core'
import type { Names } from '@entia/engine'
import type { InfoPart, OptionalServices } from '../../request/address.ts'
import { operatorPaths } from './operator-paths.ts'
import { OF_READS, operation, type Responses, reads, responses } from './parameters.ts'
import {
  arrayOf,
  BINARY,
  componentName,
  count,
  inPath,
  jsonContent,
  jsonRef,
  OK,
  type Piece,
  parameterRef,
  pieceOf,
  text,
} from './schema.ts'

const segment = encodeURIComponent

/** Functions that the caller may call: of a dataclass, its selections and its entities. */
export function classFunctionPaths(dataClass: ClassModel, names: Names): Piece {
  const home = `/${segment(dataClass.name)}`
  const component = componentName(dataClass.name)
  const called = [...dataClass.functions.values()].filter(
    (fn) => fn.exposed && names.mayCall(dataClass, fn.name),
  )
  return pieceOf(
    called.flatMap((fn): readonly (readonly [string, Piece])[] => {
      const path = segment(fn.name)
      const selecting = fn.on === 'entity' ? [] : [`${component}.filter`, `${component}.orderby`]
      const calls = (id: string): Piece =>
        callsOf(fn, dataClass.name, `${component}.${id}.${fn.name}`, selecting)
      const at = (parameter: string, id: string): Piece => ({
        parameters: [parameterRef(parameter)],
        ...calls(id),
      })
      if (fn.on === 'entity') return [[`${home}({key})/${path}`, at(`${component}.key`, 'call')]]
      const ofClass = [`${home}/${path}`, calls('call')] as const
      if (fn.on === 'dataClass') return [ofClass]
      return [ofClass, [`${home}/$entityset/{id}/${path}`, at('setId', 'entitySet.call')]]
    }),
  )
}

/** Functions of the store and of singletons that the caller may call. */
export function storeFunctionPaths(names: Names): Piece {
  const { functions, singletons } = names.catalog
  const pathsOf = (called: Iterable<StoreFunction>, home: string, id: string, prefix = '') =>
    [...called]
      .filter((fn) => fn.exposed && names.mayCall(null, prefix + fn.name))
      .map((fn) => {
        const calls = callsOf(fn, '$functions', `${id}.${fn.name}`, [])
        return [`${home}/${segment(fn.name)}`, calls] as const
      })
  const own = [...functions.values()].filter((fn) => names.findDataClass(fn.name) === undefined)
  const ofSingletons = [...singletons].flatMap(([name, called]) =>
    pathsOf(called.values(), `/$singleton/${segment(name)}`, `$singleton.${name}`, `${name}.`),
  )
  return pieceOf([...pathsOf(own, '/$catalog', '$call'), ...ofSingletons])
}

function callsOf(fn: StoreFunction, tag: string, id: string, selecting: readonly string[]): Piece {
  const answers = responses(
    'The result of the function: {"result": …}, an entity, a page, or a response of its own.',
    { ...jsonContent({}), '*/*': {} },
    [...OF_READS, 'tooLarge', 'rules'],
  )
  const parameters = selecting.map(parameterRef)
  const summary = `Calls ${fn.name}`
  const requestBody = {
    description: 'Its parameters: an array of them, or the only one.',
    content: jsonContent({}),
  }
  const sent = [...parameters, parameterRef('params')]
  return {
    post: operation(tag, id, summary, answers, parameters, requestBody),
    ...(fn.onHttpGet ? { get: operation(tag, `${id}.get`, summary, answers, sent) } : {}),
  }
}

/** An operation that answers what its summary says. */
const get = (tag: string, id: string, summary: string, schema: string, body?: Piece): Piece =>
  operation(tag, id, summary, reads(summary, jsonRef(schema)), undefined, body)

/** An operation of the server. */
const ofServer = (id: string, summary: string, answers: Responses, body?: Piece): Piece =>
  operation('$server', id, summary, answers, undefined, body)

const INFO_PARTS: readonly InfoPart[] = ['cacheInfo', 'entitySet', 'progressInfo', 'sessionInfo']

/** The paths besides those of dataclasses and functions. */
export function servicePaths(
  names: Names,
  has: {
    readonly users: boolean
    readonly media: boolean
    readonly services: OptionalServices
  },
): Piece {
  const [first] = names.dataClasses()
  const listed = inPath('names', 'Names of dataclasses, with commas.', text, first?.name)
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
      post: ofServer(
        '$entitySets.release',
        'Releases entity sets',
        responses('They are released.', OK, ['malformed', 'denied']),
        { required: true, content: TEXTS },
      ),
    },
    '/$live/{stream}/{query}': LIVE_QUERY,
    ...(has.services.has('openapi') ? OPENAPI : {}),
    ...(has.services.has('metrics') ? METRICS : {}),
    ...(has.services.has('health') ? HEALTH : {}),
    ...(has.services.has('operator') ? operatorPaths() : {}),
    ...(has.media ? { '/$upload': { post: UPLOAD } } : {}),
    // Logout also ends a session that a lock opened.
    '/$directory/logout': {
      get: get('$session', '$logout.get', 'Ends the session.', 'rest.Result'),
      post: get('$session', '$logout', 'Ends the session.', 'rest.Result'),
    },
    ...(has.users ? DIRECTORY : {}),
  }
}

const LIVE_QUERY: Piece = {
  parameters: [
    inPath('stream', 'The id that the client has chosen for its stream.', text),
    inPath('query', 'The number that the client has given to the query.', count),
  ],
  delete: ofServer(
    '$live.remove',
    'Ends one query of a shared event stream',
    responses('It is ended, or there is none.', OK, ['malformed', 'login', 'denied']),
  ),
}

const OPENAPI: Piece = {
  '/$openapi': {
    get: operation(
      '$catalog',
      '$openapi',
      'This document',
      responses(
        'OpenAPI 3.1, as the caller knows the interface.',
        jsonContent({ type: 'object' }),
        ['malformed'],
      ),
    ),
  },
}

const METRICS: Piece = {
  '/$metrics': {
    get: ofServer(
      '$metrics',
      'The metrics, for callers whom the option metrics allows it',
      responses('The text format of Prometheus.', { 'text/plain': { schema: text } }, [
        'malformed',
        'hidden',
      ]),
    ),
  },
}

const health = (of: 'live' | 'ready', description: string): Piece => ({
  get: ofServer(
    `$health.${of}`,
    `Whether the process is ${of}`,
    responses(description, OK, ['malformed', 'unavailable']),
  ),
})

const HEALTH: Piece = {
  '/$health/live': health('live', 'It answers requests.'),
  '/$health/ready': health('ready', 'Its storage answers, and it is not about to stop.'),
}

const UPLOAD: Piece = ofServer(
  '$upload',
  'Keeps content for a change that names it by its ID',
  responses(
    'Where it is kept.',
    jsonContent({ type: 'object', properties: { ID: text }, required: ['ID'] }),
    ['malformed', 'denied', 'tooLarge', 'mediaType'],
  ),
  { required: true, content: BINARY },
)

const TEXTS = jsonContent(arrayOf(text))

const DIRECTORY: Piece = {
  '/$directory/login': {
    post: operation(
      '$session',
      '$login',
      'Logs in; the session is a cookie',
      responses('Logged in.', jsonRef('rest.Result'), ['malformed', 'login', 'denied']),
      undefined,
      {
        required: true,
        description: '["name", "password"], and the lifetime of the session in seconds as a third.',
        content: jsonContent({
          type: 'array',
          prefixItems: [text, text, { type: ['number', 'null'] }],
          items: { type: ['string', 'number', 'null'] },
          minItems: 2,
          maxItems: 3,
        }),
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
      { required: true, content: TEXTS },
    ),
  },
}
