import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FileSystem } from '../../src/persistence/node/file-system.ts'
import { type LockingProcess, lockFolder } from '../../src/persistence/node/folder-lock.ts'
import { nodePorts } from '../../src/persistence/node/journal.ts'
import { patience, runs } from '../runs.ts'
import { unique } from './league.ts'
import { MemoryFiles } from './memory-files.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
/** Processes by number that live; each number may come again with another birth. */
type Living = Map<number, string>

const processOf = (living: Living, pid: number, pause: () => Promise<void>): LockingProcess => ({
  pid,
  startedAt: pid,
  isAlive: (one) => living.has(one),
  birthOf: (one) => living.get(one) ?? null,
  hasOpen: () => null,
  unique,
  pause,
})

/** Files whose every call waits for `turn`, which never lets a dead process go on. */
function slowFiles(files: MemoryFiles, turn: () => Promise<void>): FileSystem {
  const after =
    <A extends readonly unknown[], R>(call: (...parameters: A) => Promise<R>) =>
    async (...parameters: A): Promise<R> => {
      await turn()
      return call(...parameters)
    }
  return {
    open: after((path, flags) => files.open(path, flags)),
    readFile: after((path) => files.readFile(path)),
    readPieces: async (path, read) => {
      await turn()
      return files.readPieces(path, read)
    },
    readBlocks: (path) => files.readBlocks(path),
    createFile: after((path, text) => files.createFile(path, text)),
    readdir: after((path) => files.readdir(path)),
    mkdir: after(() => files.mkdir()),
    rename: after((from, to) => files.rename(from, to)),
    link: after((from, to) => files.link(from, to)),
    unlink: after((path) => files.unlink(path)),
    identityOf: after((path) => files.identityOf(path)),
  }
}

const STALE = ['', '77 5 -\n', '77 5 old\n', '2 2 an earlier process\n', 'nonsense\n']

test(
  'of concurrent processes exactly one locks a folder, whatever files were left there and whichever process dies',
  patience,
  async () => {
    let refusals = 0
    let deaths = 0
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.constantFrom(...STALE),
        fc.array(fc.option(fc.nat(25), { nil: null }), { minLength: 2, maxLength: 5 }),
        fc.boolean(),
        async (s, stale, lifetimes, isReleased) => {
          const files = new MemoryFiles()
          if (stale !== '') files.set('data/lock', bytesOf(stale))
          const living: Living = new Map(lifetimes.map((_, i) => [i + 1, `b.${i + 1}`]))
          const holders = new Set<number>()
          let won = 0
          const contend = async (lifetime: number | null, at: number): Promise<void> => {
            const pid = at + 1
            let left = lifetime ?? Number.POSITIVE_INFINITY
            const turn = async (): Promise<void> => {
              await s.schedule(Promise.resolve(), `process ${pid}`)
              if (left-- > 0) return
              living.delete(pid)
              holders.delete(pid)
              throw new Error('dead')
            }
            try {
              const { unlock } = await lockFolder(
                slowFiles(files, turn),
                'data',
                processOf(living, pid, turn),
              )
              expect([...holders]).toEqual([])
              holders.add(pid)
              won++
              for (let i = 0; i < 4; i++) await turn()
              if (!isReleased) return
              holders.delete(pid)
              await unlock()
            } catch (error) {
              if (!living.has(pid)) deaths++
              else {
                expect(error).toMatchObject({ code: 'folderInUse' })
                refusals++
              }
            }
          }
          const all = Promise.all(lifetimes.map(contend))
          await s.waitFor(all)
          await all
          if (!lifetimes.some((lifetime) => lifetime !== null)) expect(won).toBeGreaterThan(0)
          if (!isReleased && lifetimes.every((lifetime) => lifetime === null)) expect(won).toBe(1)
          // What the dead left does not keep the next one out.
          living.set(99, 'b.99')
          const next = lockFolder(
            files,
            'data',
            processOf(living, 99, async () => undefined),
          )
          if (holders.size > 0) await expect(next).rejects.toMatchObject({ code: 'folderInUse' })
          else {
            await (await next).unlock()
            expect(files.paths).toEqual([])
          }
        },
      ),
      runs(300, 300),
    )
    expect(refusals).toBeGreaterThan(20)
    expect(deaths).toBeGreaterThan(20)
  },
)

test('the lock of a dead process is taken over even if its number was reused, if the system can distinguish the two', async () => {
  const files = new MemoryFiles()
  files.set('data/lock', bytesOf('5 1 b.4\n'))
  const self = processOf(
    new Map([
      [1, 'b.1'],
      [5, 'b.9'],
    ]),
    1,
    async () => undefined,
  )
  await (await lockFolder(files, 'data', self)).unlock()
  files.set('data/lock', bytesOf('5 1 b.9\n'))
  await expect(lockFolder(files, 'data', self)).rejects.toMatchObject({ code: 'folderInUse' })
  // A lock of before this was noted.
  files.set('data/lock', bytesOf('5 1\n'))
  await expect(lockFolder(files, 'data', self)).rejects.toMatchObject({ code: 'folderInUse' })
})

test('the ports of this machine report the own process as alive and others as dead', () => {
  const { pid, isAlive, birthOf } = nodePorts.process
  expect(isAlive(pid)).toBe(true)
  expect(birthOf(pid)).toBe(birthOf(pid))
  if (process.platform === 'linux') expect(birthOf(pid)).toMatch(/^[0-9a-f-]{36}\.[0-9]+$/)
  expect([isAlive(2 ** 30), birthOf(2 ** 30)]).toEqual([false, null])
})
