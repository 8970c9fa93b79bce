import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Curl, curlsOf, fileOf } from '../../../scripts/test/docs-commands.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = await readFile(join(root, 'docs/how-to/migrate-from-json-server.md'), 'utf8')

let folder: string
let server: ChildProcess
let origin: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-'))
  await writeFile(join(folder, 'db.json'), fileOf(page, 'db.json'))
  const entia = join(root, 'packages/cli/bin/entia.mjs')
  const command = [entia, 'serve', '--plain', 'db.json', '--port', '0']
  server = spawn(process.execPath, command, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  for await (const text of server.stdout!) {
    printed += text
    if (printed.includes('Ctrl+C')) break
  }
  origin = /http:\/\/[^/]+/.exec(printed)?.[0] ?? ''
})
afterAll(async () => {
  server.kill('SIGKILL')
  await once(server, 'close')
  await rm(folder, { recursive: true })
})

const ask = async ({ path, method, body }: Curl): Promise<string> => {
  const reply = await fetch(`${origin}${path}`, { method, ...(body === null ? {} : { body }) })
  return (await reply.text()).replace(/"__TIMESTAMP":"[^"]*"/g, '"__TIMESTAMP":"…"')
}

test('json-server: every Entia request on the page gets the stated reply, in order', async () => {
  const blocks = curlsOf(page)
  expect(blocks.length).toBeGreaterThan(7)
  for (const { curls, answer } of blocks) {
    const answers: string[] = []
    for (const curl of curls) answers.push(await ask(curl))
    expect([curls.at(-1)?.line, answers.at(-1)]).toEqual([curls.at(-1)?.line, answer])
  }
})
