import { attribute, createDataStore, defineDataClass, EntiaError, type Session } from '@entia/core'
import { denied, Names, permitCall, permitReading, permitRows } from '@entia/engine'
import { describe, expect, test } from 'vitest'
import { resolveAccess } from '../../src/endpoints/permission/authorize.ts'
import type { Authorize, AuthorizeQuestion } from '../../src/endpoints/permission/questions.ts'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { parseHead } from '../../src/request/request.ts'
import { createSchools } from '../http/schools.ts'

const { store } = createSchools()
const names = new Names(store.catalog, null)

const requestOf = (method: string, url: string, body = '') => ({
  ...parseHead(method, url, {
    basePath: '/rest',
    limits: DEFAULT_LIMITS,
    services: new Set(['metrics', 'openapi'] as const),
  }),
  body: { kind: 'text', text: body, contentType: '' } as const,
  conditions: { ifMatch: null, ifNoneMatch: null },
})
const resolve = (
  authorize: Authorize,
  method: string,
  url: string,
  body?: string,
  reported: unknown[] = [],
) =>
  resolveAccess(authorize, requestOf(method, url, body), {
    session: null,
    context: undefined,
    names,
    report: (error) => void reported.push(error),
  })

const textOf = ({ action, dataClass, attribute, functionName }: AuthorizeQuestion): string =>
  `${action} ${dataClass ?? 'the store'}${attribute === undefined ? '' : `.${attribute}`}${functionName === undefined ? '' : ` ${functionName}()`}`

/**
 * The questions of a request, without those about describing and reading, which all requests have.
 */
async function asked(method: string, url: string, body?: string): Promise<string[]> {
  const questions: string[] = []
  await resolve((question) => questions.push(textOf(question)) > 0, method, url, body)
  expect(new Set(questions).size).toBe(questions.length)
  return questions.filter((text) => !/^(describe|read) /.test(text)).sort()
}
describe('the permission hook is called', () => {
  test('once for each exposed dataclass and attribute: may it be described and read', async () => {
    const questions: string[] = []
    await resolve((question) => questions.push(textOf(question)) > 0, 'GET', '/rest/Students(1)')
    expect(questions.filter((text) => text.startsWith('describe')).sort()).toEqual([
      'describe Schools',
      'describe Students',
    ])
    for (const about of [
      'read Schools',
      'read Schools.name',
      'read Students',
      'read Students.photo',
    ]) {
      expect(questions.filter((text) => text === about)).toEqual([about])
    }
    expect(questions.filter((text) => /Vault|secret|budget/.test(text))).toEqual([])
  })

  test.each<[method: string, url: string, asked: readonly string[], body?: string]>([
    ['GET', '/rest/Students', []],
    ['GET', '/rest/Students(1)/firstname', []],
    ['GET', '/rest/Students(1)?$lock=true', ['lock Students']],
    ['GET', '/rest/Students?$method=delete&$filter=ID=1', []],
    ['POST', '/rest/Students?$method=delete&$filter=ID=1', ['delete Students']],
    ['GET', '/rest/Nobody', []],
    ['POST', '/rest/Nobody/names', []],
    ['POST', '/rest/Nobody?$method=update', [], '[]'],
    ['POST', '/rest/Students(1)?$method=delete', ['delete Students']],
    ['POST', '/rest/Students/names?$emMethod=names', ['call Students names()']],
    ['POST', '/rest/Students/names', ['call Students names()']],
    ['POST', '/rest/Students/names?$lock=true', ['call Students names()']],
    ['POST', '/rest/Students(1)/greet', ['call Students greet()']],
    ['POST', '/rest/$singleton/Factory/build', ['call the store Factory.build()']],
    ['POST', '/rest/$catalog/ping', ['call the store ping()']],
  ])('for %s %s only about %j', async (method, url, expected, body) => {
    try {
      expect(await asked(method, url, body)).toEqual(expected)
    } catch (error) {
      // Refused before the hook is called.
      if (!(error instanceof EntiaError)) throw error
      expect(expected).toEqual([])
    }
  })

  test.each(['/rest/Schools(1)/students?$emMethod=names', '/rest/Students?$emMethod=names'])(
    'for %s about the function of that name where the relation leads, as about the rest of the request',
    async (url) => {
      const questions = await asked('POST', url)
      expect(questions.filter((text) => text.startsWith('call'))).toEqual(['call Students names()'])
    },
  )

  test('for the catalog, once per function of the store, singletons and dataclasses', async () => {
    for (const url of [
      '/rest/$catalog',
      '/rest/$catalog/$all',
      '/rest/$catalog/Students',
      '/rest/$catalog/ping,echo',
      '/rest/$openapi',
    ]) {
      const questions = await asked('GET', url)
      for (const text of [
        'call the store ping()',
        'call the store Factory.build()',
        'call Students greet()',
      ])
        expect(questions, url).toContain(text)
      expect(questions.every((text) => text.startsWith('call '))).toBe(true)
    }
  })

  test('for the catalog of a dataclass named like a function, about everything in that catalog', async () => {
    const Ping = defineDataClass('Ping', { ID: attribute.long({ key: true }) })
    const run = () => 1
    const twin = createDataStore({
      name: 'twin',
      dataClasses: [Ping],
      functions: { Ping: { run }, other: { run } },
    })
    const of = async (url: string) => {
      const questions: string[] = []
      await resolveAccess(
        (question) => questions.push(textOf(question)) > 0,
        requestOf('GET', url),
        {
          session: null,
          context: undefined,
          names: new Names(twin.catalog, null),
          report: () => undefined,
        },
      )
      return questions.filter((text) => text.startsWith('call')).sort()
    }
    expect(await of('/rest/$catalog/Ping')).toEqual([
      'call the store Ping()',
      'call the store other()',
    ])
    expect(await of('/rest/$catalog/other')).toEqual(['call the store other()'])
    expect(await of('/rest/$catalog/nobody')).toEqual([
      'call the store Ping()',
      'call the store other()',
    ])
  })

  test('for a write, about the entities and each attribute that the request may write', async () => {
    const update = await asked('POST', '/rest/Students?$method=update', '[]')
    const insert = await asked('POST', '/rest/Students?$method=insert', '{}')
    expect(insert).toEqual(expect.arrayContaining(['create Students', 'create Students.lastname']))
    expect(insert.filter((text) => !text.startsWith('create '))).toEqual([])
    expect(update).toEqual(
      expect.arrayContaining([
        'create Students',
        'create Students.lastname',
        'update Students',
        'update Students.lastname',
      ]),
    )
    expect(update.filter((text) => !/^(create|update) Students/.test(text))).toEqual([])
  })

  test('for the removal of an image, also about the update of its entity', async () => {
    const questions = await asked('POST', '/rest/Students(1)/photo?$method=delete')
    expect(questions).toEqual(
      expect.arrayContaining(['delete Students', 'update Students', 'update Students.photo']),
    )
    expect(questions.filter((text) => !/^(delete|update) Students/.test(text))).toEqual([])
  })

  test('not for addresses that show no data', async () => {
    const questions: string[] = []
    const note: Authorize = (question) => questions.push(textOf(question)) > 0
    for (const [method, url] of [
      ['GET', '/rest/$directory/currentUser'],
      ['POST', '/rest/$upload'],
      ['GET', '/rest/$metrics'],
      ['POST', '/rest/$entityset/$release'],
      ['OPTIONS', '/rest/Students'],
    ] as const) {
      try {
        await resolve(note, method, url)
      } catch (error) {
        if (!(error instanceof EntiaError)) throw error
      }
    }
    expect(questions).toEqual([])
  })
})

