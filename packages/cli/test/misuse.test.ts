import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runEntia } from './run-entia.ts'

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url))
const bin = fileURLToPath(new URL('../bin/entia.mjs', import.meta.url))
const DATABASE = ['--database', 'postgres://127.0.0.1:1/none']

/** Every command, with a source. `hr.mjs` is a module that works. */
const COMMANDS: ReadonlyMap<string, (source: string) => readonly string[]> = new Map([
  ['serve', (source) => ['serve', source, '--port', '0']],
  ['serve --plain', (source) => ['serve', source, '--plain', '--port', '0']],
  ['query', (source) => ['query', source, 'People']],
  ['explain', (source) => ['explain', source, 'People', '-f', 'ID = 1']],
  ['export', (source) => ['export', source, 'People']],
  ['import', (source) => ['import', source, 'office', '--dump', join(folder, 'never.entia')]],
  [
    'import of rows',
    (source) => ['import', 'people.mjs', source, '--dump', join(folder, 'never.entia')],
  ],
  ['migrate', (source) => ['migrate', source, ...DATABASE]],
  ['copy', (source) => ['copy', source, ...DATABASE]],
  ['verify', (source) => ['verify', source]],
  ['infer', (source) => ['infer', source]],
  ['openapi', (source) => ['openapi', source]],
  ['openapi -o', (source) => ['openapi', 'hr.mjs', '-o', source, '--force']],
  ['infer -o', (source) => ['infer', 'office', '-o', source, '--force']],
  ['export -o', (source) => ['export', 'hr.mjs', 'Employee', '-o', source, '--force']],
  ['import --dump', (source) => ['import', 'hr.mjs', 'office', '--dump', source]],
  ['import --journal', (source) => ['import', 'hr.mjs', 'office', '--journal', source]],
  ['query --journal', (source) => ['query', 'hr.mjs', 'Employee', '--journal', source]],
  ['serve --journal', (source) => ['serve', 'hr.mjs', '--port', '0', '--journal', source]],
  ['mcp', (source) => ['mcp', source]],
])

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-misuse-'))
  const bytes = Buffer.from([0xff, 0xfe, 0, 1, 0x80, 0x0a, 0xc3, 0x28])
  for (const ending of ['json', 'ndjson', 'csv', 'mjs', 'entia']) {
    await mkdir(join(folder, `folder.${ending}`))
    await writeFile(join(folder, `empty.${ending}`), '')
    await writeFile(join(folder, `binary.${ending}`), bytes)
    await writeFile(join(folder, `unreadable.${ending}`), '[]', { mode: 0 })
    execFileSync('mkfifo', [join(folder, `pipe.${ending}`)])
    await symlink(`loop.${ending}`, join(folder, `loop.${ending}`))
  }
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true }))

interface Ended {
  readonly exitCode: number
  readonly stderr: string
}

/**
 * A user who is not root, for whom a file can be unreadable. Empty where that user cannot reach
 * the checkout, as in a private folder.
 */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const canReach = spawnSync(process.execPath, ['many-commands.mjs'], {
  cwd: fixtures,
  input: '[]',
  ...nobody,
})
const user = canReach.status === 0 ? nobody : {}

/** Runs command lines in one process, as a user who is not root where that is possible. */
async function runMany(commands: readonly (readonly string[])[]): Promise<readonly Ended[]> {
  const child = spawn(process.execPath, [join(fixtures, 'many-commands.mjs')], {
    cwd: fixtures,
    ...user,
  })
  let text = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece))
  child.stderr.setEncoding('utf8').on('data', (piece) => (errors += piece))
  child.stdin.end(JSON.stringify(commands))
  await once(child, 'close')
  expect(errors).toBe('')
  return JSON.parse(text)
}

/** Ways to write a file cannot fail for these: they are replaced, or created. */
const isWritten = (command: string): boolean => / (-o|--dump|--journal)$/.test(command)

