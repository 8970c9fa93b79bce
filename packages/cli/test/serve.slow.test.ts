import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { runEntia, type Serving, serveEntia } from './run-entia.ts'

const running: Serving[] = []
const serve = async (module: string, ...options: string[]) => {
  const serving = await serveEntia(module, ...options)
  running.push(serving)
  return serving
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((serving) => serving.stop('SIGKILL')))
})

/** The members of a response that these tests read. */
interface Answer {
  readonly __COUNT: number
  readonly __ENTITIES: readonly { readonly lastName: string }[]
  readonly __ERROR: readonly unknown[]
  readonly __queryPlan: unknown
  readonly dataClasses: readonly { readonly name: string }[]
}
const readAnswer = async (url: string): Promise<Answer & { readonly status: number }> => {
  const response = await fetch(url)
  return { ...((await response.json()) as Answer), status: response.status }
}

const linksOf = (page: string) =>
  [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  )

describe('entia serve', () => {
  test.each(['hr.mjs', 'promise.mjs', 'async-function.mjs'])(
    'serves what %s exports',
    async (module) => {
      const { origin } = await serve(module)
      const answer = await readAnswer(`${origin}/rest/Employee?$orderby=lastName`)
      expect(answer.status).toBe(200)
      expect(answer.__ENTITIES.map((entity) => entity.lastName)).toEqual(['Babbage', 'Byron'])
    },
  )

  test('prints the explorer and three addresses that answer, and links them at /', async () => {
    const serving = await serve('hr.mjs')
    const [explorer, ...printed] = serving.printed.match(/http:\S+$/gm) ?? []
    expect(explorer).toBe(`${serving.origin}/`)
    const page = await (await fetch(`${serving.origin}/`)).text()
    const linked = linksOf(page).map((href) => serving.origin + href)
    expect(linked).toEqual(printed)
    expect(linked).toHaveLength(3)
    const [catalog, entities, planned] = await Promise.all(linked.map(readAnswer))
    expect(catalog?.dataClasses.map((one) => one.name)).toEqual(['Company', 'Employee'])
    expect(entities?.__COUNT).toBe(2)
    expect(planned?.__COUNT).toBe(1)
    expect(planned?.__queryPlan).toBeTypeOf('object')
  })

  test('uses the options that the module exports', async () => {
    const { origin } = await serve('with-users.mjs')
    expect((await readAnswer(`${origin}/rest/Employee`)).status).toBe(401)
    const login = await fetch(`${origin}/rest/$directory/login`, {
      method: 'POST',
      body: '["ada","engine"]',
    })
    const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    expect((await fetch(`${origin}/rest/Employee`, { headers: { cookie } })).status).toBe(200)
  })

  test('identifies callers as the module does, and the page offers no login', async () => {
    const { origin } = await serve('with-identity.mjs')
    expect((await readAnswer(`${origin}/rest/Employee`)).status).toBe(401)
    const headers = { 'x-forwarded-user': 'ada' }
    expect((await fetch(`${origin}/rest/Employee`, { headers })).status).toBe(200)
    const user = await fetch(`${origin}/rest/$directory/currentUser`, { headers })
    expect(await user.text()).toContain('"userName":"ada"')
    expect(await (await fetch(`${origin}/`)).text()).toContain('name="entia-users" content="false"')
  })

  test('prints and links the addresses of the module, escaped for each context', async () => {
    const serving = await serve('async-function.mjs', '--base-path', '/data/rest/')
    const page = await (await fetch(`${serving.origin}/`)).text()
    expect(page).toContain('Those &lt;named&gt; &quot;B&quot;')
    const links = linksOf(page)
    expect(links).toEqual(['/data/rest/Employee?$filter=%22lastName%20=%20%27B@%27%22&$top=5'])
    expect((await readAnswer(serving.origin + links[0])).__COUNT).toBe(2)
  })

  test('an address with the base path is printed and linked with it once', async () => {
    const serving = await serve('full-addresses.mjs')
    const address = `${serving.origin}/rest/Employee?$top=1`
    expect(serving.printed).toContain(`    ${address}\n`)
    expect(linksOf(await (await fetch(`${serving.origin}/`)).text())).toEqual([
      '/rest/Employee?$top=1',
    ])
    expect((await readAnswer(address)).status).toBe(200)
  })

  test('an address outside the base path is refused with the remedy', async () => {
    const line = ['serve', 'full-addresses.mjs', '--port', '0', '--base-path', '/data']
    const { exitCode, stdout, stderr } = await runEntia(line)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toBe(
      'The address "/rest/Employee?$top=1" in the export "addresses" of full-addresses.mjs is not below /data. Write the part after /data/, for example Employee?$top=10.\n',
    )
  })

  test('the address in its first line answers', async () => {
    const { printed } = await serve('hr.mjs')
    const [, address = ''] = /at (http:\S+)/.exec(printed) ?? []
    expect((await readAnswer(address)).dataClasses.map((one) => one.name)).toEqual([
      'Company',
      'Employee',
    ])
  })

  test('an error of the application is logged with its cause, and not sent', async () => {
    const { origin, stop } = await serve('failing-getter.mjs')
    const answer = await readAnswer(`${origin}/rest/Task`)
    expect([answer.status, JSON.stringify(answer).includes('out of order')]).toEqual([500, false])
    const { stderr } = await stop('SIGTERM')
    expect(stderr).toContain('The "state" attribute of the "Task" dataclass cannot be read')
    expect(stderr).toContain('[cause]: Error: out of order')
  })

  test('the page loads from this server only, as its policy requires', async () => {
    const { origin } = await serve('hr.mjs')
    const answer = await fetch(`${origin}/`)
    const policy = answer.headers.get('content-security-policy')
    expect(policy).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';",
    )
    const page = await answer.text()
    expect(page).not.toMatch(/https?:/)
    const loaded = [...page.matchAll(/(?:src|<link [^>]*href)="([^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    expect(loaded).toEqual(['/explorer.css', '/explorer.js'])
    const types = await Promise.all(
      loaded.map(async (path) => (await fetch(origin + path)).headers.get('content-type')),
    )
    expect(types).toEqual(['text/css; charset=utf-8', 'text/javascript; charset=utf-8'])
  })

  test('an unknown address and a malformed head get a JSON error', async () => {
    const { origin } = await serve('hr.mjs')
    const absent = await readAnswer(`${origin}/rest/Nothing`)
    expect(absent.status).toBe(404)
    expect(absent.__ERROR.length).toBeGreaterThan(0)

    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.end('NOT HTTP\r\n\r\n')
    let answer = ''
    socket.setEncoding('utf8').on('data', (text) => (answer += text))
    await once(socket, 'close')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('"__ERROR"')
  })

  test.each([
    ['without a host', 'GET /rest/Employee HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'with an unknown expectation',
      'GET /rest/Employee HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\nConnection: close\r\n\r\n',
      200,
    ],
  ])('a request %s gets a JSON response', async (_what, text, status) => {
    const { origin } = await serve('hr.mjs')
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.end(text)
    let answer = ''
    socket.setEncoding('utf8').on('data', (piece) => (answer += piece))
    await once(socket, 'close')
    expect(answer).toContain(`HTTP/1.1 ${status} `)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toBeTypeOf('object')
  })

  test('a foreign host name that resolves to this machine is refused', async () => {
    const { origin } = await serve('hr.mjs')
    const { port } = new URL(origin)
    const statusFor = async (host: string) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.end(`GET /rest/Employee HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      let answer = ''
      socket.setEncoding('utf8').on('data', (text) => (answer += text))
      await once(socket, 'close')
      return answer.split(' ')[1]
    }
    expect(await statusFor(`evil.example:${port}`)).toBe('421')
    expect(await statusFor(`127.0.0.1:${port}`)).toBe('200')
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops it with exit code 0', async (signal) => {
    const { stop } = await serve('hr.mjs')
    expect(await stop(signal)).toMatchObject({ exitCode: 0, signal: null, stderr: '' })
  })

  test('a timer of the module does not keep the process alive', async () => {
    const { stop } = await serve('keeps-running.mjs')
    expect(await stop('SIGTERM')).toMatchObject({ exitCode: 0, signal: null })
  })
})

test('answers live queries of a module that says nothing about them', async () => {
  const serving = await serve('hr.mjs')
  const { status, body } = await fetch(`${serving.origin}/rest/Employee?$live=true`)
  expect(status).toBe(200)
  await body!.cancel()
})

test('stays live and serves after a signal to stop, but is no longer ready', async () => {
  const serving = await serve('with-live.mjs', '--stop-delay', '2')
  const health = async (of: string) => {
    const { status, headers } = await fetch(`${serving.origin}/rest/$health/${of}`)
    return [status, headers.get('connection')]
  }
  expect([await health('live'), await health('ready')]).toEqual([
    [200, 'keep-alive'],
    [200, 'keep-alive'],
  ])
  const stream = (await fetch(`${serving.origin}/rest/Company?$live=true`)).body!.getReader()
  const first = new TextDecoder().decode((await stream.read()).value)
  const stopped = serving.stop('SIGTERM')
  while (!(await stream.read()).done);
  expect(first).toContain('retry: ')
  expect([await health('live'), await health('ready')]).toEqual([
    [200, 'close'],
    [503, 'close'],
  ])
  expect((await readAnswer(`${serving.origin}/rest/Company`)).status).toBe(200)
  expect(await stopped).toMatchObject({ exitCode: 0, signal: null, stderr: '' })
})
