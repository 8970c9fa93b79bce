import { type JournalContent, JournalReader } from '../../src/persistence/journal/read-journal.ts'

/** A journal file with the payloads of its commits. */
export interface WholeJournal extends JournalContent {
  readonly payloads: readonly Uint8Array[]
}

/** Reads a journal file in blocks of given lengths, the last of which is repeated. */
export function readJournal(bytes: Uint8Array, ...lengths: readonly number[]): WholeJournal | null {
  const reader = new JournalReader()
  const payloads: Uint8Array[] = []
  for (let at = 0, block = 0; at < bytes.length; block++) {
    const length = lengths[block] ?? lengths.at(-1) ?? bytes.length
    payloads.push(...reader.read(bytes.slice(at, at + length)).map((payload) => payload.slice()))
    at += length
  }
  const content = reader.finish()
  return content === null ? null : { ...content, payloads }
}
