import { fileURLToPath } from 'node:url'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Authorize, createRestHandler, openApiOf, type RestHandler } from '../../src/index.ts'
import { createThings } from '../http/every-type.ts'
import { createHr } from '../http/models.ts'
import { expectError, get, post, type Reply, send } from '../http/send.ts'
import { type Document, DocumentValidator, resolve } from './document-validator.ts'
import { ABOUT, lint } from './lint.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly example?: unknown
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly unknown[]
  readonly responses: Readonly<Record<string, unknown>>
}
const flightsModule = fileURLToPath(
  new URL('../../../../examples/flights/flights.mjs', import.meta.url),
)

/**
 * Every read of a document, as addresses made of its examples: without parameters, and with each of
 * them alone; values together with a filter that uses them.
 */
function* readsOf(document: Document, keyOf: (path: string) => string) {
  for (const [path, item] of Object.entries<Document>(document.paths)) {
    const operation: Operation | undefined = item.get
    if (operation === undefined || path.includes('{id}') || path.includes('({value})')) continue
    const parameters: Parameter[] = [
      ...(item.parameters ?? []),
      ...(operation.parameters ?? []),
    ].map((part) => resolve(document, part))
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      name === 'key' ? keyOf(path) : String(parameters.find((one) => one.name === name)?.example),
    )
    const needed = parameters.filter((one) => one.in === 'query' && 'required' in one)
    const queryOf = (used: readonly Parameter[]): string =>
      used.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&')
    yield { path, operation, url: `${document.servers[0].url}${filled}?${queryOf(needed)}` }
    for (const one of parameters)
      if (one.in === 'query' && one.example !== undefined && !needed.includes(one))
        yield {
          path,
          operation,
          url: `${document.servers[0].url}${filled}?${queryOf([...needed, ...withFilter(one, parameters)])}`,
        }
  }
}

/** A parameter of a read; `$params` with a filter of the same attribute as the example has. */
function withFilter(one: Parameter, parameters: readonly Parameter[]): readonly Parameter[] {
  const filter = parameters.find(({ name }) => name === '$filter')
  if (one.name !== '$params' || filter === undefined) return [one]
  const [name, operator] = String(filter.example).replaceAll('"', '').split(' ')
  const values = operator === '>=' ? one.example : '["1"]'
  return [
    { ...filter, example: `"${name} != :1"` },
    { ...one, example: values },
  ]
}

/** The validator of a document, for answers under a path. */
function createValidator(document: Document) {
  const validator = new DocumentValidator(document)
  return (
    path: string,
    method: string,
    reply: { status: number; body: unknown; headers?: Reply['headers'] },
  ) => {
    const contentType = reply.headers?.['content-type'] ?? 'application/json'
    return validator.faultsAt(path, {
      method,
      status: reply.status,
      contentType,
      answered: reply.body,
    })
  }
}

