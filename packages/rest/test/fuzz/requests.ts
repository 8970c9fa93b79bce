import { createRestHandler, type RestHandler } from '@entia/rest'
import { createHr } from '../http/models.ts'
import type { Chance } from './chance.ts'
import { HOSTILE, mutate } from './mutate.ts'
import { addressSentence, formSentence, jsonSentence, parameterSentence } from './sentences.ts'

/** A printable request. `body` is UTF-16; a body of bytes has one byte per character. */
export interface FuzzRequest {
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: string
  readonly bodyKind?: 'text' | 'bytes' | 'parsed'
  /** The index of an earlier session to use; -1 for none. */
  readonly session: number
}

const METHODS = [
  ...'GET GET GET GET GET GET POST POST POST POST POST PUT DELETE DELETE HEAD OPTIONS'.split(' '),
]
const ODD_METHODS = ['PATCH', 'TRACE', 'BREW', 'get', '']
const ADDRESSES = [
  ...[
    '/rest/Employee',
    '/rest/Employee',
    '/rest/Employee(1)',
    '/rest/Employee[2]',
    '/rest/Company',
    '/rest/Company(1)/employees',
  ],
  ...[
    '/rest/Employee/lastName,salary',
    '/rest/Employee(3)/employer',
    '/rest/Company(1)/name',
    '/rest/Setting(plain)',
    '/rest/$catalog/$all',
  ],
  ...[
    '/rest/Employee(1)/photo',
    '/rest/Employee(1)/cv',
    '/rest/$upload',
    '/rest/$info',
    '/rest/$info/sessionInfo',
    '/rest/$entityset/$release',
  ],
  ...['/rest/Employee/bestPaid', '/rest/$catalog/ping', '/rest/VehicleFactory/buildVehicle'],
]
const LOGINS = [
  '/rest/$directory/login',
  '/rest/$directory/logout',
  '/rest/$directory/currentUser',
  '/rest/$directory/currentUserBelongsTo',
]
const HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'content-type',
    [
      'application/json',
      'application/x-www-form-urlencoded',
      'text/plain',
      'image/png',
      'multipart/form-data; boundary=x',
      ';;',
      '',
    ],
  ],
  ['if-match', ['"1"', '"2"', '*', 'W/"1"', '"x"', '', '"1", "2"']],
  ['if-none-match', ['"1"', '*', 'W/"1"', '"x']],
  ['if-modified-since', ['Wed, 31 Jan 2024 12:30:15 GMT', 'yesterday']],
  ['origin', ['https://app.example', 'https://evil.example', 'null', '']],
  ['sec-fetch-site', ['cross-site', 'same-origin', 'none', 'x']],
  ['content-length', ['0', '5', '-1', '99999999999', 'x']],
  ['content-encoding', ['gzip', 'identity', '']],
  ['host', ['localhost', 'evil.example', '[::1]:80', '%', '']],
  ['cookie', ['4DSID_hr=forged', '4DSID_hr=%', '=;=;;;', '__proto__=1', '4DSID_hr=a; 4DSID_hr=b']],
  ['username-4d', ['ada', 'nobody', '']],
  ['password-4d', ['engine', 'x']],
  ['session-4d-length', ['60', '-1', 'x', '1e999']],
  ['user-agent', ['x'.repeat(500), '\ud800', '']],
]

/** Generates a request for one store; `sets` are ids from earlier responses. */
export function anyRequest(chance: Chance, sets: readonly string[], sessions: number): FuzzRequest {
  const mutated = (text: string) =>
    chance.holds(0.15) ? mutate(chance, text, () => chance.oneOf(HOSTILE)) : text
  const headers: { [name: string]: string } = {}
  for (const [name, values] of chance.several(0, chance.holds(0.3) ? 2 : 0, () =>
    chance.oneOf(HEADERS),
  ))
    headers[name] = chance.oneOf(values)
  const url = mutated(urlOf(chance, sets))
  const method = chance.oneOf(chance.holds(0.03) ? ODD_METHODS : METHODS)
  const session = sessions === 0 || chance.holds(0.5) ? -1 : chance.below(sessions)
  if (method === 'GET' || chance.holds(0.2)) return { method, url, headers, session }
  const bodyKind = chance.oneOf(['text', 'text', 'text', 'bytes', 'parsed'] as const)
  return { method, url, headers, session, bodyKind, body: mutated(bodyOf(chance, url)) }
}

