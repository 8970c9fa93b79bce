import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Journal } from '../../src/persistence/journal/store-journal.ts'
import { openJournal } from '../../src/persistence/node/journal.ts'
import { createMedia } from '../../src/value/types.ts'
import { byHand, type League, newLeague, portsOver, textOf } from './league.ts'
import { MemoryFiles } from './memory-files.ts'

const fill = (store: League): void => {
  store.Team.insert({ code: 'A', motto: 'first' })
  store.Player.load([
    {
      name: 'Ada',
      team: 'A',
      born: '1815-12-10',
      photo: createMedia('image/png', Uint8Array.of(0, 10, 255)),
    },
    { name: 'Ünal "x"\n', notes: { deep: [1, null, { a: '\u2028' }] } },
  ])
  store.Player.update(1, { name: 'Ada L.' })
}

describe('on the disk', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'entia-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  test.each([
    ['removed', (path: string) => rm(path, { recursive: true })],
    ['renamed', (path: string) => rename(path, `${path}-moved`)],
    [
      'replaced by an empty one',
      async (path: string) => {
        await rename(path, `${path}-moved`)
        await mkdir(path)
      },
    ],
    ['without its lock', (path: string) => rm(join(path, 'lock'))],
  ])('a folder that is %s while open fails the next flush, compact and close', async (_, harm) => {
    for (const call of ['flush', 'compact', 'close'] as const) {
      const path = join(folder, call)
      const store = newLeague()
      const journal = await openJournal(store, path, byHand)
      fill(store)
      await journal.flush()
      await harm(path)
      store.Team.insert({ code: 'B' })
      await expect(journal[call]()).rejects.toMatchObject({
        code: 'journalFailed',
        details: { file: path },
      })
      if (call !== 'close') await journal.close()
    }
  })

  test('the first journal of a folder neither writes over the second, which came after its lock was removed, nor unlocks it', async () => {
    const first = newLeague()
    const old = await openJournal(first, folder, byHand)
    fill(first)
    await old.flush()
    await rm(join(folder, 'lock'))
    const second = newLeague()
    const journal = await openJournal(second, folder, byHand)
    second.Team.insert({ code: 'B' })
    await journal.flush()
    first.Team.insert({ code: 'C' })
    await expect(old.flush()).rejects.toMatchObject({ code: 'journalFailed' })
    await old.close()
    await expect(openJournal(newLeague(), folder)).rejects.toMatchObject({ code: 'folderInUse' })
    await journal.close()
    const again = newLeague()
    await (await openJournal(again, folder, byHand)).close()
    expect(textOf(again)).toBe(textOf(second))
  })

  test('a store is restored with its stamps, record numbers and sequences, and can be changed further', async () => {
    const store = newLeague()
    const journal = await openJournal(store, folder, byHand)
    fill(store)
    store.Player.remove(2)
    await journal.close()
    store.Team.insert({ code: 'B', motto: 'not kept' })

    const again = newLeague()
    await using second = await openJournal(again, folder, byHand)
    expect(second.recovered).toEqual({ commits: 4, droppedBytes: 0 })
    expect(again.globalStamp).toBe(4)
    expect(again.Player.insert({ name: 'Cy' }).ID).toBe(3)
    expect(again.Player.get(1)?.photo?.bytes()).toEqual(Uint8Array.of(0, 10, 255))
    again.verify()
  })

  test('the data of the folder replaces that of the store, and older selections throw', async () => {
    const kept = newLeague()
    fill(kept)
    await (await openJournal(kept, folder, byHand)).close()

    const store = newLeague()
    store.Player.load([{ name: 'of the program' }, { name: 'and more' }, { name: 'of it' }])
    const before = store.Player.query('name = "of*"')
    await using _ = await openJournal(store, folder, byHand)
    expect(store.Player.all().select('name')).toEqual(kept.Player.all().select('name'))
    expect(store.Player.query('name = "Ada*"').count).toBe(1)
    expect(store.Player.query('name = "of*"').count).toBe(0)
    expect(() => before.toArray()).toThrow('history')
    store.verify()
  })

  test('indexes that the program created or dropped stay as they are', async () => {
    const kept = newLeague()
    const first = await openJournal(kept, folder, byHand)
    fill(kept)
    await first.close()
    const store = newLeague()
    store.Player.createIndex('born')
    store.Player.dropIndex('name')
    await using _ = await openJournal(store, folder, byHand)
    const accessOf = (filter: string) => JSON.stringify(store.Player.query(filter).explain().root)
    expect(accessOf('born < "1900-01-01"')).toContain('"Player.born"')
    expect(accessOf('name = "Ada L."')).not.toContain('"Player.name"')
    store.verify()
  })

  test('compact starts a new generation and keeps the one before', async () => {
    const store = newLeague()
    const journal = await openJournal(store, folder, byHand)
    for (const code of ['A', 'B', 'C']) {
      store.Team.insert({ code, motto: code })
      await journal.compact()
    }
    await journal.compact()
    store.Team.insert({ code: 'D' })
    await journal.close()
    expect((await readdir(folder)).sort()).toEqual([
      '2.dump',
      '2.journal',
      '3.dump',
      '3.journal',
      'closed',
    ])
    const again = newLeague()
    await using second = await openJournal(again, folder, byHand)
    expect(second.recovered.commits).toBe(1)
    expect(textOf(again)).toBe(textOf(store))
  })

  test('a folder has one journal at a time, and a store too', async () => {
    const store = newLeague()
    await using _ = await openJournal(store, folder, byHand)
    await expect(openJournal(newLeague(), folder, byHand)).rejects.toThrow(
      'by another journal of this process',
    )
    await expect(openJournal(store, `${folder}/other`, byHand)).rejects.toThrow(
      'one without a journal',
    )
  })

  test('of two journals opened for one store at once one is refused; after a close another can be opened', async () => {
    const store = newLeague()
    const both = await Promise.allSettled(
      ['a', 'b'].map((name) => openJournal(store, join(folder, name), byHand)),
    )
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect((both[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'argumentInvalid' })
    await (both[0] as PromiseFulfilledResult<Journal>).value.close()
    await (await openJournal(store, join(folder, 'b'), byHand)).close()
    expect(await readdir(folder)).toEqual(['a', 'b'])
  })

  test('a folder that could not be opened leaves the store without a journal', async () => {
    const store = newLeague()
    await writeFile(join(folder, 'file'), '')
    await expect(openJournal(store, join(folder, 'file', 'below'), byHand)).rejects.toMatchObject({
      code: 'ENOTDIR',
    })
    await (await openJournal(store, join(folder, 'data'), byHand)).close()
  })

  test('the lock of a dead process is ignored', async () => {
    await writeFile(join(folder, 'lock'), '999999999 5\n')
    await using _ = await openJournal(newLeague(), folder, byHand)
    expect(await readFile(join(folder, 'lock'), 'utf8')).toContain(String(process.pid))
  })

  test('commits are written in the background after the configured time', async () => {
    const store = newLeague()
    const journal = await openJournal(store, folder, { flushMilliseconds: 1, compactAboveBytes: 0 })
    fill(store)
    for (let i = 0; i < 50; i++) store.Player.update(1, { name: `Ada ${i}` })
    // Begun fresh by itself, since the journal is longer than its dump.
    while (!(await readdir(folder)).includes('53.dump'))
      await new Promise((resolve) => setTimeout(resolve, 5))
    await journal.close()
  })

  test('options are checked', async () => {
    const wrong = { flushMilliseconds: -1 }
    await expect(openJournal(newLeague(), folder, wrong)).rejects.toThrow('flushMilliseconds')
    await expect(openJournal(newLeague(), folder, { flush: 1 } as never)).rejects.toThrow('"flush"')
    await expect(openJournal({} as never, folder)).rejects.toThrow('createDataStore')
  })
})

test('a failed write is reported, later flushes reject, and compact repairs the journal', async () => {
  for (let at = 0; at < 6; at++) {
    const files = new MemoryFiles()
    const errors: unknown[] = []
    const store = newLeague()
    const journal = await openJournal(
      store,
      'data',
      { ...byHand, onError: (error) => errors.push(error) },
      portsOver(files),
    )
    store.Team.insert({ code: 'A' })
    let left = at
    files.beforeStep = () => {
      if (left-- <= 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    }
    const isKept = await journal.flush().then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'journalFailed' })
        return false
      },
    )
    store.Team.insert({ code: 'B' })
    if (!isKept) await expect(journal.flush()).rejects.toThrow('no space left')
    if (!isKept) await expect(journal.compact()).rejects.toThrow('no space left')
    files.beforeStep = null
    if (!isKept) await expect(journal.flush()).rejects.toThrow('no space left')
    await journal.compact()
    store.Team.insert({ code: 'C' })
    await journal.close()
    const again = newLeague()
    await (await openJournal(again, 'data', byHand, portsOver(files, 2))).close()
    expect(textOf(again)).toBe(textOf(store))
  }
})