describe('the document of the flights', () => {
  let rest: RestHandler
  let document: Document
  beforeAll(async () => {
    const { createFlights, rest: options } = await import(flightsModule)
    rest = createRestHandler(createFlights(), { ...options, openapi: ABOUT })
    document = (await get(rest, '/rest/$openapi')).body
  })

  test('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toBe('3.1.0')
    expect(await lint(document)).toEqual([])
  })

  test('has every operation once', () => {
    const ids = Object.values<Document>(document.paths).flatMap((item) =>
      ['get', 'post', 'put', 'delete'].flatMap((verb) => item[verb]?.operationId ?? []),
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(
      expect.arrayContaining([
        'Flight.list',
        'Flight.get',
        'Flight.related.origin',
        'Airport.related.departures',
        'Airport.content.photo',
        'Airport.call.inCity.get',
        'Flight.call.lateness.get',
        '$call.punctuality',
        '$singleton.Units.toKilometres',
        '$login',
      ]),
    )
  })

  test('describes reads correctly: each answers its examples as documented', async () => {
    const validator = createValidator(document)
    const keyOf = (path: string): string => (path.startsWith('/Airport') ? 'ORD' : '1')
    const faults: string[] = []
    let asked = 0
    for (const { path, operation, url } of readsOf(document, keyOf)) {
      const reply = await get(rest, url)
      asked++
      const isCall =
        operation.operationId.includes('call.') || operation.operationId.startsWith('$singleton')
      if (reply.status !== 200 && !isCall) faults.push(`${url}: ${reply.status} ${reply.text}`)
      faults.push(...validator(path, 'get', reply).map((fault) => `${url}: ${fault}`))
    }
    expect(faults).toEqual([])
    expect(asked).toBeGreaterThan(80)
  })

  test('describes changes and refusals correctly', async () => {
    const validator = createValidator(document)
    const airport = { iata: 'ZZ9', name: 'Nowhere', latitude: 1, longitude: 2 }
    const faults = [
      ...validator('/Airport', 'post', await post(rest, '/rest/Airport', airport)),
      ...validator(
        '/Airport',
        'post',
        await post(rest, '/rest/Airport', [airport, { __KEY: 'ZZ9', __STAMP: 7, city: 'X' }]),
      ),
      ...validator(
        '/Airport({key})',
        'put',
        await send(rest, 'PUT', '/rest/Airport(ZZ9)', { state: 'XX' }),
      ),
      ...validator('/Airport({key})', 'delete', await send(rest, 'DELETE', '/rest/Airport(ZZ9)')),
      ...validator('/Airport({key})', 'get', await get(rest, '/rest/Airport(ZZ9)')),
      ...validator('/Airport({key})', 'get', await get(rest, '/rest/Airport(ORD)?$lock=true')),
      ...validator('/Flight', 'get', await get(rest, '/rest/Flight?$filter="dely = 1"')),
    ]
    expect(faults).toEqual([])
  })

  test('each refusal has its status', () => {
    const statusesOf = (path: string, verb: string): readonly string[] =>
      Object.keys(document.paths[path][verb].responses)
    expect(statusesOf('/Flight', 'get')).toEqual(['200', '400', '401', '403', '404', 'default'])
    const ofWrites = ['400', '401', '403', '404', '409', '412', '413', '422', '423', 'default']
    expect(statusesOf('/Flight', 'post')).toEqual(['200', '207', ...ofWrites])
    expect(statusesOf('/Flight({key})', 'delete')).toEqual(['200', ...ofWrites])
  })

  test('is precise enough that the validator refuses other answers', async () => {
    const validator = createValidator(document)
    const { body } = await get(rest, '/rest/Flight(1)')
    expect(validator('/Flight({key})', 'get', { status: 200, body })).toEqual([])
    expect(
      validator('/Flight({key})', 'get', { status: 200, body: { ...body, dely: 5 } }),
    ).toHaveLength(1)
    expect(
      validator('/Flight({key})', 'get', { status: 200, body: { ...body, delay: 'late' } }),
    ).toHaveLength(1)
    expect(
      validator('/Flight({key})', 'get', { status: 404, body: { message: 'no' } }),
    ).toHaveLength(1)
  })
})

test('describes every type of attribute and both forms of calendar dates', async () => {
  for (const dateOnlyFormat of ['!!yyyy-mm-dd!!', 'd!m!yyyy'] as const) {
    const rest = createRestHandler(createThings(), {
      openapi: ABOUT,
      dateOnlyFormat,
      basePath: '/api',
    })
    const document = (await get(rest, '/api/$openapi')).body
    expect(await lint(document)).toEqual([])
    const validator = createValidator(document)
    const faults: string[] = []
    for (const { path, url } of readsOf(document, () => '1')) {
      const reply = await get(rest, url)
      if (reply.status < 500)
        faults.push(...validator(path, 'get', reply).map((fault) => `${url}: ${fault}`))
      else faults.push(`${url}: ${reply.text}`)
    }
    expect(faults).toEqual([])
  }
})