describe('an answer of the permission hook', () => {
  const studentsOf = (access: Awaited<ReturnType<typeof resolve>>) => {
    const model = store.catalog.byName.get('Students')
    if (model === undefined) throw new Error('no students')
    return access.rows(model, 'read')
  }
  test.each<[answer: unknown, reported: string | null]>([
    [true, null],
    [false, null],
    ['ID > 1', null],
    [{ filter: 'ID > :1', parameters: [1] }, null],
    [{ filter: 'ID > :a', parameters: { a: 1 } }, null],
    ['', 'blank text'],
    [' ', 'blank text'],
    [undefined, 'a value of type undefined'],
    [null, 'a value of type object'],
    [1, 'a value of type number'],
    [{}, 'a value of type object'],
    [{ filter: 'ID > 1' }, null],
    [{ filter: 'ID > 1', parameters: 7 }, 'a value of type object'],
    [{ filter: '', parameters: [] }, 'a value of type object'],
    [{ filter: 'ID > :1', parameters: 1 }, 'a value of type object'],
    [{ parameters: [] }, 'a value of type object'],
  ])('%j is used or counts as no, which is reported to the host', async (answer, reported) => {
    for (const given of [answer, Promise.resolve(answer)]) {
      const errors: unknown[] = []
      const isAsked = ({ dataClass, action, attribute }: AuthorizeQuestion) =>
        dataClass === 'Students' && action === 'read' && attribute === undefined
      const access = await resolve(
        (q) => (isAsked(q) ? (given as never) : true),
        'GET',
        '/rest/Students',
        '',
        errors,
      )
      expect(studentsOf(access)).toEqual(reported === null ? answer : false)
      const message = `authorize answered ${reported} to read Students - -: it must be a boolean or a filter.`
      expect(errors.map((error) => (error as Error).message)).toEqual(
        reported === null ? [] : [message],
      )
    }
  })

  test('is no for questions that the request did not need', async () => {
    const access = await resolve(() => true, 'GET', '/rest/Students')
    const model = store.catalog.byName.get('Students')
    if (model === undefined) throw new Error('no students')
    const name = model.attributes.get('lastname')
    if (name === undefined) throw new Error('no name')
    expect([access.mayDescribe(model), access.mayRead(name), access.rows(model, 'read')]).toEqual([
      true,
      true,
      true,
    ])
    expect([
      access.rows(model, 'delete'),
      access.mayWrite(name, 'update'),
      access.mayCall(model, 'names'),
    ]).toEqual([false, false, false])
    expect(access.mayCall(null, 'ping')).toBe(false)
  })

  test('of yes covers exactly the question that was put', async () => {
    const model = store.catalog.byName.get('Students')
    const [lastname, exam] = ['lastname', 'exam'].map((name) => model?.attributes.get(name))
    if (model === undefined || lastname === undefined || exam === undefined)
      throw new Error('no students')
    const writing = await resolve(
      ({ action, attribute }) =>
        attribute === undefined || (attribute === 'lastname' && action === 'update'),
      'POST',
      '/rest/Students?$method=update',
      '[]',
    )
    expect([writing.mayWrite(lastname, 'update'), writing.mayWrite(lastname, 'create')]).toEqual([
      true,
      false,
    ])
    expect([writing.mayWrite(exam, 'update'), writing.mayRead(lastname)]).toEqual([false, false])
    expect(
      ['create', 'update', 'delete'].map((action) => writing.rows(model, action as 'create')),
    ).toEqual([true, true, false])
    const calling = await resolve(() => true, 'POST', '/rest/Students/names', '[]')
    expect([
      calling.mayCall(model, 'names'),
      calling.mayCall(null, 'names'),
      calling.mayCall(model, 'look'),
    ]).toEqual([true, false, false])
    const ping = await resolve(() => true, 'POST', '/rest/$catalog/ping', '[]')
    expect([ping.mayCall(null, 'ping'), ping.mayCall(model, 'ping')]).toEqual([true, false])
  })

  test('counts as no if the hook throws, and the error is reported unchanged', async () => {
    for (const fail of [
      () => {
        throw new Error('broken')
      },
      () => Promise.reject(new Error('broken')),
    ]) {
      const errors: unknown[] = []
      const access = await resolve(fail, 'GET', '/rest/Students', '', errors)
      expect(studentsOf(access)).toBe(false)
      expect(new Set(errors.map((error) => (error as Error).message))).toEqual(new Set(['broken']))
    }
  })
})

