import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OpenFile } from '../../src/persistence/journal/journal-files.ts'
import type { FileSystem } from '../../src/persistence/node/file-system.ts'
import { openJournal } from '../../src/persistence/node/journal.ts'
import { fraction } from '../fraction.ts'
import { patience, runs } from '../runs.ts'
import { byHand, newLeague, portsOver, textOf } from './league.ts'
import { MemoryFiles } from './memory-files.ts'

/** Files whose every call that writes waits for `turn` first, which may fail it. */
function filesInTurns(files: MemoryFiles, turn: (what: string) => Promise<void>): FileSystem {
  const fileOf = (file: OpenFile, path: string): OpenFile => ({
    write: async (bytes, offset, length, position) => {
      await turn(`write ${path}`)
      return file.write(bytes, offset, length, position)
    },
    truncate: async (length) => {
      await turn(`truncate ${path}`)
      return file.truncate(length)
    },
    sync: async () => {
      await turn(`sync ${path}`)
      return file.sync()
    },
    close: () => file.close(),
  })
  return {
    open: async (path, flags) => {
      await turn(`open ${path}`)
      return fileOf(await files.open(path, flags), path)
    },
    readFile: (path) => files.readFile(path),
    readPieces: (path, read) => files.readPieces(path, read),
    readBlocks: (path) => files.readBlocks(path),
    createFile: (path, text) => files.createFile(path, text),
    readdir: (path) => files.readdir(path),
    mkdir: () => files.mkdir(),
    rename: async (from, to) => {
      await turn(`rename ${to}`)
      return files.rename(from, to)
    },
    link: (from, to) => files.link(from, to),
    unlink: (path) => files.unlink(path),
    // The journal asks whether its folder is still the locked one before and after each write.
    identityOf: async (path) => {
      await turn(`identify ${path}`)
      return files.identityOf(path)
    },
  }
}

const noSpace = (): Error => Object.assign(new Error('no space left'), { code: 'ENOSPC' })

/**
 * A journal with calls that wait until the test lets them go on: the first whose name begins so.
 */
async function gatedJournal() {
  const files = new MemoryFiles()
  const store = newLeague()
  const waiting = new Map<string, { reached: () => void; goOn: Promise<void> }>()
  const gated = filesInTurns(files, async (what) => {
    for (const [name, { reached, goOn }] of waiting) {
      if (!what.startsWith(name)) continue
      waiting.delete(name)
      reached()
      await goOn
    }
  })
  const journal = await openJournal(store, 'data', byHand, { ...portsOver(files), files: gated })
  /** Resolves when such a call is made, with what lets it go on, or fails it. */
  const gate = (name: string): Promise<{ open: () => void; fail: () => void }> =>
    new Promise((resolve) => {
      let open = (): void => {}
      let fail = (): void => {}
      const goOn = new Promise<void>((resolve, reject) => {
        open = resolve
        fail = () => reject(noSpace())
      })
      waiting.set(name, { reached: () => resolve({ open, fail }), goOn })
    })
  const found = async (): Promise<number> => {
    const again = newLeague()
    const ports = portsOver(
      files.afterPowerLoss(() => 0.5),
      2,
    )
    await (await openJournal(again, 'data', byHand, ports)).close()
    return again.globalStamp
  }
  return { store, journal, gate, found }
}

test('a commit made during a write and before a compaction is in the journal before the compaction', async () => {
  const { store, journal, gate, found } = await gatedJournal()
  store.Team.insert({ code: 'A' })
  const syncing = gate('sync data/0.journal')
  const first = journal.flush()
  const sync = await syncing
  store.Team.insert({ code: 'B' })
  const dumping = gate('open data/2.dump')
  const compacting = journal.compact()
  const second = journal.flush()
  sync.open()
  await first
  await second
  expect(await found()).toBe(2)
  const dump = await dumping
  expect(await found()).toBe(2)
  dump.open()
  await compacting
  await journal.close()
})

test('a flush that waits for a failing one rejects too', async () => {
  const { store, journal, gate, found } = await gatedJournal()
  store.Team.insert({ code: 'A' })
  const writing = gate('write data/0.journal')
  const first = journal.flush()
  const write = await writing
  store.Team.insert({ code: 'B' })
  const second = journal.flush()
  write.fail()
  await expect(first).rejects.toMatchObject({ code: 'journalFailed' })
  await expect(second).rejects.toMatchObject({ code: 'journalFailed' })
  expect(await found()).toBe(0)
  await journal.compact()
  expect(await found()).toBe(2)
  await journal.close()
})

