import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = new URL('./small-heap-program.ts', import.meta.url).pathname
const loader = new URL('../../../../scripts/typescript-processes.mjs', import.meta.url).href

const COUNT = 300_000
/** Megabytes: the heap of the program and its store, and half as much; as many as in the files. */
const HEAP = 55

async function run(command: string, path: string, heap: number): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    `--max-old-space-size=${heap}`,
    '--conditions=entia-source',
    '--import',
    loader,
    program,
    command,
    path,
    String(COUNT),
  ])
  return stdout
}

test('a journal and a dump are opened with little more memory than their store takes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-heap-'))
  try {
    await run('write', folder, 2000)
    for (const file of ['rows.dump', 'journal/0.journal'])
      expect((await stat(join(folder, file))).size).toBeGreaterThan(30_000_000)
    for (const command of ['openDump', 'openJournal'])
      expect(await run(command, folder, HEAP)).toBe(`${COUNT}\n`)
  } finally {
    await rm(folder, { recursive: true })
  }
}, 300_000)
