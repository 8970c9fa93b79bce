// Writes and reads a dump and a journal: @entia/core/node.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { dumpToFile, openDumpFile, openJournal } from '@entia/core/node'

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string(),
})
const open = () => createDataStore({ name: 'notes', dataClasses: [Note] })
const folder = mkdtempSync(join(tmpdir(), 'entia-files-'))
try {
  const store = open()
  const journal = await openJournal(store, join(folder, 'journal'))
  store.Note.insert({ text: 'kept' })
  await journal.close()
  await dumpToFile(store, join(folder, 'notes.entia'))
  const dumped = await openDumpFile(join(folder, 'notes.entia'), { dataClasses: [Note] })
  assert.equal(dumped.Note.query('text = :1', ['kept']).count, 1)
  const again = open()
  await (await openJournal(again, join(folder, 'journal'))).close()
  assert.equal(again.Note.get(1)?.text, 'kept')
  console.log('read again')
} finally {
  rmSync(folder, { recursive: true })
}
