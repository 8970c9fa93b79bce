import { beforeEach, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { openJournal } from '../../src/persistence/node/journal.ts'
import { byHand, newLeague, portsOver, textOf } from './league.ts'
import { MemoryFiles } from './memory-files.ts'

let files: MemoryFiles
beforeEach(() => {
  files = new MemoryFiles()
})

test('after close, flush and compact reject, and the store continues in memory', async () => {
  const store = newLeague()
  const journal = await openJournal(store, 'data', byHand, portsOver(files))
  store.Team.insert({ code: 'A' })
  const closing = journal.close()
  store.Team.insert({ code: 'B' })
  for (const moment of ['while it closes', 'afterwards']) {
    for (const call of [() => journal.flush(), () => journal.compact()]) {
      const error = await call().catch((thrown: unknown) => thrown)
      expect([moment, isEntiaError(error, 'journalFailed') && error.message]).toEqual([
        moment,
        'The journal cannot be written to data: the journal was closed. What is committed since is kept in memory only; close it after everything that writes has stopped.',
      ])
    }
    await closing
  }
  await journal.close()
  expect(store.Team.count).toBe(2)
  const again = newLeague()
  await openJournal(again, 'data', byHand, portsOver(files, 2))
  expect(again.Team.all().select('code')).toEqual([{ code: 'A' }])
})

test('calls made before close are completed', async () => {
  const store = newLeague()
  const journal = await openJournal(store, 'data', byHand, portsOver(files))
  store.Team.insert({ code: 'A' })
  const asked = [journal.flush(), journal.compact(), journal.flush()]
  await Promise.all([...asked, journal.close()])
  const again = newLeague()
  await openJournal(again, 'data', byHand, portsOver(files, 2))
  expect(textOf(again)).toBe(textOf(store))
})

test('a failed journal is closed without a closing note', async () => {
  const store = newLeague()
  const journal = await openJournal(store, 'data', byHand, portsOver(files))
  store.Team.insert({ code: 'A' })
  files.beforeStep = (kind) => {
    if (kind === 'sync') throw new Error('no')
  }
  await expect(journal.flush()).rejects.toMatchObject({ code: 'journalFailed' })
  files.beforeStep = null
  await journal.close()
  expect(files.paths).toEqual(['data/0.dump', 'data/0.journal'])
})

test('close succeeds if the closing note cannot be written', async () => {
  const journal = await openJournal(newLeague(), 'data', byHand, portsOver(files))
  files.beforeStep = (_, path) => {
    if (path.includes('closed')) throw new Error('no')
  }
  await journal.close()
  expect(files.paths).toEqual(['data/0.dump', 'data/0.journal'])
})

test('the commits are on the disk before the closing note: a power loss after close loses nothing', async () => {
  for (const chance of [0, 0.3, 0.6, 0.99]) {
    files = new MemoryFiles()
    const store = newLeague()
    const journal = await openJournal(store, 'data', byHand, portsOver(files))
    store.Team.insert({ code: 'A' })
    await journal.close()
    const found = newLeague()
    await openJournal(
      found,
      'data',
      byHand,
      portsOver(
        files.afterPowerLoss(() => chance),
        2,
      ),
    )
    expect(textOf(found)).toBe(textOf(store))
  }
})

test('an outdated closing note does not refuse a journal that was continued', async () => {
  const open = async (process: number) => {
    const store = newLeague()
    return { store, journal: await openJournal(store, 'data', byHand, portsOver(files, process)) }
  }
  await (await open(1)).journal.close()
  const note = await files.readFile('data/closed')
  const { store, journal } = await open(2)
  store.Team.insert({ code: 'A' })
  await journal.flush()
  for (const isCompacted of [false, true]) {
    if (isCompacted) await journal.compact()
    const died = files.copy()
    died.set('data/closed', note)
    const found = newLeague()
    await openJournal(found, 'data', byHand, portsOver(died, 3))
    expect(textOf(found)).toBe(textOf(store))
  }
})

test('commits made while a journal opens are kept', async () => {
  for (let step = 0; step < 12; step++) {
    files = new MemoryFiles()
    const first = await openJournal(newLeague(), 'data', byHand, portsOver(files))
    await first.close()
    const store = newLeague()
    let left = step
    const reached = new Promise<boolean>((resolve) => {
      files.beforeStep = () => {
        if (left-- !== 0) return
        store.Team.insert({ code: 'meanwhile' })
        resolve(true)
      }
    })
    const journal = await openJournal(store, 'data', byHand, portsOver(files, 2))
    store.Team.insert({ code: 'after' })
    files.beforeStep = null
    await journal.close()
    const again = newLeague()
    await openJournal(again, 'data', byHand, portsOver(files, 3))
    expect(textOf(again)).toBe(textOf(store))
    if (left < 0) await reached
  }
})

test('a program that fills its store at every start does not start a generation each time', async () => {
  const start = async (process: number): Promise<readonly string[]> => {
    const store = newLeague()
    for (const code of ['A', 'B', 'C']) store.Team.insert({ code })
    const journal = await openJournal(store, 'data', byHand, portsOver(files, process))
    store.Player.insert({ name: 'one more' })
    await journal.close()
    return files.paths.filter((path) => path.endsWith('dump'))
  }
  expect(await start(1)).toEqual(['data/3.dump'])
  expect(await start(2)).toEqual(['data/3.dump'])
  expect(await start(3)).toEqual(['data/3.dump'])
})

test('after a journal replaced the data, older selections throw, even at the same global stamp', async () => {
  const kept = newLeague()
  kept.Team.insert({ code: 'kept' })
  await (await openJournal(kept, 'data', byHand, portsOver(files))).close()
  const store = newLeague()
  store.Team.insert({ code: 'own' })
  const before = store.Team.query('code = own')
  await openJournal(store, 'data', byHand, portsOver(files, 2))
  expect(() => before.toArray()).toThrow('history')
  expect(store.globalStamp).toBe(2)
})