function urlOf(chance: Chance, sets: readonly string[]): string {
  const address = chance.holds(0.08)
    ? chance.oneOf(LOGINS)
    : chance.holds(0.2) && sets.length > 0
      ? chance.oneOf(sets)
      : chance.holds(0.7)
        ? chance.oneOf(ADDRESSES)
        : addressSentence(chance)
  const parameters = chance.several(0, chance.holds(0.3) ? 3 : 1, () =>
    chance.holds(0.75) ? chance.oneOf(PLAIN_PARAMETERS) : parameterSentence(chance),
  )
  if (sets.length > 1 && chance.holds(0.1)) {
    const id = chance.oneOf(sets).split('/').at(-1)
    parameters.push(
      `$logicOperator=${chance.oneOf(['AND', 'OR', 'EXCEPT', 'INTERSECT'])}&$otherCollection=${id}`,
    )
  }
  return parameters.length === 0 ? address : `${address}?${parameters.join('&')}`
}

/** Valid parameters, so that errors occur after the request is parsed. */
const PLAIN_PARAMETERS = [
  ...[
    '$filter="salary > 35000"',
    '$filter="lastName = :1"&$params=["Zola"]',
    '$filter="employer.name = Adobe"',
    '$filter="notes.tags[] = a"',
  ],
  ...[
    '$orderby=lastName desc',
    '$orderby=employer.name',
    '$attributes=fullName,employer.*',
    '$attributes=*',
    '$expand=employer',
    '$expand=$all',
  ],
  ...[
    '$top=2',
    '$skip=1',
    '$method=entityset',
    '$method=subentityset',
    '$method=delete',
    '$method=update',
    '$method=insert',
    '$method=release',
  ],
  ...[
    '$atomic=true',
    '$lock=true',
    '$lock=false',
    '$compute=$all',
    '$distinct=true',
    '$asArray=true',
    '$format=dashboard',
    '$queryplan=true',
  ],
  ...[
    '$querypath=true',
    '$refresh=true',
    '$imageformat=best',
    '$binary=true',
    '$rawPict=image/png',
    '$clean=true',
    '$timeout=5',
    '$version=2',
  ],
]

const BODY_ENTITIES = [
  ...[
    '{"lastName":"Noether","salary":5}',
    '{"__KEY":"1","__STAMP":2,"salary":1}',
    '{"__KEY":"2","__STAMP":9,"salary":1}',
    '{"__KEY":"1"}',
  ],
  ...[
    '{"email":"ada@x.org"}',
    '{"lastName":"Refused"}',
    '{"salary":-1}',
    '{"__KEY":"1","employer":{"__KEY":"2"}}',
    '{"employer":99}',
  ],
  ...[
    '{"__KEY":"3","notes":{"deep":{"a":[1]}}}',
    '{"__KEY":"1","photo":null}',
    '{"name":"New","value":"x"}',
    '{"birthDate":"2024-01-31"}',
  ],
  ...[
    '{"__proto__":{"polluted":1}}',
    '{"notes":{"__proto__":{"polluted":1}}}',
    '{"notes":{"constructor":{"prototype":{"polluted":1}}}}',
  ],
]

