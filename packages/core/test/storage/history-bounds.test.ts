import { describe, expect, test } from 'vitest'
import { type ChangeList, ChangeRecorder } from '../../src/storage/change-list.ts'
import { History } from '../../src/storage/history.ts'
import type { Table } from '../../src/storage/table.ts'
import { codeOf, refusalOf } from '../write/firm-store.ts'
import { dice } from './dice.ts'
import { Recorded } from './recorded-table.ts'

const list = (globalStamp: number, bytes: number): ChangeList => ({
  globalStamp,
  timestamp: 0,
  changes: [],
  sequences: [],
  bytes,
})
/** All that a list says, without the tables themselves. */
const contentOf = ({ changes, sequences, ...list }: ChangeList, tables: readonly Table[]) => ({
  ...list,
  changes: changes.map(({ table, ...change }) => ({ ...change, table: tables.indexOf(table) })),
  sequences: sequences.map(({ table, before }) => [tables.indexOf(table), before]),
})
const stampsSince = (history: History, stamp: number) =>
  history.since(stamp).map(({ globalStamp }) => globalStamp)

/** The expected history, as an array of its own. */
class PlainHistory {
  kept: { stamp: number; bytes: number }[] = []
  pins: number[] = []
  oldest = 0
  readonly commits: number
  readonly bytes: number

  constructor(commits: number, bytes: number) {
    this.commits = commits
    this.bytes = bytes
  }
  get total(): number {
    return this.kept.reduce((sum, { bytes }) => sum + bytes, 0)
  }
  trim(mayCut: (stamp: number) => boolean): void {
    while (this.kept.length > this.commits || this.total > this.bytes) {
      const [{ stamp }] = this.kept
      if (this.pins.some((pin) => pin < stamp) || !mayCut(stamp)) return
      this.kept.shift()
      this.oldest = stamp
    }
  }
}

describe('a history', () => {
  test('keeps the commits within its bounds, as a plain array does, and those that pins hold', () => {
    for (let seed = 1; seed < 13; seed++) {
      const roll = dice(seed)
      const [commits, bytes] = [1 + roll(6), 20 + roll(60)]
      const history = new History(0, { commits, bytes })
      const plain = new PlainHistory(commits, bytes)
      let stamp = 0
      for (let i = 0; i < 50; i++) {
        const act = roll(8)
        if (act < 5) {
          const size = roll(4) === 0 ? 0 : roll(30)
          stamp += 1 + roll(2)
          history.push(list(stamp, size))
          plain.kept.push({ stamp, bytes: size })
          plain.trim(() => true)
        } else if (act === 5 && stamp >= history.oldest) {
          const pin = history.oldest + roll(stamp - history.oldest + 1)
          history.pin(pin)
          plain.pins.push(pin)
        } else if (plain.pins.length > 0) {
          const [pin] = plain.pins.splice(roll(plain.pins.length), 1)
          history.unpin(pin)
          plain.trim(() => true)
        }
        expect([history.commits, history.bytes, history.oldest]).toEqual([
          plain.kept.length,
          plain.total,
          plain.oldest,
        ])
        for (let since = history.oldest; since <= stamp + 1 && i % 3 === 0; since++)
          expect(stampsSince(history, since)).toEqual(
            plain.kept.map((kept) => kept.stamp).filter((each) => each > since),
          )
        if (history.oldest > 0)
          expect(codeOf(() => history.since(history.oldest - 1))).toBe('historyTrimmed')
      }
    }
  })

  test('returns each commit as it was, whatever was cut before it', () => {
    for (let seed = 1; seed < 9; seed++) {
      const roll = dice(seed)
      const recorder = new ChangeRecorder()
      const written = [new Recorded(recorder), new Recorded(recorder)]
      const tables = written.map(({ table }) => table)
      const history = new History(0, { commits: 40 + roll(100), bytes: 1e9 })
      const pushed: ReturnType<typeof contentOf>[] = []
      for (let stamp = 1; stamp <= 400; stamp++) {
        for (let i = roll(3) === 0 ? roll(4) : 0; i >= 0; i--) written[roll(2)].write(1, roll)
        const moved = roll(4)
        if (moved < 2) recorder.setSequence(tables[moved], tables[moved].sequence + 1)
        const list = recorder.finish(stamp, 1e12 + stamp)
        pushed.push(contentOf(list, tables))
        history.push(list)
        if (stamp % 50 > 0) continue
        const kept = history.since(history.oldest)
        expect(kept.map((each) => contentOf(each, tables))).toEqual(pushed.slice(-kept.length))
        const slots = kept.flatMap(({ changes }) =>
          changes.flatMap((each) =>
            each.table === tables[0] ? [(each as { slot: number }).slot] : [],
          ),
        )
        expect(history.changedSlots(tables[0], history.oldest)).toEqual(slots)
      }
    }
  })

  test('names the requested stamp and the oldest one if it does not reach back so far', () => {
    const history = new History(0, { commits: 1, bytes: 100 })
    for (const stamp of [1, 2, 3]) history.push(list(stamp, 1))
    expect(refusalOf(() => history.mustReach(1)).message).toMatch(/\b1\b.*\b2\b/s)
    expect(codeOf(() => history.mustReach(1))).toBe('historyTrimmed')
    history.mustReach(2)
    history.mustReach(7)
  })

  test('reaches back only to its restart, even if older stamps were pinned', () => {
    const history = new History(0, { commits: 5, bytes: 100 })
    for (const stamp of [1, 2, 3]) history.push(list(stamp, 40))
    history.pin(3)
    history.restart(3)
    expect([history.commits, history.bytes, history.oldest]).toEqual([0, 0, 3])
    expect(codeOf(() => history.since(2))).toBe('historyTrimmed')
    expect(history.since(3)).toEqual([])
    for (const stamp of [4, 5, 6, 7]) history.push(list(stamp, 40))
    expect([history.commits, history.bytes, history.oldest]).toEqual([2, 80, 5])
    expect(stampsSince(history, 5)).toEqual([6, 7])
    history.unpin(3)
    expect(history.commits).toBe(2)
  })
})
