import { describe, expect, test } from 'vitest'
import type { Journal } from '../../src/persistence/journal/store-journal.ts'
import { dumpToFile } from '../../src/persistence/node/file-system.ts'
import { openJournal } from '../../src/persistence/node/journal.ts'
import { openDump } from '../../src/store/create-store.ts'
import { byHand, leagueClasses, newLeague, portsOver, textOf } from './league.ts'
import { MemoryFiles, type StepKind } from './memory-files.ts'

// Every way in which a system refuses, at every step of every operation.

const CODES = ['ENOSPC', 'EIO', 'EMFILE', 'EACCES'] as const

/**
 * Runs `attempt` once for each of its steps and each code, with that step failing; `check` sees
 * what it came to.
 */
async function failingAtEveryStep(
  prepare: () => Promise<{
    readonly files: MemoryFiles
    readonly attempt: () => Promise<unknown>
    readonly check: (error: unknown, code: string, kind: StepKind, path: string) => Promise<void>
  }>,
): Promise<ReadonlyMap<string, number>> {
  const failed = new Map<string, number>()
  for (const code of CODES) {
    for (let at = 0; ; at++) {
      const { files, attempt, check } = await prepare()
      let left = at
      let met: { readonly kind: StepKind; readonly path: string } | null = null
      files.beforeStep = (kind, path) => {
        if (left-- !== 0) return
        met = { kind, path }
        failed.set(kind, (failed.get(kind) ?? 0) + 1)
        throw Object.assign(new Error(`${code}: refused`), { code })
      }
      const error = await attempt().then(
        () => null,
        (thrown: unknown) => thrown,
      )
      files.beforeStep = null
      if (met === null) break
      const { kind, path } = met as { kind: StepKind; path: string }
      await check(error, code, kind, path)
    }
  }
  return failed
}

/** What systems without synced folders answer: nothing failed. */
const isPassedOver = (code: string, kind: StepKind): boolean =>
  code === 'EACCES' && kind === 'syncFolder'

describe('dumpToFile', () => {
  test('that fails rejects with the error of the system, and the file has its old or its new content', async () => {
    const failed = await failingAtEveryStep(async () => {
      const files = new MemoryFiles()
      const store = newLeague()
      await dumpToFile(store, '/d/file', files)
      store.Team.insert({ code: 'A' })
      await dumpToFile(store, '/d/file', files)
      store.Team.insert({ code: 'B' })
      const stampOf = async (path: string) =>
        openDump(await files.readFile(path), leagueClasses).globalStamp
      return {
        files,
        attempt: () => dumpToFile(store, '/d/file', files),
        check: async (error, code, kind) => {
          if (isPassedOver(code, kind)) expect(error).toBeNull()
          else expect(error).toMatchObject({ code })
          expect(await stampOf('/d/file')).toBe(kind === 'syncFolder' ? 2 : 1)
          expect(files.paths).not.toContain(
            kind === 'rename' || kind === 'link' || kind === 'unlink' ? '' : '/d/file.new',
          )
          await dumpToFile(store, '/d/file', files)
          expect(await stampOf('/d/file')).toBe(2)
        },
      }
    })
    expect([...failed.keys()].sort()).toEqual([
      'link',
      'open',
      'rename',
      'sync',
      'syncFolder',
      'unlink',
      'write',
    ])
  })
})

