import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, firstLine, type Served } from './host-claims.ts'

// The claims that every example with accounts of its own must meet.

export interface IdentityExample {
  readonly start: () => Promise<Served>
  readonly secret: string | Uint8Array
  /** The program of the example. */
  readonly program: URL
}

const NOTES = '/rest/Note'
const LOCK = '/rest/Note(1)?$lock=true'

export function describeIdentity(name: string, { start, secret, program }: IdentityExample): void {
  describe(name, () => {
    let served: Served
    beforeAll(async () => {
      served = await start()
    })
    afterAll(() => served.close())

    const login = async (user: string, password: string) => {
      const body = JSON.stringify({ name: user, password })
      const headers = { 'content-type': 'application/json' }
      const { status, text } = await ask(served, 'POST', '/login', { headers, body })
      return { status, token: JSON.parse(text).token as string }
    }
    const as = (token: string, method: string, path: string, body?: unknown) =>
      ask(served, method, path, {
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const owners = (text: string): readonly string[] =>
      JSON.parse(text).__ENTITIES.map(({ owner }: { readonly owner: string }) => owner)

    test('a valid token shows what its user may see', async () => {
      const [ada, bob] = [await login('ada', 'engine'), await login('bob', 'cards')]
      expect(owners((await as(ada.token, 'GET', NOTES)).text)).toEqual(['ada', 'ada', 'bob'])
      expect(owners((await as(bob.token, 'GET', NOTES)).text)).toEqual(['bob'])
      const current = await as(bob.token, 'GET', '/rest/$directory/currentUser')
      expect(JSON.parse(current.text).result.fullName).toBe('Bob Babbage')
    })

    test('a hook sees the user; no cookie is set', async () => {
      const { token } = await login('bob', 'cards')
      const saved = await as(token, 'POST', NOTES, { text: 'Post the letter' })
      expect([saved.status, JSON.parse(saved.text).owner]).toEqual([200, 'bob'])
      expect(saved.headers.get('set-cookie')).toBe(null)
      expect((await as(token, 'PUT', '/rest/Note(1)', { text: 'x' })).status).toBe(404)
    })

    test('a lock belongs to the user, whichever token the request carries', async () => {
      const [first, second] = [await login('ada', 'engine'), await login('ada', 'engine')]
      const staff = { sub: 'eve', name: 'Eve', roles: ['staff'], exp: inSeconds(60) }
      const eve = signed(staff, secret)
      expect(JSON.parse((await as(first.token, 'GET', LOCK)).text).result).toBe(true)
      expect(JSON.parse((await as(eve, 'GET', LOCK)).text).result).toBe(false)
      expect((await as(eve, 'PUT', '/rest/Note(1)', { text: 'x' })).status).toBe(423)
      expect((await as(second.token, 'PUT', '/rest/Note(1)', { text: 'x' })).status).toBe(200)
      await as(second.token, 'POST', '/rest/$directory/logout')
      expect(JSON.parse((await as(eve, 'GET', LOCK)).text).result).toBe(true)
    })

    test('no token is a guest, who may read the catalog only', async () => {
      const refused = await ask(served, 'GET', NOTES)
      expect([refused.status, refused.errCodes]).toEqual([401, [1557, 9120]])
      expect((await ask(served, 'GET', LOCK)).status).toBe(401)
      expect((await ask(served, 'GET', '/rest/$catalog')).status).toBe(200)
      const user = await ask(served, 'GET', '/rest/$directory/currentUser')
      expect(user.text).toBe('{"result":null}')
      expect((await login('ada', 'wrong')).status).toBe(401)
      expect((await login('nobody', 'engine')).status).toBe(401)
    })

    const user = { sub: 'ada', name: 'Ada', roles: ['staff'] }
    test.each([
      ['expired', signed({ ...user, exp: inSeconds(-60) }, secret)],
      ['forged', signed({ ...user, exp: inSeconds(60) }, 'another secret of 32 characters.')],
      ['unsigned', signed({ ...user, exp: inSeconds(60) }, null)],
      ['malformed', 'no token at all'],
    ])('a token that is %s is 401', async (_what, token) => {
      const refused = await as(token, 'GET', NOTES)
      expect([refused.status, refused.errCodes]).toEqual([401, [9122]])
      expect((await as(token, 'GET', '/rest/$catalog')).status).toBe(401)
    })
  })

  test(`${name}: the program serves without changes`, async () => {
    const child = spawn(process.execPath, [fileURLToPath(program)], {
      env: { ...process.env, PORT: '0' },
    })
    try {
      const address = /http:\S+(?=\/login)/.exec(await firstLine(child))?.[0]
      expect((await fetch(`${address}/rest/Note`)).status).toBe(401)
    } finally {
      child.kill()
    }
  })
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

/** A JSON Web Token; null signs it with "none". */
function signed(claims: object, secret: string | Uint8Array | null): string {
  const alg = secret === null ? 'none' : 'HS256'
  const parts = [{ alg, typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const text = parts.join('.')
  const proof = secret === null ? '' : createHmac('sha256', secret).update(text).digest('base64url')
  return `${text}.${proof}`
}
