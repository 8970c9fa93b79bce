import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'

const program = new URL('./fixtures/journal-in-a-worker.mjs', import.meta.url)
const TRIALS = runs(15, 6).numRuns

interface Message {
  readonly opened?: number
  readonly flushed?: number
  readonly refused?: string
}

/** A worker on a folder, with its first message. */
async function start(folder: string): Promise<[Worker, Message]> {
  const worker = new Worker(program, { workerData: folder, execArgv: [] })
  return [worker, (await once(worker, 'message'))[0] as Message]
}

// Other systems do not tell which files a process has open: see `hasOpen`.
test.runIf(process.platform === 'linux')(
  'a terminated worker leaves its folder to the process, with everything that it flushed',
  { timeout: 120_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'entia-'))
    try {
      let flushed = 0
      for (let trial = 0; trial < TRIALS; trial++) {
        const [worker, first] = await start(folder)
        expect(first).toEqual({ opened: expect.any(Number) })
        expect(first.opened).toBeGreaterThanOrEqual(flushed)
        worker.on('message', (message: Message) => {
          flushed = message.flushed ?? flushed
        })
        await after(trial * 7)
        // A busy machine may not have let any of them write yet.
        if (trial === TRIALS - 1) await expect.poll(() => flushed).toBeGreaterThan(0)
        // A living worker keeps it, also from the other threads of its process.
        const [other, refusal] = await start(folder)
        expect(refusal).toEqual({ refused: 'folderInUse' })
        await other.terminate()
        await worker.terminate()
      }
      expect(flushed).toBeGreaterThan(0)
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)
