import { describe, expect, test } from 'vitest'
import { Occupancy } from '../../src/storage/occupancy.ts'
import { dice, upTo } from './dice.ts'

describe('the record in a slot at a given time', () => {
  test('follows from births as long as no record has come back', () => {
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

  test('is stored once a record comes back to a slot that another one had used', () => {
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
    // Other slots and births are answered from the births, as before.
    expect([occupancy.wasThere(8, 2, 6), occupancy.wasThere(8, 7, 6)]).toEqual([true, false])
    // The next record that is created in the slot.
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
      /** The expected occupants in order; a return goes back record by record. */
      const came = [clock]
      /** The occupant from each moment on. */
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

  test('forgets the oldest changes first; before these, no record counts as present', () => {
    const occupancy = new Occupancy()
    // The record born at 1 alternates with new ones and is back at every third moment.
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
    // The last 128 changes of occupant are kept, at least those of the last sixty turns.
    const wasPresent = Array.from({ length: 100 }, (_, turn) =>
      occupancy.wasThere(0, 1, 10 + turn * 3 + 1),
    )
    expect(wasPresent.slice(40)).toEqual(new Array(60).fill(true))
    expect(wasPresent.slice(0, 30)).toEqual(new Array(30).fill(false))
    expect(occupancy.wasThere(0, 1, 5)).toBe(false)
    // Removed and brought back with no record in between. The oldest change that is kept is the
    // return at the 37th turn.
    occupancy.noteReturn(0, 1, 1, last + 2)
    const first = 10 + 36 * 3 + 1
    expect([first - 1, first, first + 1].map((clock) => occupancy.wasThere(0, 1, clock))).toEqual([
      false,
      true,
      true,
    ])
  })

  test('is bounded if a slot with a returned record is reused repeatedly', () => {
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

  test('uses bounded memory for many slots: old moments are forgotten, and answers are never wrong', () => {
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
