import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/persistence/node/journal.ts'
import { persistenceOf } from '../../src/store/capability/persistence.ts'
import { joined } from '../../src/store/dump/line-writer.ts'
import { createMedia } from '../../src/value/types.ts'
import { patience, runs } from '../runs.ts'
import { byHand, type League, newLeague, portsOver, textOf } from './league.ts'
import { MemoryFiles } from './memory-files.ts'

const write = fc.record({ choice: fc.nat(8), at: fc.nat(9), value: fc.nat(6) })
type Write = typeof write extends fc.Arbitrary<infer W> ? W : never

/** One commit, or none where it is refused. */
function carryOut(
  store: League,
  { choice, at, value }: Write,
  begun: ReturnType<League['snapshot']>,
): void {
  const keys = store.Player.all().keys()
  const key = keys[at % Math.max(1, keys.length)] ?? 0
  const photo = createMedia('image/png', new Uint8Array(value * 40).fill(value))
  try {
    if (choice === 0) store.Player.insert({ name: `n${value}`, notes: { value }, photo })
    else if (choice === 1) store.Player.update(key, { name: '😀é"'.repeat(value * 9) })
    else if (choice === 2)
      store.Player.update(key, { notes: [value], photo, born: value === 0 ? null : '2001-01-01' })
    else if (choice === 3) store.Player.remove(key)
    else if (choice === 4)
      store.Player.load([{ name: 'a' }, { name: 'b', photo }, { ID: 50 + value }])
    else if (choice === 5) store.Team.insert({ code: `t${value}`, motto: `m${value}` })
    else if (choice === 6) store.Team.remove(`t${value}`)
    else if (choice === 7) store.restore(begun)
    else
      store.transact(() => {
        // A record number changes hands within one commit.
        store.Player.remove(key)
        store.Player.update(store.Player.insert({ name: 'in its place' }).ID, { name: 'changed' })
        for (const one of store.Player.all().keys())
          store.Player.update(one, { team: null, name: `all${value}` })
      })
  } catch {
    // Refused: nothing is committed.
  }
}

test(
  'a dump that is made in pieces holds what the store held when it was begun, whatever is committed between them',
  patience,
  () => {
    let between = 0
    fc.assert(
      fc.property(
        fc.array(write, { maxLength: 15 }),
        fc.array(fc.array(write, { maxLength: 3 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 200 }),
        (before, later, pieceLength) => {
          const store = newLeague()
          const begun = store.snapshot()
          for (const one of before) carryOut(store, one, begun)
          const expected = textOf(store)
          const dump = persistenceOf(store).beginDump(pieceLength)
          const pieces: Uint8Array[] = []
          for (const piece of dump.pieces) {
            pieces.push(piece)
            const stamp = store.globalStamp
            for (const one of later[pieces.length - 1] ?? []) carryOut(store, one, begun)
            if (store.globalStamp > stamp) between++
          }
          dump.end()
          expect(new TextDecoder().decode(joined(pieces))).toBe(expected)
        },
      ),
      runs(300, 300),
    )
    expect(between).toBeGreaterThan(100)
  },
)

test('a commit costs nothing for a dump that has ended', () => {
  const store = newLeague()
  const keep = persistenceOf(store)
  const dump = keep.beginDump(1)
  for (const _ of dump.pieces) break
  dump.end()
  store.Player.insert({ name: 'after' })
  expect(textOf(store)).toContain('after')
})

test.each([
  ['each commit is flushed by the caller', { flushMilliseconds: null }, true],
  ['commits are flushed by themselves', { flushMilliseconds: 5 }, false],
  ['both', { flushMilliseconds: 5 }, true],
])('a journal is compacted where %s', async (_, options, isFlushed) => {
  const files = new MemoryFiles()
  const due: (() => void)[] = []
  const later = (_: number, callback: () => void) => {
    due.push(callback)
    return () => void due.splice(due.indexOf(callback), 1)
  }
  const store = newLeague()
  const settings = { ...byHand, ...options, compactAboveBytes: 400 }
  const journal = await openJournal(store, 'data', settings, { ...portsOver(files), later })
  let longest = 0
  for (let i = 0; i < 200; i++) {
    if (store.Player.count > 3) store.Player.remove(store.Player.all().keys()[0]!)
    else store.Player.insert({ name: `n${i}` })
    if (isFlushed) await journal.flush()
    for (const callback of due.splice(0)) callback()
    for (let wait = 0; wait < 300; wait++) await Promise.resolve()
    let bytes = 0
    for (const path of files.paths)
      if (path.endsWith('.journal')) bytes += (await files.readFile(path)).length
    longest = Math.max(longest, bytes)
  }
  // Two generations, each of the bound, a dump of a few records and a commit.
  expect(longest).toBeLessThan(4000)
  await journal.close()
  const again = newLeague()
  await (await openJournal(again, 'data', byHand, portsOver(files, 2))).close()
  expect(textOf(again)).toBe(textOf(store))
})

test('a long journal is split into several files, and all of them are read', async () => {
  const files = new MemoryFiles()
  const store = newLeague()
  const journal = await openJournal(store, 'data', byHand, {
    ...portsOver(files),
    journalFileBytes: 300,
  })
  for (let i = 0; i < 40; i++) {
    store.Player.insert({ name: `n${i}` })
    if (i % 3 === 0) await journal.flush()
  }
  await journal.close()
  const journals = files.paths.filter((path) => path.endsWith('.journal'))
  expect(journals.length).toBeGreaterThan(4)
  for (const path of journals) expect((await files.readFile(path)).length).toBeLessThan(1000)
  const again = newLeague()
  const second = await openJournal(
    again,
    'data',
    { ...byHand, compactAboveBytes: 0 },
    portsOver(files, 2),
  )
  expect(textOf(again)).toBe(textOf(store))
  // All of them count for the bound, and go with the generation that they belong to.
  again.Player.insert({ name: 'more' })
  await second.flush()
  await second.compact()
  again.Player.insert({ name: 'and more' })
  await second.compact()
  await second.close()
  expect(files.paths.filter((path) => path.endsWith('.journal'))).toHaveLength(2)
})
