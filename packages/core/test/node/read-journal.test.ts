import { expect, test } from 'vitest'
import { encodeFrame } from '../../src/journal/journal-frame.ts'
import { readJournal } from '../../src/journal/read-journal.ts'
import { refusalOf } from '../filter/refusal.ts'

test.each([
  '',
  'null',
  '7',
  '"entia journal"',
  '[',
  '{"format":"entia journal"',
  '{}',
  '{"format":"entia journal"}',
])('a file whose heading is %j is refused, even with a valid checksum', (heading) => {
  const bytes = encodeFrame('', 0, 'journal', 0, new TextEncoder().encode(heading))
  expect(refusalOf(() => readJournal(bytes)).code).toBe('dumpInvalid')
})
