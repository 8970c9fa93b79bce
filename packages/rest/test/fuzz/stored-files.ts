import { openDump } from '@entia/core'
import { writeAll } from '../../../core/src/persistence/journal/journal-files.ts'
import { encodeFrame, seedOf } from '../../../core/src/persistence/journal/journal-frame.ts'
import { openJournal } from '../../../core/src/persistence/node/journal.ts'
import { checksum } from '../../../core/src/store/dump/line-writer.ts'
import { byHand, leagueClasses, newLeague, portsOver } from '../../../core/test/node/league.ts'
import { MemoryFiles } from '../../../core/test/node/memory-files.ts'
import { readJournal } from '../../../core/test/node/whole-journal.ts'
import type { Chance } from './chance.ts'

/**
 * Dumps and journals as mutable texts: one character is one byte. A text that starts with `sealed`
 * gets valid checksums, because a wrong checksum hides the code behind it.
 */
const SEALED = 'sealed\n'
const PART = '\u0001'

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'))

function filled() {
  const store = newLeague()
  store.Team.insert({ code: 'A', motto: 'first' })
  store.Player.load([
    { name: 'Ada', team: 'A', born: '1815-12-10' },
    { name: 'Ünal', notes: { deep: [1, null] } },
  ])
  store.Player.update(1, { name: 'Ada L.' })
  store.Player.remove(2)
  return store
}

const DUMP = latin(filled().dump())
const EMPTY_DUMP = newLeague().dump()

export const dumpSentence = (chance: Chance): string => (chance.holds(0.8) ? SEALED + DUMP : DUMP)

/** An opened dump must be a consistent store. */
export function readDumpBytes(text: string): void {
  openDump(
    text.startsWith(SEALED) ? sealedDump(text.slice(SEALED.length)) : bytesOf(text),
    leagueClasses,
  ).verify()
}

function sealedDump(text: string): Uint8Array {
  const end = text.lastIndexOf('\n', text.length - 2) + 1
  const content = text.slice(0, end)
  return bytesOf(`${content}{"checksum":"${checksum(bytesOf(content))}"}\n`)
}

/** The header and the commits of such a store's journal, as parts. */
const PARTS = await partsOfJournal()

async function partsOfJournal(): Promise<readonly string[]> {
  const files = new MemoryFiles()
  const store = newLeague()
  const journal = await openJournal(store, 'j', byHand, portsOver(files))
  store.Team.insert({ code: 'A', motto: 'first' })
  store.Player.load([{ name: 'Ada', team: 'A' }, { name: 'Bo' }])
  store.Player.update(1, { notes: { a: 1 } })
  store.Player.remove(2)
  await journal.close()
  const bytes = await files.readFile('j/0.journal')
  const heading = latin(bytes).split('\n')[1] ?? ''
  const content = readJournal(bytes)
  return [`${heading}\n`, ...(content?.payloads ?? []).map(latin)]
}

export const journalSentence = (chance: Chance): string =>
  chance.holds(0.8) ? SEALED + PARTS.join(PART) : latin(sealedJournal(PARTS.join(PART)))

/** An opened journal must be a consistent store. */
export async function readJournalBytes(text: string): Promise<void> {
  const journalBytes = text.startsWith(SEALED)
    ? sealedJournal(text.slice(SEALED.length))
    : bytesOf(text)
  const files = new MemoryFiles()
  for (const [name, bytes] of [
    ['j/0.dump', EMPTY_DUMP],
    ['j/0.journal', journalBytes],
  ] as const) {
    const file = await files.open(name, 'w')
    await writeAll(file, bytes, 0)
    await file.close()
  }
  const store = newLeague()
  const journal = await openJournal(store, 'j', byHand, portsOver(files))
  store.verify()
  await journal.close()
}

function sealedJournal(text: string): Uint8Array {
  const [heading = new Uint8Array(0), ...commits] = text.split(PART).map(bytesOf)
  const seed = seedOf(0, heading)
  const frames = [encodeFrame('', 0, 'journal', 0, heading)]
  let at = frames[0]?.length ?? 0
  for (const [index, payload] of commits.entries()) {
    const frame = encodeFrame(seed, at, 'commit', index + 1, payload)
    frames.push(frame)
    at += frame.length
  }
  return Uint8Array.from(Buffer.concat(frames))
}