describe('a missing permission', () => {
  const model = store.catalog.byName.get('Students') as NonNullable<
    ReturnType<typeof store.catalog.byName.get>
  >
  const nobody = null
  const guest = { user: null } as unknown as Session
  const user = { user: { ID: 'u1' } } as unknown as Session
  const callerOf = (session: Session | null, yes: readonly string[] | null) =>
    ({
      session,
      access:
        yes === null
          ? null
          : {
              rows: (_: unknown, action: string) => yes.includes(action),
              mayCall: (_: unknown, name: string) => yes.includes(name),
            },
    }) as never
  const codes = (run: () => void): readonly unknown[] => {
    try {
      run()
    } catch (error) {
      if (!(error instanceof EntiaError)) throw error
      const cause = error.cause as EntiaError | undefined
      return [error.code, error.details, cause?.code, cause?.details]
    }
    return []
  }

  test('is an error for users, and a request to log in for guests', () => {
    const details = { action: 'delete', dataClass: 'Students' } as const
    for (const session of [nobody, guest]) {
      const error = denied({ session }, details)
      expect([error.code, error.details, (error.cause as EntiaError).details]).toEqual([
        'loginRequired',
        { what: 'This request', by: 'directory' },
        details,
      ])
    }
    expect([
      denied({ session: user }, details).code,
      denied({ session: user }, details).details,
    ]).toEqual(['accessDenied', details])
  })

  test('names the action that is not allowed on the rows', () => {
    const denied = (action: string) => [
      'accessDenied',
      { action, dataClass: 'Students' },
      undefined,
      undefined,
    ]
    expect(codes(() => permitRows(callerOf(user, ['read']), model, 'read'))).toEqual([])
    expect(codes(() => permitRows(callerOf(user, ['read']), model, 'delete'))).toEqual(
      denied('delete'),
    )
    expect(codes(() => permitRows(callerOf(user, null), model, 'delete'))).toEqual([])
    expect(codes(() => permitReading(callerOf(user, null), model, 'lock'))).toEqual([])
    expect(codes(() => permitReading(callerOf(user, ['read']), model, 'lock'))).toEqual([])
    expect(codes(() => permitReading(callerOf(user, ['lock']), model, 'lock'))).toEqual(
      denied('read'),
    )
    expect(codes(() => permitReading(callerOf(user, []), model, 'lock'))).toEqual(denied('lock'))
  })

  test('names the function of a dataclass or of the store that may not be called', () => {
    expect(codes(() => permitCall(callerOf(user, null), null, 'ping'))).toEqual([])
    expect(codes(() => permitCall(callerOf(user, ['ping']), null, 'ping'))).toEqual([])
    const denied = (dataClass: string, name: string) => [
      'accessDenied',
      { action: 'call', dataClass, name },
      undefined,
      undefined,
    ]
    expect(codes(() => permitCall(callerOf(user, []), null, 'ping'))).toEqual(denied('', 'ping'))
    expect(codes(() => permitCall(callerOf(user, []), model, 'names'))).toEqual(
      denied('Students', 'names'),
    )
  })
})
