import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDumpFile } from '@entia/core/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dataClasses } from './fixtures/dumps-in-a-loop.mjs'

/** Number of kills; `npm run test:kills` sets a larger one. */
const KILLS = Number(process.env.ENTIA_KILLS ?? 5)
const program = fileURLToPath(new URL('./fixtures/dumps-in-a-loop.mjs', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entia-'))
})
afterEach(() => rm(folder, { recursive: true }))

/**
 * Runs the program and kills it after its first dump. Resolves to the last global stamp that it
 * reported as saved.
 */
async function runAndKill(path: string): Promise<number> {
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // A random moment; the test does not depend on it.
    if (printed === '') setTimeout(() => child.kill('SIGKILL'), Math.random() * 150)
    printed += text
  })
  const signal = await new Promise((resolve) => child.once('close', (_, signal) => resolve(signal)))
  expect(signal).toBe('SIGKILL')
  return Math.max(...printed.split('\n').slice(0, -1).map(Number))
}

test('a program that is killed during a dump leaves a valid file, at least as new as the last completed dump', {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  const path = join(folder, 'diary.entia')
  let last = 0
  let inside = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const kept = await runAndKill(path)
    expect(kept).toBeGreaterThan(last)
    if (existsSync(`${path}.new`)) inside++
    for (const name of [path, `${path}.previous`]) {
      if (name !== path && !existsSync(name)) continue
      const store = await openDumpFile(name, { dataClasses })
      store.verify()
      // Each commit inserts 500 entries, so a partial commit would show here.
      expect(store.Entry.count % 500).toBe(0)
      if (name === path) last = store.globalStamp
    }
    expect(last).toBeGreaterThanOrEqual(kept)
  }
  if (KILLS >= 50) expect(inside).toBeGreaterThan(KILLS / 10)
  if (KILLS >= 50)
    console.log(`killed ${KILLS} times, ${inside} of them during a dump; global stamp ${last}`)
})
