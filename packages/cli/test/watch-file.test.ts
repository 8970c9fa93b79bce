import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { watchFile } from '../src/watch-file.ts'

test('a change while the file is read is reported when that read has ended, and once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'entia-watch-'))
  const path = join(folder, 'people.csv')
  writeFileSync(path, 'first')
  const ends: (() => void)[] = []
  const stop = watchFile(path, false, () => new Promise((end) => ends.push(end)))
  try {
    writeFileSync(path, 'large')
    await expect.poll(() => ends.length, { timeout: 10_000 }).toBe(1)
    for (const text of ['small', 'last']) {
      writeFileSync(path, text)
      await new Promise((wait) => setTimeout(wait, 250))
    }
    expect(ends).toHaveLength(1)
    ends[0]!()
    await expect.poll(() => ends.length, { timeout: 10_000 }).toBe(2)
    ends[1]!()
    await new Promise((wait) => setTimeout(wait, 250))
    expect(ends).toHaveLength(2)
  } finally {
    stop()
    rmSync(folder, { recursive: true })
  }
})
