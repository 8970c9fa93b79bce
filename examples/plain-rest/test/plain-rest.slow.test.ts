import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { requests, type Sent } from './requests.ts'

const example = fileURLToPath(new URL('../', import.meta.url))
const root = join(example, '../..')
const jsonServer = join(
  dirname(createRequire(import.meta.url).resolve('json-server/package.json')),
  'lib/cli/bin.js',
)

let folder: string
let servers: ChildProcess[]
beforeEach(async () => {
  servers = []
  folder = await mkdtemp(join(tmpdir(), 'entia-'))
})
afterEach(async () => {
  for (const server of servers) {
    server.kill('SIGKILL')
    await once(server, 'close')
  }
  await rm(folder, { recursive: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a server on its own copy of the file. Resolves with its origin when it answers. */
async function start(name: 'json-server' | 'entia'): Promise<string> {
  const file = join(folder, `${name}.json`)
  await copyFile(join(example, 'db.json'), file)
  const port = await freePort()
  const command =
    name === 'entia'
      ? [join(root, 'packages/cli/bin/entia.mjs'), 'serve', '--plain', file, '--port', `${port}`]
      : [jsonServer, file, '--port', `${port}`, '--host', '127.0.0.1', '--quiet']
  const server = spawn(process.execPath, command, { cwd: folder, stdio: 'ignore' })
  servers.push(server)
  const origin = `http://127.0.0.1:${port}`
  while (
    !(await fetch(`${origin}/posts/1`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    if (server.exitCode !== null) throw new Error(`${name} ended`)
  return origin
}

test.each(['json-server', 'entia'] as const)(
  'the tests of the front end pass unchanged against %s',
  async (name) => {
    const API = await start(name)
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--test', join(example, 'test/api.spec.js')],
      {
        env: { ...env, API },
      },
    )
    expect(stdout).toMatch(/(?:#|ℹ) pass 6\b/)
    expect(stdout).toMatch(/(?:#|ℹ) fail 0\b/)
  },
)

interface Reply {
  readonly status: number
  readonly headers: { readonly [name: string]: string | null }
  readonly body: unknown
}

async function ask(origin: string, { method, path, body }: Sent): Promise<Reply> {
  const response = await fetch(origin + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await response.text()
  const header = (name: string): string | null =>
    response.headers.get(name)?.replaceAll(origin, 'http://host') ?? null
  return {
    status: response.status,
    headers: {
      type: header('content-type')?.split(';')[0] ?? null,
      location: header('location'),
      link: header('link') || null,
      total: header('x-total-count'),
    },
    body: text === '' ? '' : jsonOf(text),
  }
}

/** json-server answers some failures with HTML or a stack. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

test('answers are those of json-server, except for the differences that the page lists', async () => {
  const page = await readFile(join(root, 'docs/how-to/migrate-from-json-server.md'), 'utf8')
  const [theirs, ours] = await Promise.all([start('json-server'), start('entia')])
  const unexpected: string[] = []
  for (const sent of requests) {
    const expected = await ask(theirs, sent)
    const found = await ask(ours, sent)
    // json-server counts only pages; Entia counts every list.
    const total = expected.headers.total === null ? null : found.headers.total
    const compared = { ...found, headers: { ...found.headers, total } }
    const isEqual = JSON.stringify(sorted(expected)) === JSON.stringify(sorted(compared))
    if (isEqual !== (sent.difference === undefined))
      unexpected.push(
        [
          `${sent.method} ${sent.path}`,
          ...[expected, compared].map((one) => JSON.stringify(sorted(one))),
        ].join('\n'),
      )
    if (sent.difference !== undefined) expect(page).toContain(`| ${sent.difference} |`)
  }
  expect(unexpected.join('\n\n')).toBe('')
  expect(page).toContain(`compares the answers to ${requests.length} requests`)
})

/** The same value with members sorted by name: the order of members is not compared. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
