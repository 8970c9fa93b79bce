import { describe, expect, test } from 'vitest'
import { dateFromEpoch, dateOrderKey, formatDate, parseDate } from '../../src/value/date.ts'

const DAY = 86_400_000
const two = (n: number): string => `${n}`.padStart(2, '0')
const four = (n: number): string => `${n}`.padStart(4, '0')

/** Midnight of a day as JavaScript counts it; null where its calendar has no such day. */
function midnight(year: number, month: number, day: number): number | null {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isSame =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isSame ? date.getTime() : null
}

/** Leap years and others, including years of centuries and the first and last four-digit years. */
const YEARS = [
  0, 1, 4, 100, 400, 999, 1000, 1600, 1700, 1896, 1900, 1904, 1969, 1970, 1972, 2000, 2023, 2024,
  9999,
]

describe('the calendar', () => {
  const days = YEARS.flatMap((year) =>
    Array.from({ length: 14 }, (_, month) =>
      [0, 1, 9, 28, 29, 30, 31, 32].map((day) => ({ year, month, day })),
    ).flat(),
  )
  const check = (textOf: (year: string, month: number, day: number) => string): void => {
    const wrong: string[] = []
    for (const { year, month, day } of days) {
      const expected = midnight(year, month, day)
      const text = textOf(four(year), month, day)
      if (parseDate(text, false) !== expected) wrong.push(text)
      if (parseDate(text, true) !== (expected === null ? null : expected / DAY))
        wrong.push(`day of ${text}`)
    }
    expect(wrong).toEqual([])
  }

  test.each<[form: string, textOf: (year: string, month: number, day: number) => string]>([
    ['yyyy-mm-dd', (year, month, day) => `${year}-${two(month)}-${two(day)}`],
    ['+yyyyyy-mm-dd', (year, month, day) => `+00${year}-${two(month)}-${two(day)}`],
    ['with a time', (year, month, day) => `${year}-${two(month)}-${two(day)}T00:00:00.000Z`],
    ['!!yyyy-mm-dd!!', (year, month, day) => `!!${year}-${two(month)}-${two(day)}!!`],
    ['d!m!yyyy', (year, month, day) => `${day}!${month}!${year}`],
  ])('has exactly the days that can be read: %s', (_, textOf) => {
    check(textOf)
  })

  test('writes the first and the last days of months', () => {
    for (const year of YEARS)
      for (let month = 1; month <= 12; month++)
        for (const day of [1, 28, 29, 30, 31]) {
          const value = midnight(year, month, day)
          if (value !== null)
            expect(formatDate(value / DAY, true)).toBe(`${four(year)}-${two(month)}-${two(day)}`)
        }
  })
})

test('a day that does not exist is not a date with a time either', () => {
  for (const text of [
    '2023-02-29',
    '1900-02-29',
    '2024-04-31',
    '2024-13-01',
    '2024-00-01',
    '2024-01-00',
    '2024-01-32',
  ])
    for (const time of ['T10:00', ' 10:00:00Z', 't23:59:59.999+02:00'])
      for (const dateOnly of [false, true])
        expect(parseDate(text + time, dateOnly), text + time).toBeNull()
})