describe('a journal', () => {
  test('that cannot be opened rejects with the error of the system, unlocks the folder and leaves its files intact', async () => {
    for (const isEmpty of [true, false]) {
      const failed = await failingAtEveryStep(async () => {
        const files = new MemoryFiles()
        const kept = newLeague()
        if (!isEmpty) {
          const first = await openJournal(kept, 'data', byHand, portsOver(files))
          kept.Team.insert({ code: 'A' })
          await first.close()
        }
        const store = newLeague()
        let opened: Journal | null = null
        return {
          files,
          attempt: async () => {
            opened = await openJournal(store, 'data', byHand, portsOver(files, 2))
          },
          check: async (error, code, kind) => {
            if (isPassedOver(code, kind)) expect(error).toBeNull()
            else expect(error).toMatchObject({ code })
            await opened?.close()
            const again = newLeague()
            await (await openJournal(again, 'data', byHand, portsOver(files, 2))).close()
            expect(textOf(again)).toBe(textOf(kept))
            // The store that failed may be kept elsewhere.
            await (await openJournal(store, 'other', byHand, portsOver(files, 2))).close()
          },
        }
      })
      expect(failed.get('sync')).toBeGreaterThan(0)
    }
  })

  test('that cannot be closed rejects, unless every commit is on the disk', async () => {
    const failed = await failingAtEveryStep(async () => {
      const files = new MemoryFiles()
      const store = newLeague()
      const journal = await openJournal(store, 'data', byHand, portsOver(files))
      store.Team.insert({ code: 'A' })
      await journal.flush()
      const states = [textOf(store)]
      store.Team.insert({ code: 'B' })
      states.push(textOf(store))
      return {
        files,
        attempt: () => journal.close(),
        check: async (error) => {
          await expect(journal.flush()).rejects.toMatchObject({ code: 'journalFailed' })
          const again = newLeague()
          // A lock that could not be removed is one until the program ends.
          await (await openJournal(again, 'data', byHand, portsOver(files, 2))).close()
          if (error === null) expect(textOf(again)).toBe(states[1])
          else expect(states).toContain(textOf(again))
        },
      }
    })
    expect([...failed.keys()].sort()).toEqual([
      'open',
      'rename',
      'sync',
      'syncFolder',
      'unlink',
      'write',
    ])
  })

  test('that cannot be written rejects every flush until compact repairs it', async () => {
    const failed = await failingAtEveryStep(async () => {
      const files = new MemoryFiles()
      const store = newLeague()
      const journal = await openJournal(store, 'data', byHand, portsOver(files))
      store.Team.insert({ code: 'A' })
      await journal.flush()
      store.Team.insert({ code: 'B' })
      return {
        files,
        attempt: async () => {
          await journal.flush()
          await journal.compact()
        },
        check: async (error, code) => {
          if (error !== null) {
            expect(error).toMatchObject({ code: 'journalFailed' })
            expect(error).toMatchObject({ cause: { code } })
            // A dump that failed loses nothing: the journals before it keep every commit.
            const { isKept } = (error as { details: { isKept?: boolean } }).details
            if (isKept === true) await journal.flush()
            else await expect(journal.flush()).rejects.toBe(error)
          }
          store.Team.insert({ code: 'C' })
          await journal.compact()
          await journal.flush()
          await journal.close()
          const again = newLeague()
          await (await openJournal(again, 'data', byHand, portsOver(files, 2))).close()
          expect(textOf(again)).toBe(textOf(store))
        },
      }
    })
    expect([...failed.keys()].sort()).toEqual(['open', 'rename', 'sync', 'syncFolder', 'write'])
  })

  test('does not repeat a failed sync: the file is not trusted after it', async () => {
    const files = new MemoryFiles()
    const store = newLeague()
    const journal = await openJournal(store, 'data', byHand, portsOver(files))
    const asked: string[] = []
    let isFailing = true
    files.beforeStep = (kind, path) => {
      if (kind !== 'sync') return
      asked.push(path)
      if (isFailing) throw Object.assign(new Error('EIO'), { code: 'EIO' })
    }
    store.Team.insert({ code: 'A' })
    await expect(journal.flush()).rejects.toMatchObject({ code: 'journalFailed' })
    isFailing = false
    store.Team.insert({ code: 'B' })
    for (let i = 0; i < 3; i++)
      await expect(journal.flush()).rejects.toMatchObject({ code: 'journalFailed' })
    expect(asked).toEqual(['data/0.journal'])
    await journal.compact()
    await journal.flush()
    await journal.close()
    expect(asked.filter((path) => path === 'data/0.journal')).toHaveLength(1)
    const again = newLeague()
    await openJournal(again, 'data', byHand, portsOver(files, 2))
    expect(textOf(again)).toBe(textOf(store))
  })

  test('whose new file cannot be synced does not continue in that file', async () => {
    const files = new MemoryFiles()
    const store = newLeague()
    store.Team.insert({ code: 'A' })
    const journal = await openJournal(store, 'data', byHand, portsOver(files))
    store.Team.insert({ code: 'B' })
    const steps: string[] = []
    let failures = 1
    files.beforeStep = (kind, path) => {
      if (!path.startsWith('data/2.journal')) return
      steps.push(kind)
      if (kind === 'sync' && failures-- > 0) throw Object.assign(new Error('EIO'), { code: 'EIO' })
    }
    await expect(journal.compact()).rejects.toMatchObject({ code: 'journalFailed' })
    await journal.compact()
    // Written fresh from its first byte before it is synced again.
    const [first, ...more] = steps.join(' ').split(' sync')
    expect(first).toMatch(/^open( write)+$/)
    expect(more[0]).toMatch(/^ unlink open( write)+$/)
    await journal.close()
  })
})