test('a journal that fails while its dump is written stays failed, and the compaction rejects', async () => {
  const { store, journal, gate, found } = await gatedJournal()
  store.Team.insert({ code: 'A' })
  const dumping = gate('open data/1.dump')
  const compacting = journal.compact()
  const dump = await dumping
  store.Team.insert({ code: 'B' })
  const writing = gate('write data/1.journal')
  const flushing = journal.flush()
  ;(await writing).fail()
  await expect(flushing).rejects.toMatchObject({ code: 'journalFailed' })
  dump.open()
  await expect(compacting).rejects.toMatchObject({ code: 'journalFailed' })
  await expect(journal.flush()).rejects.toMatchObject({ code: 'journalFailed' })
  await journal.compact()
  store.Team.insert({ code: 'C' })
  await journal.flush()
  expect(await found()).toBe(3)
  await journal.close()
})

const act = fc.constantFrom('write', 'write', 'flush', 'compact')
const client = fc.array(act, { minLength: 1, maxLength: 6 })

test(
  'with concurrent commits, flushes, compactions and closes, and failing calls, every flushed commit survives a power loss at any time',
  patience,
  async () => {
    let promises = 0
    let failures = 0
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(client, { minLength: 1, maxLength: 3 }),
        fc.option(fc.tuple(fc.nat(40), fc.nat(3)), { nil: null }),
        fc.boolean(),
        fc.infiniteStream(fraction),
        async (s, clients, failing, isClosed, stream) => {
          const files = new MemoryFiles()
          let isBegun = false
          let begun = 0
          let calls = 0
          // A disk that is full for a while: from a call on, for some calls.
          const fails = (call: number): boolean => {
            if (!isBegun) begun = call + 1
            else if (failing !== null)
              return call >= begun + failing[0] && call <= begun + failing[0] + failing[1]
            return false
          }
          const store = newLeague()
          const opening = openJournal(store, 'data', byHand, {
            ...portsOver(files),
            files: filesInTurns(files, async (what) => {
              const call = calls++
              await s.schedule(Promise.resolve(), `${call} ${what}`)
              if (fails(call)) throw noSpace()
            }),
          })
          await s.waitFor(opening)
          const journal = await opening
          isBegun = true
          const states = new Map([[store.globalStamp, textOf(store)]])
          let promised = store.globalStamp
          let isClosing = false
          let hasFailed = false
          /** The state found after a loss of power now. */
          const mustBeFound = async (): Promise<void> => {
            const found = newLeague()
            const again = await openJournal(
              found,
              'data',
              byHand,
              portsOver(
                files.afterPowerLoss(() => stream.next().value),
                2,
              ),
            )
            await again.close()
            found.verify()
            expect(found.globalStamp).toBeGreaterThanOrEqual(promised)
            expect(textOf(found)).toBe(states.get(found.globalStamp))
          }
          const promise = async (kept: Promise<void>, stamp: number): Promise<void> => {
            try {
              await kept
              promises++
              promised = Math.max(promised, stamp)
            } catch (error) {
              failures++
              hasFailed = true
              expect(error).toMatchObject({ code: 'journalFailed' })
            }
          }
          const run = async (acts: readonly string[]): Promise<void> => {
            for (const one of acts) {
              await s.schedule(Promise.resolve(), one)
              const stamp = store.globalStamp
              if (one === 'flush') await promise(journal.flush(), stamp)
              else if (one === 'compact') {
                if (isClosing) continue
                await promise(
                  journal.compact().catch((error: unknown) => {
                    // A compaction that fails at the dump tells what the system said.
                    throw Object.assign(error as Error, { code: 'journalFailed' })
                  }),
                  stamp,
                )
              } else {
                store.Player.insert({ name: `n${stamp}` })
                states.set(store.globalStamp, textOf(store))
              }
            }
          }
          const all = clients.map(run)
          if (isClosed)
            all.push(
              s.schedule(Promise.resolve(), 'close').then(async () => {
                isClosing = true
                const stamp = store.globalStamp
                const closed = journal.close()
                // After a failure, which flush has reported, close only unlocks the folder.
                await promise(
                  closed.then(() => {
                    if (hasFailed)
                      throw Object.assign(new Error('reported before'), { code: 'journalFailed' })
                  }),
                  stamp,
                )
              }),
            )
          const done = Promise.all(all)
          while (s.count() > 0) {
            await s.waitOne()
            await settled()
            if (stream.next().value < 0.5) await mustBeFound()
          }
          await s.waitFor(done)
          await done
          await mustBeFound()
        },
      ),
      runs(40, 40),
    )
    expect(promises).toBeGreaterThan(10)
    expect(failures).toBeGreaterThan(2)
  },
)

/** Lets everything run that waits for no call. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}