describe('no command shows a stack for', () => {
  test.each(['folder', 'empty', 'binary', 'unreadable', 'loop', 'missing', 'pipe'])(
    'a source that is %s',
    async (kind) => {
      const lines = [...COMMANDS].flatMap(([command, line]) =>
        isWritten(command) && kind === 'pipe'
          ? []
          : ['json', 'ndjson', 'csv', 'mjs', 'entia'].map((ending) =>
              line(join(folder, `${kind}.${ending}`)),
            ),
      )
      // An empty file of rows, a folder of none or a new file to write are no mistakes.
      const serving = lines.filter(
        ([command]) => command !== 'serve' || !['empty', 'missing', 'folder'].includes(kind),
      )
      for (const [at, { exitCode, stderr }] of (await runMany(serving)).entries()) {
        const line = serving[at]!.join(' ')
        expect(stderr, line).not.toMatch(/^\s+at /m)
        expect([0, 1, 2], line).toContain(exitCode)
        if (exitCode !== 0) expect(stderr, line).toMatch(/\w+ \w+/)
        expect(stderr, line).not.toMatch(/E[A-Z]{4,}: /)
      }
    },
    60_000,
  )

  test('devices', async () => {
    const lines = [...COMMANDS].flatMap(([command, line]) =>
      isWritten(command) ? [] : [line('/dev/stdin'), line('/dev/null')],
    )
    for (const [at, { exitCode, stderr }] of (await runMany(lines)).entries()) {
      const line = lines[at]!.join(' ')
      expect([line, exitCode]).toEqual([line, 1])
      expect(stderr, line).not.toMatch(/^\s+at /m)
      expect(stderr, line).toContain('is a pipe or a device')
    }
  })
})

/** Runs a command line of a shell, in which `entia` is the program. */
async function shell(line: string): Promise<{ readonly status: number; readonly stderr: string }> {
  const child = spawn(
    'bash',
    ['-c', `set -o pipefail; entia() { "${process.execPath}" "${bin}" "$@"; }; ${line}`],
    { cwd: fixtures, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const [status] = await once(child, 'close')
  return { status, stderr }
}

describe('a reader that has gone ends quietly', () => {
  test.each([
    'query hr.mjs Employee --top 1000',
    'export hr.mjs Employee',
    'explain hr.mjs Employee -f "ID > 1" --all',
    'infer office',
    'openapi hr.mjs',
    'verify hr.mjs',
    'mcp hr.mjs',
    '--help',
    '--version',
    'serve --help',
  ])('entia %s', async (line) => {
    expect(await shell(`entia ${line} 2>&1 < /dev/null | true`)).toEqual({ status: 0, stderr: '' })
  })

  test('with many rows: entia query … | head -1', async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => `{"id":${id},"name":"row ${id}"}\n`)
    await writeFile(join(folder, 'many.ndjson'), rows.join(''))
    const { status, stderr } = await shell(
      `entia query ${join(folder, 'many.ndjson')} many --top 20000 | head -1`,
    )
    expect([status, stderr]).toEqual([0, ''])
  })

  test('closed inputs and outputs are no failure', async () => {
    expect(await shell('entia query hr.mjs Employee <&- >&-')).toEqual({ status: 0, stderr: '' })
    expect(await shell('entia query hr.mjs Employee 2>&-')).toEqual({ status: 0, stderr: '' })
    expect((await shell('entia mcp hr.mjs <&-')).status).toBe(0)
  })

  test('a full disk is a sentence', async () => {
    const { status, stderr } = await shell('entia query hr.mjs Employee > /dev/full')
    expect([status, stderr]).toEqual([1, expect.stringContaining('the disk is full (ENOSPC).')])
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

describe('entia export -o', () => {
  test('writes what entia import reads, also with tabs and without a newline at its end', async () => {
    const out = join(folder, 'People.tsv')
    const rows = join(folder, 'rows.ndjson')
    await writeFile(rows, '\uFEFF{"ID":1,"name":"Ann\\tLee"}\n{"ID":2,"name":"\\"Bo\\""}')
    const run = async (...line: readonly string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await runEntia(line)
      expect([exitCode, stderr]).toEqual([0, expect.any(String)])
      return stdout
    }
    await run('export', rows, 'rows', '-o', out)
    expect(await readFile(out, 'utf8')).toContain('"Ann\tLee"')
    expect(JSON.parse(await run('query', out, 'People', '-n', '1'))).toMatchObject({
      name: 'Ann\tLee',
    })
  })

  test.each(['x.txt', 'x.xlsx', 'x.parquet'])('refuses %s, and makes no folder', async (name) => {
    const { exitCode, stderr } = await runEntia(['export', 'hr.mjs', 'Employee', '-o', name])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('cannot write')])
  })
})