test.each(['!!yyyy-mm-dd!!', 'd!m!yyyy'] as const)(
  'describes %s of all years, and $explain',
  async (dateOnlyFormat) => {
    const Day = defineDataClass('Day', {
      ID: attribute.long({ key: true }),
      date: attribute.date({ dateOnly: true }),
    })
    const store = createDataStore({ name: 'days', dataClasses: [Day] })
    const dates = ['-000001-01-31', '0000-02-29', '0099-12-01', '2024-01-31', '+012345-12-01']
    store.Day.load(dates.map((date, ID) => ({ ID, date })))
    const rest = createRestHandler(store, { openapi: ABOUT, dateOnlyFormat, basePath: '/api' })
    const validator = createValidator((await get(rest, '/api/$openapi')).body)
    for (const url of [
      '/api/Day',
      '/api/Day?$explain=true',
      '/api/Day?$explain=true&$format=dashboard',
    ])
      expect(validator('/Day', 'get', await get(rest, url))).toEqual([])
  },
)

test('describes what operators and proxies are answered', async () => {
  const options = { openapi: ABOUT, metrics: () => true, health: true, operator: () => true }
  const rest = createRestHandler(createHr(), { ...options, live: true, slow: { milliseconds: 0 } })
  const document = (await get(rest, '/rest/$openapi')).body
  expect(await lint(document)).toEqual([])
  const validator = createValidator(document)
  await get(rest, '/rest/Employee?$filter="firstName = x"')
  const live = await rest.handle({ method: 'GET', url: '/rest/Employee?$live=true', headers: {} })
  await live.stream![Symbol.asyncIterator]().next()
  const faults: string[] = []
  const paths = Object.keys(document.paths).filter((path) =>
    /^\/\$(?:op|metrics|health)/.test(path),
  )
  const filled = (path: string): string =>
    path.replace('{id}', '99').replace('{dataClass}/{attribute}', 'Employee/firstName')
  for (const path of paths)
    for (const [verb, method] of [
      ['get', 'GET'],
      ['post', 'POST'],
      ['delete', 'DELETE'],
    ] as const) {
      if (document.paths[path][verb] === undefined) continue
      const reply = await send(rest, method, `/rest${filled(path)}`)
      expect([path, reply.status]).toEqual([path, path.includes('{id}') ? 404 : 200])
      faults.push(...validator(path, verb, reply).map((fault) => `${verb} ${path}: ${fault}`))
    }
  rest.endStreams()
  expect(faults).toEqual([])
  expect(paths).toHaveLength(12)
})

test('has no address without the option', async () => {
  for (const options of [{}, { openapi: false }]) {
    const rest = createRestHandler(createHr(), options)
    expectError(await get(rest, '/rest/$openapi'), 404, 9108)
    expectError(await post(rest, '/rest/$openapi', {}), 404, 9108)
  }
})

test('has title, version, description, contact, license and servers of the options', () => {
  const servers = [{ url: 'https://db.example/rest', description: 'live' }]
  const info = { title: 'Staff', version: '2.1', description: 'Who works here.', ...ABOUT }
  const document = openApiOf(createHr(), { openapi: { ...info, servers } })
  expect(document).toMatchObject({ info, servers })
})

test("the caller's document shows nothing hidden", async () => {
  const rest = createRestHandler(createHr(), {
    openapi: ABOUT,
    authorize: ({ dataClass, action, attribute }) => {
      if (action === 'describe') return dataClass !== 'Company'
      return attribute !== 'salary'
    },
  })
  const { text, body } = await get(rest, '/rest/$openapi')
  expect(await lint(body)).toEqual([])
  expect(Object.keys(body.paths).some((path) => path.startsWith('/Employee'))).toBe(true)
  const seen = ['Company', '"salary"', '"employer"', 'Employee', '"employerID"'].filter((name) =>
    text.includes(name),
  )
  expect(seen).toEqual(['Employee', '"employerID"'])
})