describe('a text of ten characters', () => {
  const isDigits = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
  const expectedOf = (text: string): number | null =>
    isDigits.test(text)
      ? midnight(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8)))
      : null

  test('is a date only with digits and hyphens at their places', () => {
    const wrong: string[] = []
    for (const date of ['2024-12-28', '0009-09-09']) {
      for (let place = 0; place < date.length; place++) {
        for (let code = 32; code < 127; code++) {
          const text = date.slice(0, place) + String.fromCharCode(code) + date.slice(place + 1)
          if (parseDate(text, false) !== expectedOf(text)) wrong.push(text)
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test.each(['1:2:-0:-1:', '2/2/-1/-1/', '----------', '2024-1--05', '2024x12x28', '２０24-12-28'])(
    '"%s" is not one',
    (text) => {
      expect(text).toHaveLength(10)
      for (const dateOnly of [false, true]) expect(parseDate(text, dateOnly)).toBeNull()
    },
  )
})

describe('a time of day', () => {
  const start = Date.UTC(2024, 0, 31)
  const inMilliseconds = (hours: number, minutes: number, seconds = 0): number =>
    hours * 3_600_000 + minutes * 60_000 + seconds * 1000

  test('goes from 00:00:00 to 23:59:59', () => {
    for (const hours of [0, 1, 22, 23, 24, 25, 99])
      for (const minutes of [0, 1, 58, 59, 60, 99])
        for (const seconds of [0, 1, 58, 59, 60, 99]) {
          const isTime = hours < 24 && minutes < 60 && seconds < 60
          const text = `2024-01-31T${two(hours)}:${two(minutes)}:${two(seconds)}`
          const expected = isTime ? start + inMilliseconds(hours, minutes, seconds) : null
          for (const zone of ['', 'Z', 'z'])
            expect(parseDate(text + zone, false), text + zone).toBe(expected)
        }
  })

  test('may omit seconds, and has milliseconds at most', () => {
    const noon = start + inMilliseconds(12, 0)
    const parts: readonly (readonly [text: string, milliseconds: number])[] = [
      ['T12:00', 0],
      ['t12:00z', 0],
      [' 12:00Z', 0],
      ['T12:00:00.5', 500],
      ['T12:00:00,25Z', 250],
      ['T12:00:00.007Z', 7],
      ['T12:00:00.0069Z', 6],
      ['T12:00:00.999999999Z', 999],
    ]
    for (const [text, milliseconds] of parts)
      expect(parseDate(`2024-01-31${text}`, false)).toBe(noon + milliseconds)
  })

  test('has a zone of less than a day before or after UTC', () => {
    for (const sign of [1, -1])
      for (const hours of [0, 1, 5, 22, 23, 24, 99])
        for (const minutes of [0, 1, 30, 58, 59, 60, 99])
          for (const colon of [':', '']) {
            const zone = `${sign < 0 ? '-' : '+'}${two(hours)}${colon}${two(minutes)}`
            const isZone = hours < 24 && minutes < 60
            const expected = isZone
              ? start + inMilliseconds(12, 0) - sign * inMilliseconds(hours, minutes)
              : null
            expect(parseDate(`2024-01-31T12:00:00${zone}`, false), zone).toBe(expected)
            expect(parseDate(`2024-01-31T12:00${zone}`, true), zone).toBe(
              expected === null ? null : Math.floor(expected / DAY),
            )
          }
  })
})

describe('ISO texts', () => {
  /** In ascending order, each the first or last instant of a period. */
  const moments = [
    -8.64e15,
    midnight(-100_000, 12, 31),
    midnight(-10_000, 1, 1),
    midnight(-9999, 2, 28),
    midnight(-9999, 3, 1),
    midnight(-100, 1, 1),
    midnight(-2, 12, 31),
    midnight(-1, 1, 1),
    midnight(-1, 12, 31),
    midnight(0, 1, 1),
    midnight(0, 12, 31),
    midnight(1, 1, 1),
    midnight(999, 12, 31),
    midnight(1000, 1, 1),
    -DAY,
    0,
    DAY,
    midnight(9999, 1, 1),
    midnight(9999, 12, 31),
    midnight(10_000, 1, 1),
    midnight(10_000, 1, 2),
    midnight(99_999, 12, 31),
    midnight(100_000, 1, 1),
    8.64e15,
  ] as readonly number[]

  test('have four digits for the years 0 to 9999, and six with a sign for others', () => {
    for (const moment of moments) {
      const iso = new Date(moment).toISOString()
      expect(formatDate(moment, false)).toBe(iso)
      expect(formatDate(moment / DAY, true)).toBe(iso.slice(0, iso.indexOf('T')))
    }
  })

  test('order by their keys as by time, also before the year 0 and after 9999', () => {
    for (const [text, later] of [
      [(moment: number) => formatDate(moment, false), 1],
      [(moment: number) => formatDate(moment / DAY, true), DAY],
    ] as const) {
      const texts = moments
        .flatMap((moment) => (moment === 8.64e15 ? [moment] : [moment, moment + later]))
        .map(text)
      const inOrder = texts.filter((iso, i) => iso !== texts[i - 1])
      const keys = inOrder.map(dateOrderKey)
      for (let i = 1; i < keys.length; i++)
        expect(keys[i - 1] < keys[i], `${inOrder[i - 1]} before ${inOrder[i]}`).toBe(true)
    }
  })
})

test('milliseconds are whole and within the range of dates', () => {
  for (const last of [8.64e15, -8.64e15]) {
    expect(dateFromEpoch(last, false)).toBe(last)
    expect(dateFromEpoch(last, true)).toBe(last / DAY)
    for (const beyond of [
      last + Math.sign(last),
      last * 2,
      0.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ])
      for (const dateOnly of [false, true]) expect(dateFromEpoch(beyond, dateOnly)).toBeNull()
  }
  expect(dateFromEpoch(-1, true)).toBe(-1)
  for (const dateOnly of [false, true]) expect(Object.is(dateFromEpoch(-0, dateOnly), 0)).toBe(true)
})
