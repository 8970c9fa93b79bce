import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { dumpToFile, openDumpFile } from '../../src/persistence/node/file-system.ts'
import { openDump } from '../../src/store/create-store.ts'
import { leagueClasses, newLeague } from './league.ts'
import { MemoryFiles } from './memory-files.ts'

describe('on the disk', () => {
  let folder: string
  let path: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'entia-'))
    path = join(folder, 'league.entia')
  })
  afterEach(() => rm(folder, { recursive: true }))

  test('a dump file opens as an equal store, and the file before is kept', async () => {
    const store = newLeague()
    await dumpToFile(store, path)
    store.Team.insert({ code: 'A', motto: 'first' })
    await dumpToFile(store, path)
    const opened = await openDumpFile(path, leagueClasses)
    expect(opened.dump()).toEqual(store.dump())
    expect((await openDumpFile(`${path}.previous`, leagueClasses)).globalStamp).toBe(0)
  })

  test('numbers of many rows, null and the extremes among them, are read as they were written', async () => {
    const Row = defineDataClass('Row', {
      ID: attribute.long({ key: true }),
      whole: attribute.long({ unique: true }),
      wide: attribute.long64({ indexed: true }),
      part: attribute.number(),
      seen: attribute.date(),
      day: attribute.date({ dateOnly: true }),
      next: attribute.relatedEntity('Row'),
    })
    const classes = { name: 'rows', dataClasses: [Row] }
    const store = createDataStore(classes)
    store.Row.load(
      Array.from({ length: 200 }, (_, ID) => ({
        ID: ID - 100,
        whole: ID % 3 === 0 ? null : ID === 1 ? -(2 ** 31) : ID,
        wide: ID % 5 === 0 ? null : 2 ** 53 - 1 - ID,
        part: ID % 7 === 0 ? null : ID / 3,
        seen: ID % 2 === 0 ? null : new Date(ID * 86_400_001),
        day: ID % 4 === 0 ? null : new Date(-ID * 86_400_000),
        next: ID % 6 === 0 ? null : -ID % 100,
      })),
    )
    store.Row.query('ID = 7 or ID = -3').remove()
    await dumpToFile(store, path)
    const opened = await openDumpFile(path, classes)
    expect(opened.dump()).toEqual(store.dump())
    for (const filter of ['whole = null', `whole = ${-(2 ** 31)}`, 'wide > 10', 'next.part = null'])
      expect(opened.Row.query(filter).keys(), filter).toEqual(store.Row.query(filter).keys())
  })

  test('a dump file that is cut off anywhere is refused with its name', async () => {
    const store = newLeague()
    store.Team.insert({ code: 'A' })
    const bytes = store.dump()
    for (let length = 0; length < bytes.length; length++) {
      await writeFile(path, bytes.subarray(0, length))
      await expect(openDumpFile(path, leagueClasses)).rejects.toThrow(
        `The dump cannot be opened: in ${path}: `,
      )
    }
  })

  test('the next dump overwrites a half-written file of a killed program', async () => {
    await writeFile(`${path}.new`, 'x'.repeat(10_000))
    const store = newLeague()
    await dumpToFile(store, path)
    expect(await readdir(folder)).toEqual(['league.entia'])
    expect(await readFile(path)).toEqual(Buffer.from(store.dump()))
  })

  test('each of several concurrent calls resolves when its state or a later one is in the file', async () => {
    const store = newLeague()
    const calls: Promise<number>[] = []
    for (let i = 1; i <= 20; i++) {
      store.Team.insert({ code: `T${i}` })
      calls.push(
        dumpToFile(store, path).then(
          async () => (await openDumpFile(path, leagueClasses)).globalStamp,
        ),
      )
    }
    for (const [i, stamp] of (await Promise.all(calls)).entries()) expect(stamp).toBeGreaterThan(i)
    expect((await openDumpFile(path, leagueClasses)).dump()).toEqual(store.dump())
    expect((await readdir(folder)).sort()).toEqual(['league.entia', 'league.entia.previous'])
  })
})

describe('concurrent calls for one file', () => {
  const stampOf = async (files: MemoryFiles): Promise<number> =>
    openDump(await files.readFile('/d/file'), leagueClasses).globalStamp

  test('write twice: the first, and the latest for all others', async () => {
    const files = new MemoryFiles()
    const opened: string[] = []
    files.beforeStep = (kind, path) => {
      if (kind === 'open') opened.push(path)
    }
    const store = newLeague()
    const calls: Promise<void>[] = []
    for (let i = 0; i < 5; i++) {
      store.Team.insert({ code: `T${i}` })
      calls.push(dumpToFile(store, i % 2 === 0 ? '/d/file' : '/d/../d/file', files))
    }
    await calls[0]
    expect(await stampOf(files)).toBe(1)
    await Promise.all(calls)
    expect([await stampOf(files), opened.length]).toEqual([5, 2])
    await dumpToFile(store, '/d/file', files)
    expect(opened.length).toBe(3)
  })

  test('a failed write does not stop the next one', async () => {
    const files = new MemoryFiles()
    let left = 1
    files.beforeStep = () => {
      if (left-- > 0) throw new Error('no')
    }
    const store = newLeague()
    const first = dumpToFile(store, '/d/file', files)
    store.Team.insert({ code: 'A' })
    const second = dumpToFile(store, '/d/file', files)
    await expect(first).rejects.toThrow('no')
    await second
    expect(await stampOf(files)).toBe(1)
  })

  test('do not delay writes to other files', async () => {
    const files = new MemoryFiles()
    const store = newLeague()
    await Promise.all([dumpToFile(store, '/d/a', files), dumpToFile(store, '/d/b', files)])
    expect(files.paths).toEqual(['/d/a', '/d/b'])
  })
})
