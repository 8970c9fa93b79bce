import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { openJournal } from '../../src/persistence/node/journal.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'

const Note = defineDataClass('Note', { ID: attribute.long({ key: true, autoSequence: true }) })

test('the state of a journal has its folder, what waits, and the last dump', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'journal-state-'))
  const store = createDataStore({ name: 'notes', dataClasses: [Note] })
  const state = () => persistenceOf(store).journalState?.() ?? null
  expect(state()).toBeNull()
  const journal = await openJournal(store, folder, { flushMilliseconds: null })
  const dump = store.globalStamp
  expect(state()).toMatchObject({ folder, waitingCommits: 0, dumpStamp: dump, hasFailed: false })
  store.Note.insert({})
  store.Note.insert({})
  expect(state()).toMatchObject({ waitingCommits: 2, writtenStamp: null })
  await journal.flush()
  expect(state()).toMatchObject({ waitingCommits: 0, writtenStamp: store.globalStamp })
  const { journalBytes } = state()!
  expect(journalBytes).toBeGreaterThan(0)
  await journal.compact()
  expect(state()).toMatchObject({ dumpStamp: store.globalStamp, isCompacting: false })
  expect(state()!.journalBytes).toBeLessThan(journalBytes)
  await journal.close()
  expect(state()).toBeNull()
  rmSync(folder, { recursive: true })
})
