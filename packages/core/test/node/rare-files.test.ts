import fs, { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { goBackRemedy, withRemedy } from '../../src/persistence/journal/journal-errors.ts'
import { folderOf, removeFile, syncFolder } from '../../src/persistence/journal/journal-files.ts'
import {
  encodeFrame,
  JOURNAL_FORMAT,
  JOURNAL_VERSION,
  seedOf,
} from '../../src/persistence/journal/journal-frame.ts'
import { dumpToFile, nodeFiles, openDumpFile } from '../../src/persistence/node/file-system.ts'
import { lockFolder } from '../../src/persistence/node/folder-lock.ts'
import { openJournal } from '../../src/persistence/node/journal.ts'
import { refusalOf } from '../filter/refusal.ts'
import { byHand, leagueClasses, newLeague, portsOver, textOf } from './league.ts'
import { MemoryFiles } from './memory-files.ts'
import { readJournal } from './whole-journal.ts'

// Systems that answer otherwise than one expects, and files that nobody wrote that way.

const failure = (code: string): Error => Object.assign(new Error(`${code}: refused`), { code })

describe('the files of this machine', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'entia-unusual-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  test('without links, a lock is still created and the old dump is kept as a copy', async () => {
    const link = vi.spyOn(fs, 'link').mockRejectedValue(failure('EPERM'))
    syncBuiltinESMExports()
    try {
      const path = join(folder, 'lock')
      await nodeFiles.createFile(path, '7')
      expect(await readFile(path, 'utf8')).toBe('7')
      await expect(nodeFiles.createFile(path, '8')).rejects.toMatchObject({ code: 'EEXIST' })
      expect(await readFile(path, 'utf8')).toBe('7')
      await nodeFiles.link(path, join(folder, 'copy'))
      await writeFile(path, 'changed')
      expect(await readFile(join(folder, 'copy'), 'utf8')).toBe('7')
      expect((await readdir(folder)).sort()).toEqual(['copy', 'lock'])
    } finally {
      link.mockRestore()
      syncBuiltinESMExports()
    }
  })

  test('a link never replaces an existing file, and fails for a missing one', async () => {
    await writeFile(join(folder, 'a'), 'a')
    await writeFile(join(folder, 'b'), 'b')
    await expect(nodeFiles.link(join(folder, 'a'), join(folder, 'b'))).rejects.toMatchObject({
      code: 'EEXIST',
    })
    await expect(nodeFiles.link(join(folder, 'none'), join(folder, 'c'))).rejects.toMatchObject({
      code: 'ENOENT',
    })
    expect(await readFile(join(folder, 'b'), 'utf8')).toBe('b')
    expect((await readdir(folder)).sort()).toEqual(['a', 'b'])
  })

  test('errors about the options are passed on unchanged if the dump is valid', async () => {
    const path = join(folder, 'dump')
    await dumpToFile(newLeague(), path)
    const error: unknown = await openDumpFile(path, {
      ...leagueClasses,
      history: -1,
    } as never).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'argumentInvalid' })
    expect(String(error)).not.toContain(path)
  })
})

test('errors without a code are passed on; a folder that cannot be opened for a sync is skipped', async () => {
  const files = new MemoryFiles()
  files.unlink = () => Promise.reject('gone wrong')
  await expect(removeFile(files, 'x')).rejects.toBe('gone wrong')
  files.open = () => Promise.reject(failure('EISDIR'))
  await syncFolder(files, 'data')
  files.open = () => Promise.reject(failure('EIO'))
  await expect(syncFolder(files, 'data')).rejects.toMatchObject({ code: 'EIO' })
})

test.each([
  ['file', '.'],
  ['/file', '/'],
  ['a/b/file', 'a/b'],
  ['c:\\data\\file', 'c:\\data'],
])('the folder of %s is %s', (path, folder) => {
  expect(folderOf(path)).toBe(folder)
})

test('a lock that disappears before it is read is taken; one that cannot be read is not', async () => {
  const files = new MemoryFiles()
  const self = portsOver(files).process
  files.set('data/lock', new TextEncoder().encode('2 5\n'))
  const readOf = files.readFile.bind(files)
  files.readFile = async (path) => {
    await files.unlink(path)
    return readOf(path)
  }
  const { unlock } = await lockFolder(files, 'data', self)
  expect(new TextDecoder().decode(await readOf('data/lock'))).toMatch(/^1 1 - [0-9]+\n$/)
  files.readFile = () => Promise.reject(failure('EIO'))
  await expect(lockFolder(files, 'data', self)).rejects.toMatchObject({ code: 'EIO' })
  await unlock()
})

test('the error for a folder in use names the process and what to do if it does not exist', async () => {
  const files = new MemoryFiles()
  files.set('data/lock', new TextEncoder().encode('77 5\n'))
  await expect(openJournal(newLeague(), 'data', byHand, portsOver(files))).rejects.toThrow(
    'by process 77. Stop that one, or remove data/lock if there is no such process.',
  )
})

test('a closing note that cannot be read is not treated as missing', async () => {
  const files = new MemoryFiles()
  await (await openJournal(newLeague(), 'data', byHand, portsOver(files))).close()
  const readOf = files.readFile.bind(files)
  files.readFile = async (path) => {
    if (path.endsWith('/closed')) throw failure('EIO')
    return readOf(path)
  }
  await expect(openJournal(newLeague(), 'data', byHand, portsOver(files))).rejects.toMatchObject({
    code: 'EIO',
  })
})

test('onError has to be a function', async () => {
  const wrong = { onError: 'log' } as never
  await expect(
    openJournal(newLeague(), 'data', wrong, portsOver(new MemoryFiles())),
  ).rejects.toThrow('onError')
})

