import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'

/** Number of processes that start at once. */
const PROCESSES = 4
const TRIALS = Number(process.env.ENTIA_KILLS ?? runs(25, 8).numRuns)
const program = fileURLToPath(new URL('./fixtures/takes-a-folder.mjs', import.meta.url))

type Child = ChildProcessByStdio<Writable, Readable, null>

async function start(folder: string): Promise<Child> {
  const child = spawn(process.execPath, [program, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdout.setEncoding('utf8')
  await once(child.stdout, 'data')
  return child
}

async function open(child: Child): Promise<string> {
  child.stdin.write('open\n')
  return String((await once(child.stdout, 'data'))[0]).trim()
}

test('if several processes start on the folder of a killed one, exactly one gets it', {
  timeout: 60_000 + TRIALS * 5000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-'))
  const data = join(folder, 'data')
  const running = await Promise.all(Array.from({ length: PROCESSES }, () => start(data)))
  try {
    for (let trial = 1; trial <= TRIALS; trial++) {
      const outcomes = await Promise.all(running.map(open))
      const winner = outcomes.indexOf(`taken ${trial}`)
      expect([...outcomes].sort()).toEqual([
        ...Array<string>(PROCESSES - 1).fill('folderInUse'),
        `taken ${trial}`,
      ])
      expect((await readdir(data)).filter((name) => name.startsWith('lock'))).toEqual(['lock'])
      running[winner]!.kill('SIGKILL')
      await once(running[winner]!, 'exit')
      running[winner] = await start(data)
    }
  } finally {
    for (const child of running) child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
})
