import { describe, expect, test } from 'vitest'
import { Occupancy } from '../../src/storage/occupancy.ts'
import { dice, upTo } from './dice.ts'

describe('the record in a slot at a time', () => {
  test('follows from births until a record comes back', () => {
    const occupancy = new Occupancy()
    expect(occupancy.isEmpty).toBe(true)
    occupancy.noteBirth(3, 5)
    expect(occupancy.isEmpty).toBe(true)
    for (const [clock, expected] of [
      [4, false],
      [5, true],
      [6, true],
      [Number.POSITIVE_INFINITY, true],
    ] as const)
      expect(occupancy.wasThere(3, 5, clock)).toBe(expected)
  })

  test('is remembered from the moment at which a record comes back to a place that another one had', () => {
    const occupancy = new Occupancy()
    // Born at 2, removed; a guest is born at 6; the first one is back at 9.
    occupancy.noteReturn(7, 2, 6, 9)
    expect(occupancy.isEmpty).toBe(false)
    expect([1, 2, 3, 5, 6, 7, 8, 9, 10].map((clock) => occupancy.wasThere(7, 2, clock))).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
      false,
      true,
      true,
    ])
    // Others are told by their births, as before.
    expect([occupancy.wasThere(8, 2, 6), occupancy.wasThere(8, 7, 6)]).toEqual([true, false])
    // The next one that is born there.
    occupancy.noteBirth(8, 11)
    occupancy.noteBirth(7, 12)
    expect([11, 12, 13].map((clock) => occupancy.wasThere(7, 12, clock))).toEqual([
      false,
      true,
      true,
    ])
    expect(occupancy.wasThere(7, 2, 13)).toBe(false)
  })

  test('needs no memory if no other record used the slot meanwhile', () => {
    const occupancy = new Occupancy()
    occupancy.noteReturn(1, 4, 4, 9)
    expect(occupancy.isEmpty).toBe(true)
    occupancy.noteReturn(1, 4, 6, 9)
    occupancy.noteReturn(1, 4, 4, 12)
    expect([5, 6, 8, 9, 12].map((clock) => occupancy.wasThere(1, 4, clock))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ])
  })

  test('equals that of a list of all occupants, through returns to earlier and later ones', () => {
    for (let seed = 1; seed < 40; seed++) {
      const roll = dice(seed)
      const occupancy = new Occupancy()
      let clock = 1
      /** Who came after whom; a return takes the same way back, record by record. */
      const came = [clock]
      /** Who was there from which moment on. */
      const log: (readonly [start: number, birth: number])[] = [[clock, clock]]
      for (let i = 0; i < 20; i++) {
        clock += 1 + roll(2)
        if (roll(2) === 0) {
          came.push(clock)
          occupancy.noteBirth(0, clock)
        } else {
          const back: number[] = []
          for (let steps = roll(Math.min(4, came.length)); steps > 0; steps--) {
            const at = came.length - 1 - back.length
            occupancy.noteReturn(0, came[at - 1], came[at], clock)
            back.push(came[at - 1])
          }
          came.push(...back)
        }
        const present = came[came.length - 1]
        log.push([clock, present])
        const isThere = (moment: number) =>
          log.filter(([start]) => start <= moment).at(-1)?.[1] === present
        const moments = upTo(clock + 2)
        expect(moments.filter((moment) => occupancy.wasThere(0, present, moment))).toEqual(
          moments.filter(isThere),
        )
      }
    }
  })

  test('is dropped from the oldest on; no record counts as present before that', () => {
    const occupancy = new Occupancy()
    // Two records take turns: the one born at 1 is back at every third moment.
    for (let turn = 0; turn < 100; turn++) {
      const guest = 10 + turn * 3
      occupancy.noteBirth(0, guest)
      occupancy.noteReturn(0, 1, guest, guest + 1)
    }
    const last = 10 + 99 * 3
    expect([last - 1, last, last + 1].map((clock) => occupancy.wasThere(0, 1, clock))).toEqual([
      true,
      false,
      true,
    ])
    // 128 changes of occupant are kept: those of the last sixty turns and more.
    const told = Array.from({ length: 100 }, (_, turn) =>
      occupancy.wasThere(0, 1, 10 + turn * 3 + 1),
    )
    expect(told.slice(40)).toEqual(new Array(60).fill(true))
    expect(told.slice(0, 30)).toEqual(new Array(30).fill(false))
    expect(occupancy.wasThere(0, 1, 5)).toBe(false)
    // Removed and brought back with nobody between: the oldest change that is kept is the return at
    // the 37th turn.
    occupancy.noteReturn(0, 1, 1, last + 2)
    const first = 10 + 36 * 3 + 1
    expect([first - 1, first, first + 1].map((clock) => occupancy.wasThere(0, 1, clock))).toEqual([
      false,
      true,
      true,
    ])
  })

  test('is as short where a slot that a record came back to is given out again and again', () => {
    const occupancy = new Occupancy()
    occupancy.noteReturn(0, 1, 5, 6)
    for (let birth = 7; birth < 1007; birth++) occupancy.noteBirth(0, birth)
    expect(occupancy.size).toBe(128)
    occupancy.noteReturn(0, 1, 1006, 1007)
    expect([6, 1006, 1007].map((clock) => occupancy.wasThere(0, 1, clock))).toEqual([
      false,
      false,
      true,
    ])
  })

  test('uses bounded memory for many slots: old moments are forgotten, never answered wrongly', () => {
    const occupancy = new Occupancy()
    const slots = 3000
    const rounds = 60
    // In each round all records leave, guests are born in their slots, and a restore brings the
    // first records back.
    for (let round = 0; round < rounds; round++)
      for (let slot = 0; slot < slots; slot++)
        occupancy.noteReturn(slot, 1, 10 + round * 2, 11 + round * 2)
    expect(occupancy.size).toBeLessThanOrEqual(65_536)
    let remembered = 0
    let wrong = 0
    for (let slot = 0; slot < slots; slot++)
      for (let round = 0; round < rounds; round++) {
        if (occupancy.wasThere(slot, 1, 10 + round * 2)) wrong++
        if (occupancy.wasThere(slot, 1, 11 + round * 2)) remembered++
        else if (round >= rounds - 3) wrong++
      }
    expect(wrong).toBe(0)
    expect(remembered).toBeGreaterThan(slots * 4)
  })
})
