import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { READINGS } from './command-lines.ts'

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url))
const bin = fileURLToPath(new URL('../bin/entia.mjs', import.meta.url))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-pipes-'))
  const module = JSON.stringify(join(fixtures, 'make-people.mjs'))
  await writeFile(join(folder, 'model.mjs'), `export { default } from ${module}\n`)
  await writeFile(join(folder, 'People.csv'), 'ID,name\n2,Bo\n')
  await writeFile(join(folder, 'rows.csv'), 'ID,name\n2,Bo\n')
})
afterAll(() => rm(folder, { recursive: true }))

const quoted = (word: string): string => `'${word}'`
const ENTIA = `${quoted(process.execPath)} ${quoted(bin)}`

/** Runs a command line of a shell, in which `entia` is the program. */
async function shell(line: string): Promise<{ readonly status: number; readonly stderr: string }> {
  const child = spawn('bash', ['-c', `set -o pipefail; entia() { ${ENTIA} "$@"; }; ${line}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const [status] = await once(child, 'close')
  return { status, stderr }
}

/** A line for every command that ends by itself, and its status. */
const LINES = READINGS.filter(({ command }) => command !== 'serve').map(({ line, takes }) => {
  const isModule = takes.includes('mjs')
  const words = line(isModule ? 'model.mjs' : 'People.csv')
  return [words.map(quoted).join(' '), takes.length === 0 ? 1 : 0] as const
})
const HELP = ['--help', 'serve --help', '--version'].map((line) => [line, 0] as const)

describe('a reader that has gone is no failure for', () => {
  test.each([...LINES, ...HELP])('entia %s', async (line, status) => {
    expect(await shell(`entia ${line} 2>&1 < /dev/null | true`)).toEqual({ status, stderr: '' })
  })

  test('entia query … | head -1, with many rows', async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => `{"id":${id},"name":"row ${id}"}\n`)
    await writeFile(join(folder, 'many.ndjson'), rows.join(''))
    expect(await shell('entia query many.ndjson many --top 20000 | head -1')).toEqual({
      status: 0,
      stderr: '',
    })
  })
})

describe('closed inputs and outputs are no failure for', () => {
  test.each(LINES)('entia %s', async (line, status) => {
    const closed = await shell(`entia ${line} <&- >&-`)
    expect([closed.status, closed.stderr]).toEqual([status, expect.not.stringMatching(/^\s+at /m)])
  })

  test('entia query, also if nothing can be said', async () => {
    const line = 'entia query model.mjs People <&- >&- 2>&-'
    expect(await shell(line)).toEqual({ status: 0, stderr: '' })
  })
})

describe('entia serve goes on until it is stopped with', () => {
  test.each(['<&-', '>&-', '2>&-', '<&- >&- 2>&-', '| head -1'])('%s', async (redirection) => {
    const port = await freePort()
    const isPiped = redirection.startsWith('|')
    const child = spawn(
      'bash',
      ['-c', `exec ${ENTIA} serve model.mjs --port ${port} ${isPiped ? '' : redirection}`],
      { cwd: folder, stdio: ['ignore', isPiped ? 'pipe' : 'ignore', 'pipe'] },
    )
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text))
    child.stdout?.once('data', () => child.stdout?.destroy())
    const ended = once(child, 'close')
    const answered = await Promise.race([ended.then(() => null), answerOf(port)])
    expect([answered, stderr]).toEqual([200, ''])
    child.kill('SIGTERM')
    expect([...(await ended), stderr]).toEqual([0, null, ''])
  })
})

/** The status of the first answer of a server that is starting. */
async function answerOf(port: number): Promise<number> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/rest/People`).catch(() => null)
    if (answer !== null) return answer.status
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

test('a full disk is a sentence', async () => {
  const { status, stderr } = await shell('entia query model.mjs People > /dev/full')
  expect([status, stderr]).toEqual([1, expect.stringContaining('the disk is full (ENOSPC).')])
  expect(stderr).not.toMatch(/^\s+at /m)
})