test('only damaged files get a remedy; without an older dump it is a backup', () => {
  const other = new RangeError('other')
  expect(() =>
    withRemedy(
      () => {
        throw other
      },
      () => 'Try.',
    ),
  ).toThrow(other)
  const names = {
    dumpPath: (one: number) => `${one}.dump`,
    journalPath: (one: number) => `${one}.journal`,
  }
  expect(goBackRemedy(names, 5, [5, 9])).toContain('from a backup')
  expect(goBackRemedy(names, 5, [9, 5, 3])).toContain('remove 5.dump, 5.journal')
  expect(goBackRemedy(names, 5, [9, 5, 3])).toContain('from 3.dump')
})

describe('a journal file with valid checksums', () => {
  const heading = new TextEncoder().encode(
    `${JSON.stringify({ format: JOURNAL_FORMAT, version: JOURNAL_VERSION })}\n`,
  )
  const seed = seedOf(4, heading)
  const frames = (...more: (readonly ['journal' | 'commit' | 'synced', number])[]): Uint8Array => {
    let bytes = encodeFrame('', 0, 'journal', 4, heading)
    for (const [kind, number] of more) {
      const frame = encodeFrame(seed, bytes.length, kind, number, new Uint8Array([123, 125]))
      bytes = Uint8Array.from([...bytes, ...frame])
    }
    return bytes
  }

  test('is read to its end', () => {
    const bytes = frames(['commit', 5], ['commit', 6])
    expect(readJournal(bytes)).toMatchObject({ base: 4, commits: 2, end: bytes.length })
  })
  test('is refused if a commit is missing, repeated or after a second heading', () => {
    expect(refusalOf(() => readJournal(frames(['commit', 5], ['commit', 7]))).message).toContain(
      '5 is followed by 7',
    )
    expect(refusalOf(() => readJournal(frames(['commit', 5], ['commit', 5]))).message).toContain(
      '5 is followed by 5',
    )
    expect(refusalOf(() => readJournal(frames(['commit', 5], ['journal', 5]))).code).toBe(
      'dumpInvalid',
    )
  })
  test('is refused if its heading is damaged and a commit follows, even an incomplete one', () => {
    const whole = frames(['commit', 5])
    const begun = frames().length
    whole[2] ^= 1
    expect(readJournal(whole.subarray(0, begun))).toBeNull()
    for (let end = begun + 1; end <= whole.length; end++)
      expect(refusalOf(() => readJournal(whole.subarray(0, end))).code).toBe('dumpInvalid')
  })
})

describe('a journal that writes in the background', () => {
  /** `tick` lets the time go by that was waited for. */
  async function ticking(compactAboveBytes: number | null) {
    const files = new MemoryFiles()
    const store = newLeague()
    const errors: unknown[] = []
    let due: (() => void) | null = null
    const journal = await openJournal(
      store,
      'data',
      { flushMilliseconds: 5, compactAboveBytes, onError: (error) => errors.push(error) },
      {
        ...portsOver(files),
        journalFileBytes: 2 ** 30,
        later: (_, callback) => {
          due = callback
          return () => undefined
        },
      },
    )
    const tick = async (): Promise<void> => {
      due?.()
      due = null
      await new Promise((resolve) => setTimeout(resolve, 0))
      for (let i = 0; i < 200; i++) await undefined
    }
    return { files, store, errors, journal, tick }
  }

  test('reports its first failure once, whatever was thrown, and no failure that follows from it', async () => {
    const { files, store, errors, journal, tick } = await ticking(null)
    files.beforeStep = (kind) => {
      if (kind === 'write') throw 'no room'
    }
    for (const code of ['A', 'B', 'C']) {
      store.Team.insert({ code })
      await tick()
    }
    expect(errors).toHaveLength(1)
    expect(String(errors[0])).toContain('no room.')
    files.beforeStep = null
    await journal.compact()
    await journal.close()
  })

  test('compacts when it exceeds its limit and its dump, and never if the option is null', async () => {
    for (const [limit, isAnew] of [
      [null, false],
      [1_000_000, false],
      [0, true],
    ] as const) {
      const { files, store, journal, tick } = await ticking(limit)
      for (let i = 0; i < 60; i++) {
        store.Team.insert({ code: `team ${i}` })
        await tick()
      }
      expect(
        (await files.readdir('data')).filter((name) => name.endsWith('.dump')).length > 1,
      ).toBe(isAnew)
      await journal.close()
      const again = newLeague()
      await (await openJournal(again, 'data', byHand, portsOver(files, 2))).close()
      expect(textOf(again)).toBe(textOf(store))
    }
  })

  test('writes long data in several pieces', async () => {
    const { files, store, journal } = await ticking(null)
    const sizes: number[] = []
    const openOf = files.open.bind(files)
    files.open = async (path, flags) => {
      const file = await openOf(path, flags)
      return {
        ...file,
        write: (bytes, offset, length, position) => {
          sizes.push(bytes.length)
          return file.write(bytes, offset, length, position)
        },
      }
    }
    await journal.compact()
    store.Team.insert({ code: 'before' })
    await journal.compact()
    for (let i = 0; i < 3; i++) store.Player.insert({ notes: { text: 'x'.repeat(700_000) } })
    await journal.flush()
    expect(Math.max(...sizes)).toBeGreaterThan(1_048_576)
    expect(Math.max(...sizes)).toBeLessThan(2_000_000)
    await journal.close()
    const again = newLeague()
    await (await openJournal(again, 'data', byHand, portsOver(files, 2))).close()
    expect(textOf(again)).toBe(textOf(store))
  })
})
