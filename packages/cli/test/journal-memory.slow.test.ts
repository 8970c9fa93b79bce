import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('./fixtures/opens-a-journal.mjs', import.meta.url))
const JOURNAL_BYTES = 200_000_000
/** Of V8's heap. Array buffers do not count. */
const HEAP_MEBIBYTES = 64
/** Of everything, with the 60 MiB that Node and the sources take. */
const RESIDENT_MEBIBYTES = 200

const run = async (...parameters: readonly string[]): Promise<Record<string, number>> => {
  const { stdout } = await promisify(execFile)(process.execPath, [...parameters])
  return JSON.parse(stdout) as Record<string, number>
}

test('opening a journal takes the memory of its store, not that of its commits', {
  timeout: 300_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-'))
  try {
    await run(program, folder, String(JOURNAL_BYTES))
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
    )
    expect(Math.max(...sizes)).toBeGreaterThan(JOURNAL_BYTES)
    const { commits, newest, mebibytes } = await run(
      `--max-old-space-size=${HEAP_MEBIBYTES}`,
      program,
      folder,
    )
    expect([commits, newest]).toEqual([JOURNAL_BYTES / 20_000, 9])
    expect(mebibytes).toBeLessThan(RESIDENT_MEBIBYTES)
  } finally {
    await rm(folder, { recursive: true })
  }
})
