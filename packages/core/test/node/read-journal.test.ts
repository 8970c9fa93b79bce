import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodeFrame,
  JOURNAL_FORMAT,
  JOURNAL_VERSION,
  seedOf,
} from '../../src/persistence/journal/journal-frame.ts'
import { refusalOf } from '../filter/refusal.ts'
import { patience, runs } from '../runs.ts'
import { readJournal } from './whole-journal.ts'

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

const heading = new TextEncoder().encode(
  `${JSON.stringify({ format: JOURNAL_FORMAT, version: JOURNAL_VERSION })}\n`,
)

/** A journal file as it is written: a `synced` frame after every other commit. */
function journalOf(payloads: readonly Uint8Array[]): Uint8Array {
  const frames = [encodeFrame('', 0, 'journal', 4, heading)]
  let length = frames[0]!.length
  const add = (kind: 'commit' | 'synced', number: number, payload?: Uint8Array): void => {
    const frame = encodeFrame(seedOf(4, heading), length, kind, number, payload)
    frames.push(frame)
    length += frame.length
  }
  for (const [i, payload] of payloads.entries()) {
    add('commit', 5 + i, payload)
    if (i % 2 === 1) add('synced', length)
  }
  return Uint8Array.from(Buffer.concat(frames))
}

const outcomeOf = (read: () => unknown): unknown => {
  try {
    return read()
  } catch (error) {
    return String(error)
  }
}

test(
  'a file reads the same in blocks of any lengths, also if it is cut off or damaged',
  patience,
  () => {
    let refusals = 0
    let drops = 0
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 90 }), { maxLength: 8 }),
        fc.option(fc.nat(400), { nil: null }),
        fc.option(fc.tuple(fc.nat(800), fc.integer({ min: 1, max: 255 })), { nil: null }),
        fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 6 }),
        (payloads, cut, harm, blocks) => {
          const bytes = journalOf(payloads).slice(0, cut === null ? undefined : -cut || undefined)
          if (harm !== null && bytes.length > 0) bytes[harm[0] % bytes.length]! ^= harm[1]
          const whole = outcomeOf(() => readJournal(bytes))
          expect(outcomeOf(() => readJournal(bytes, ...blocks))).toEqual(whole)
          if (typeof whole === 'string') refusals++
          else if (cut === null && harm === null) expect(whole).toMatchObject({ payloads })
          else if (cut !== null) drops++
        },
      ),
      runs(1000, 1000),
    )
    expect(refusals).toBeGreaterThan(50)
    expect(drops).toBeGreaterThan(50)
  },
)

test('damage is found where it is, however many blocks lie between it and the frame that proves it', () => {
  const bytes = journalOf(Array.from({ length: 9 }, () => new Uint8Array(500).fill(115)))
  const first = Buffer.from(bytes).indexOf('commit 5')
  bytes[first + 100]! ^= 1
  for (const block of [1, 7, 64, 1000])
    expect(refusalOf(() => readJournal(bytes, block)).message).toContain(
      `byte ${first} or one soon`,
    )
})
