import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dumpToFile } from '@entia/core/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENDINGS, READINGS, UNREADABLE, WRITINGS } from './command-lines.ts'
import createPeople from './fixtures/make-people.mjs'
import { runEntia } from './run-entia.ts'

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url))
const MODULE = `export { default } from ${JSON.stringify(new URL('./fixtures/make-people.mjs', import.meta.url))}\n`
const CONTENT = new Map([
  ['json', '{"People":[{"ID":2,"name":"Bo"}]}'],
  ['ndjson', '{"ID":2,"name":"Bo"}\n'],
  ['csv', 'ID,name\n2,Bo\n'],
  ['mjs', MODULE],
])

let folder: string
let dump: Buffer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'entia-misuse-'))
  const path = join(folder, 'People.entia')
  await dumpToFile(createPeople() as never, path)
  dump = await readFile(path)
  open(folder)
})
afterAll(() => rm(folder, { recursive: true }))

/** Lets other users write into a folder. */
const open = (path: string): void => chmodSync(path, 0o777)

/** A file that other users may replace. */
function put(path: string, content: string | Buffer): void {
  writeFileSync(path, content)
  chmodSync(path, 0o666)
}

/** Puts something of a kind at a path. */
type Make = (path: string, content: string | Buffer) => void
const KINDS: { readonly [kind: string]: Make } = {
  good: put,
  'a file with a byte order mark': (path, content) =>
    put(path, Buffer.concat([Buffer.from('\uFEFF'), Buffer.from(content)])),
  missing: () => {},
  'a folder': (path) => {
    mkdirSync(path)
    open(path)
  },
  empty: (path) => put(path, ''),
  binary: (path) => put(path, Buffer.from([0xff, 0xfe, 0, 1, 0x80, 0x0a, 0xc3, 0x28])),
  'a circle of links': (path) => symlinkSync(path, path),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  [UNREADABLE]: (path, content) => writeFileSync(path, content, { mode: 0 }),
}

/**
 * A user who is not root, for whom a file can be unreadable. Empty where that user cannot reach
 * the checkout, as in a private folder.
 */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const canReach = spawnSync(process.execPath, ['many-commands.mjs'], {
  cwd: fixtures,
  input: '[]',
  ...unprivileged,
})
const user = canReach.status === 0 ? unprivileged : {}
/** True for root, who reads and writes every file. */
const mayAll = process.getuid?.() === 0 && Object.keys(user).length === 0

interface Ended {
  readonly exitCode: number
  readonly stderr: string
}

/**
 * Runs command lines in one process and a folder with a module and rows, as a user who is not root
 * where that is possible.
 */
async function runMany(lines: readonly (readonly string[])[]): Promise<readonly Ended[]> {
  const child = spawn(process.execPath, [join(fixtures, 'many-commands.mjs')], {
    cwd: newFolder(),
    ...user,
  })
  let text = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece))
  child.stderr.setEncoding('utf8').on('data', (piece) => (errors += piece))
  child.stdin.end(JSON.stringify(lines))
  const [status] = await once(child, 'close')
  expect([status, errors]).toEqual([0, ''])
  return JSON.parse(text)
}

function newFolder(): string {
  const place = mkdtempSync(join(folder, 'in-'))
  open(place)
  writeFileSync(join(place, 'model.mjs'), MODULE)
  writeFileSync(join(place, 'rows.csv'), CONTENT.get('csv')!)
  return place
}

interface Case {
  readonly line: readonly string[]
  readonly status: number
}

/** Runs each case, and checks its status and that a failure is explained without a stack. */
async function check(cases: readonly Case[]): Promise<readonly Ended[]> {
  const ended = await runMany(cases.map(({ line }) => line))
  const shown = (statuses: readonly number[]): readonly string[] =>
    cases.map(({ line }, at) => `${statuses[at]}: ${line.join(' ')}\n${ended[at]?.stderr}`)
  expect(shown(ended.map(({ exitCode }) => exitCode))).toEqual(
    shown(cases.map(({ status }) => status)),
  )
  for (const [at, { exitCode, stderr }] of ended.entries()) {
    const line = cases[at]!.line.join(' ')
    expect(stderr, line).not.toMatch(/^\s+at /m)
    expect(stderr, line).not.toMatch(/E[A-Z]{4,}: /)
    if (exitCode !== 0) expect(stderr, line).toMatch(/\w+ \w+/)
  }
  return ended
}

describe('every command with a source that is', () => {
  for (const [kind, make] of Object.entries(KINDS))
    test.skipIf(kind === UNREADABLE && mayAll)(kind, async () => {
      const place = newFolder()
      for (const ending of ENDINGS)
        make(join(place, `People.${ending}`), CONTENT.get(ending) ?? dump)
      await check(
        READINGS.flatMap(({ line, takes }) =>
          ENDINGS.map((ending) => {
            const words = line(join(place, `People.${ending}`))
            return {
              line: words,
              status: takes.includes(ending) ? statusOf(kind, ending, words) : 1,
            }
          }),
        ),
      )
    })

  test('a device', async () => {
    const devices = ['/dev/stdin', '/dev/null']
    const ended = await check(
      READINGS.flatMap(({ line }) => devices.map((path) => ({ line: line(path), status: 1 }))),
    )
    for (const { stderr } of ended) expect(stderr).toContain('is a pipe or a device')
  })
})

/** The exit code of a command that takes sources with the ending. */
function statusOf(kind: string, ending: string, [command, module]: readonly string[]): number {
  // A dump is not text. A file of lines may have none when it is imported.
  if (kind === 'a file with a byte order mark') return ending === 'entia' ? 1 : 0
  if (kind === 'empty' && command === 'import' && module === 'model.mjs')
    return ending === 'json' ? 1 : 0
  return kind === 'good' ? 0 : 1
}

describe('every command that writes to a place that is', () => {
  for (const [kind, make] of Object.entries(KINDS).filter(
    ([kind]) => kind !== 'good' && kind !== 'a pipe',
  ))
    test.skipIf(kind === UNREADABLE && mayAll)(kind, async () => {
      await check(
        WRITINGS.map(({ line, place, takes }) => {
          const path = join(newFolder(), place)
          make(path, 'x')
          return { line: [...line, path], status: takes.includes(kind) ? 0 : 1 }
        }),
      )
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
