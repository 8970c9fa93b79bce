import { describe, expect, test } from 'vitest'
import type { ChangeList } from '../../src/storage/change-list.ts'
import { History } from '../../src/storage/history.ts'
import { codeOf, refusalOf } from '../transaction/firm-store.ts'
import { dice } from './dice.ts'

const list = (globalStamp: number, bytes: number): ChangeList => ({
  globalStamp,
  timestamp: 0,
  changes: [],
  sequences: [],
  bytes,
})
const stampsSince = (history: History, stamp: number) => history.since(stamp).map(({ globalStamp }) => globalStamp)

/** What is to be kept, as an array of its own. */
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
  test('keeps what a plain array within the same bounds keeps, and what pins hold', () => {
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
        expect([history.commits, history.bytes, history.oldest]).toEqual([plain.kept.length, plain.total, plain.oldest])
        for (let since = history.oldest; since <= stamp + 1 && i % 3 === 0; since++)
          expect(stampsSince(history, since)).toEqual(
            plain.kept.map((kept) => kept.stamp).filter((each) => each > since),
          )
        if (history.oldest > 0) expect(codeOf(() => history.since(history.oldest - 1))).toBe('historyTrimmed')
      }
    }
  })

  test('says what was asked for and how far back it reaches when that is too far', () => {
    const history = new History(0, { commits: 1, bytes: 100 })
    for (const stamp of [1, 2, 3]) history.push(list(stamp, 1))
    expect(refusalOf(() => history.mustReach(1)).message).toMatch(/\b1\b.*\b2\b/s)
    expect(codeOf(() => history.mustReach(1))).toBe('historyTrimmed')
    history.mustReach(2)
    history.mustReach(7)
  })

  test('that is begun anew reaches back to that moment, whatever was pinned', () => {
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

  test('tells how many commits are left while it is asked to wait, and waits up to twice its bounds', () => {
    const cases: readonly (readonly [commits: number, bytes: number, each: number, left: readonly number[]])[] = [
      // By number: one more than three is kept at the fourth; then two, one, none.
      [3, 1000, 0, [2, 1, 0]],
      [3, 1000, 1, [2, 1, 0]],
      // No bytes may be kept, and none are taken.
      [3, 0, 0, [2, 1, 0]],
      // By bytes: 40 may be taken twice, and each takes 10.
      [100, 40, 10, [3, 2, 1, 0]],
      // Fifteen each: three fill 45 of 40, and two more fit below 80.
      [100, 40, 15, [2, 1, 0]],
    ]
    for (const [commits, bytes, each, left] of cases) {
      const history = new History(0, { commits, bytes })
      const told: number[] = []
      history.beforeCut = (stamp, commitsLeft) => {
        if (stamp === 1) told.push(commitsLeft)
        return false
      }
      for (let stamp = 1; history.oldest === 0 && stamp < 50; stamp++) history.push(list(stamp, each))
      expect(told).toEqual(left)
    }
  })

  test('asks about each list that it would drop, in order, and drops what it may', () => {
    const history = new History(0, { commits: 2, bytes: 100 })
    const asked: number[] = []
    history.beforeCut = (stamp) => {
      asked.push(stamp)
      // What is asked about can still be read.
      expect(stampsSince(history, stamp - 1)[0]).toBe(stamp)
      return stamp !== 2
    }
    for (const stamp of [1, 2, 3]) history.push(list(stamp, 10))
    expect([asked, history.oldest]).toEqual([[1], 1])
    history.push(list(4, 10))
    expect([asked, history.oldest, history.commits]).toEqual([[1, 2], 1, 3])
    history.beforeCut = null
    history.push(list(5, 10))
    expect([history.oldest, history.commits, history.bytes]).toEqual([3, 2, 20])
  })
})