function bodyOf(chance: Chance, url: string): string {
  if (url.includes('/login'))
    return chance.oneOf(['["ada","engine"]', '["ada","engine",60]', '["ada"]', '{}', '["x","y"]'])
  if (chance.holds(0.6)) {
    const entities = chance.several(1, 4, () => chance.oneOf(BODY_ENTITIES))
    return entities.length === 1 ? (entities[0] ?? '') : `[${entities.join(',')}]`
  }
  return chance.holds(0.3) ? formSentence(chance) : jsonSentence(chance)
}

/** A handler over its own store, and its externally visible state. */
export class Target {
  readonly #store = createHr()
  readonly #rest: RestHandler
  readonly #errors: unknown[] = []
  #state = this.#dump()
  /** Addresses of entity sets in earlier responses. */
  readonly sets: string[] = []
  readonly cookies: string[] = []

  constructor() {
    this.#rest = createRestHandler(this.#store, {
      users: [{ name: 'ada', password: 'engine', groups: ['staff'] }],
      allowedOrigins: ['https://app.example'],
      onError: (error) => this.#errors.push(error),
    })
  }

  /** Resolves to the status. Throws a description of an invalid response. */
  async ask({ method, url, headers, body, bodyKind, session }: FuzzRequest): Promise<number> {
    const cookie = this.cookies[session]
    const given = body === undefined ? undefined : givenBody(body, bodyKind)
    const reply = await this.#rest.handle({
      method,
      url,
      headers: cookie === undefined ? headers : { ...headers, cookie },
      ...(given === undefined ? {} : { body: given as never }),
      remoteAddress: '127.0.0.1',
    })
    const { status } = reply
    if (this.#errors.length > 0) throw wrong(`onError received: ${describe(this.#errors[0])}`)
    if (status < 200 || status >= 500) throw wrong(`status ${status}`)
    const before = this.#state
    this.#state = this.#dump()
    const isSafe = method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
    if ((isSafe || status >= 400) && Buffer.compare(before, this.#state) !== 0)
      throw wrong(`the store changed although the status is ${status}`)
    const text = typeof reply.body === 'string' ? reply.body : new TextDecoder().decode(reply.body)
    const isJson = reply.headers['content-type']?.startsWith('application/json') === true
    const answer: unknown = isJson && text !== '' ? JSON.parse(text) : null
    if (status >= 400 && method !== 'HEAD') checkErrors(answer)
    this.#learn(answer, reply.headers['set-cookie'])
    return status
  }

  /** Checks that indexes, counts and dictionaries agree. */
  verify(): void {
    this.#store.verify()
  }

  #dump(): Buffer {
    return Buffer.from(this.#store.dump())
  }

  #learn(answer: unknown, setCookie: string | undefined): void {
    const set = memberOf(answer, '__ENTITYSET')
    if (typeof set === 'string' && this.sets.length < 8) this.sets.push(set)
    const [cookie] = setCookie?.split(';') ?? []
    if (cookie !== undefined && this.cookies.length < 4) this.cookies.push(cookie)
  }
}

export function givenBody(body: string, kind: FuzzRequest['bodyKind']): unknown {
  if (kind === 'bytes') return Uint8Array.from(Buffer.from(body, 'latin1'))
  if (kind !== 'parsed') return body
  try {
    return JSON.parse(body) ?? undefined
  } catch {
    return body
  }
}

function checkErrors(answer: unknown): void {
  const errors = memberOf(answer, '__ERROR')
  if (!Array.isArray(errors) || errors.length === 0)
    throw wrong(`no __ERROR: ${JSON.stringify(answer)}`)
  for (const error of errors) {
    const shape = ['message', 'componentSignature', 'errCode'].map(
      (name) => typeof memberOf(error, name),
    )
    if (shape.join() !== 'string,string,number')
      throw wrong(`an error lacks members: ${JSON.stringify(error)}`)
    if (/\n\s+at |\/src\/|node_modules/.test(String(memberOf(error, 'message'))))
      throw wrong('a stack in a response')
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined

const wrong = (what: string): Error => new Error(what)
const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