test('has no functions that the caller may not call', async () => {
  const idsFor = async (mayCall: boolean): Promise<readonly string[]> => {
    const authorize: Authorize = ({ action }) => action !== 'call' || mayCall
    const { body } = await get(
      createRestHandler(createHr(), { openapi: true, authorize }),
      '/rest/$openapi',
    )
    return Object.values<Document>(body.paths).flatMap((item) => item.post?.operationId ?? [])
  }
  const isCall = (id: string): boolean => /call\.|^\$singleton/.test(id)
  expect((await idsFor(true)).filter(isCall).length).toBeGreaterThan(0)
  expect((await idsFor(false)).filter(isCall)).toEqual([])
})

test.each([
  { openapi: 'yes' },
  { openapi: { titel: 'Staff' } },
  { openapi: { title: 5 } },
  { openapi: { servers: [{}] } },
  { openapi: { contact: 'Ada' } },
  { openapi: { contact: { phone: '1' } } },
  { openapi: { license: { url: 'https://x.example' } } },
  { metrics: 'yes' },
])('an invalid option is refused: %j', (options) => {
  const [name] = Object.keys(options)
  expect(() => createRestHandler(createHr(), options as never)).toThrow(
    `The option "${name}" must be`,
  )
})

test('can be read by guests with forceLogin, like the catalog', async () => {
  const rest = createRestHandler(createHr(), { openapi: true, forceLogin: true, users: [] })
  expect((await get(rest, '/rest/$openapi')).status).toBe(200)
  expect((await get(rest, '/rest/Employee')).status).toBe(401)
})

test('has a pattern as schema if JSON Schema gives it the same meaning, else as description', () => {
  const patternOf = (pattern: RegExp) => {
    const Word = defineDataClass('Word', {
      ID: attribute.long({ key: true }),
      text: attribute.string({ pattern }),
    })
    const document = openApiOf(createDataStore({ name: 'words', dataClasses: [Word] }), {
      openapi: true,
    }) as Document
    return document.components.schemas['Word.input'].properties.text.pattern
  }
  for (const pattern of [
    /^\w*$/,
    /^[A-Z]{3}(?:-\d{2,4})?$/,
    /^[\w.-]+@[^@ ]+\.[a-z]{2,}$/,
    /.*a/,
    /\p{L}/u,
    /^.$/u,
  ])
    expect(patternOf(pattern)).toBe(pattern.source)
  for (const pattern of [/a/i, /^.$/, /^[^a]$/, /a{/, /é/, /\W/, /(?<n>a)\k<n>/])
    expect(patternOf(pattern)).toBeUndefined()
})

test('the security schemes are the cookie of sessions, or what the option names', () => {
  const store = createDataStore({
    name: 'secure',
    dataClasses: [
      defineDataClass('Item', {
        ID: attribute.long({ key: true, min: 1, max: 9 }),
        code: attribute.string({ minLength: 2, maxLength: 4, pattern: /^[a-z]+$/ }),
      }),
    ],
  })
  const bearer = { type: 'http', scheme: 'bearer' }
  const schemesOf = (options: Parameters<typeof openApiOf>[1]) => {
    const { components, security } = openApiOf(store, options) as {
      components: { securitySchemes: object; schemas: { [name: string]: object } }
      security: object[]
    }
    expect(JSON.stringify(components.schemas['Item.values'])).toMatch(
      /"minLength":2,"maxLength":4,"pattern":"\^\[a-z\]\+\$"/,
    )
    expect(security).toEqual([
      {},
      ...Object.keys(components.securitySchemes).map((name) => ({ [name]: [] })),
    ])
    return Object.keys(components.securitySchemes)
  }
  const identify = () => null
  const openapi = { securitySchemes: { bearer } }
  expect(schemesOf({ openapi: true })).toEqual(['session'])
  expect(schemesOf({ openapi })).toEqual(['session', 'bearer'])
  expect(schemesOf({ openapi: true, identify })).toEqual([])
  expect(schemesOf({ openapi, identify })).toEqual(['bearer'])
  for (const securitySchemes of [[], { bearer: {} }, { 'a b': bearer }, { bearer: 'http' }])
    expect(() => openApiOf(store, { openapi: { securitySchemes } as never })).toThrow('openapi')
})
