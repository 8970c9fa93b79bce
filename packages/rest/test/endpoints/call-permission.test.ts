import type { ClassModel } from '@entia/core'
import { type Access, createLocalEngine, Names } from '@entia/engine'
import { beforeEach, expect, test } from 'vitest'
import type { HandleContext } from '../../src/endpoints/context/context.ts'
import { handle } from '../../src/endpoints/handle.ts'
import { resolveAccess } from '../../src/endpoints/permission/authorize.ts'
import type { AuthorizeQuestion } from '../../src/endpoints/permission/questions.ts'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { parseHead } from '../../src/request/request.ts'
import { createSchools } from '../http/schools.ts'

let schools: ReturnType<typeof createSchools>
beforeEach(() => {
  schools = createSchools()
})

const requestOf = (method: string, url: string, body: string) => ({
  ...parseHead(method, url, { basePath: '/rest', limits: DEFAULT_LIMITS }),
  body: { kind: 'text', text: body, contentType: '' } as const,
  conditions: { ifMatch: null, ifNoneMatch: null },
})

/** Calls as a guest who may do everything except what `mayCall` denies. */
function call(url: string, mayCall: Access['mayCall'], body = '[]') {
  const engine = createLocalEngine(schools.store)
  const access: Access = {
    mayDescribe: () => true,
    mayRead: () => true,
    mayWrite: () => true,
    rows: () => true,
    mayCall,
  }
  const caller = { session: null, access, names: new Names(engine.catalog, access) }
  // Calls use no other member of a context.
  const context = {
    engine,
    caller,
    limits: DEFAULT_LIMITS,
    basePath: '/rest',
  } as unknown as HandleContext
  return handle(requestOf('POST', url, body), context)
}

const addresses = [
  ['/rest/Students/look', 'Students', 'look'],
  ['/rest/Students/names', 'Students', 'names'],
  ['/rest/Students(1)/greet', 'Students', 'greet'],
  ['/rest/Schools(1)/students?$emMethod=names', 'Students', 'names'],
  ['/rest/$catalog/ping', null, 'ping'],
  ['/rest/$singleton/Factory/build', null, 'Factory.build'],
] as const

test.each(addresses)(
  '%s requires permission for the dataclass and name of its function',
  async (url, dataClass, name) => {
    const asked: (readonly [string | null, string])[] = []
    const note = (answer: boolean) => (owner: ClassModel | null, functionName: string) => {
      asked.push([owner?.name ?? null, functionName])
      return answer
    }
    expect((await call(url, note(true))).kind).toBe('called')
    await expect(call(url, note(false))).rejects.toMatchObject({
      code: 'loginRequired',
      cause: { errCode: 1561 },
    })
    expect(asked).toEqual([
      [dataClass, name],
      [dataClass, name],
    ])
  },
)

test('a denied call is refused before its parameters are read', async () => {
  await expect(call('/rest/Students/look', () => false, '{')).rejects.toMatchObject({
    code: 'loginRequired',
  })
  expect(schools.seen).toEqual([])
})

test.each(addresses)(
  'the hook gets only the question about the function of %s',
  async (url, dataClass, name) => {
    const questions: AuthorizeQuestion[] = []
    const authorize = (question: AuthorizeQuestion) => questions.push(question) > 0
    const names = new Names(schools.store.catalog, null)
    const report = (error: unknown) => expect(error).toBeUndefined()
    await resolveAccess(authorize, requestOf('POST', url, '[]'), {
      session: null,
      context: undefined,
      names,
      report,
    })
    const calls = questions.filter(({ action }) => action === 'call')
    expect(calls).toEqual([
      {
        user: null,
        session: null,
        context: undefined,
        dataClass,
        action: 'call',
        functionName: name,
      },
    ])
  },
)
