import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDate, parseDate, parseDuration } from '../../src/value/date.ts'
import { runs } from '../runs.ts'

const DAY = 86_400_000
const instant = fc.oneof(
  fc.integer({ min: -8.64e15, max: 8.64e15 }),
  fc.integer({ min: Date.UTC(1896, 0), max: Date.UTC(2104, 11, 31) }),
)
const day = fc.oneof(
  fc.integer({ min: -100_000_000, max: 100_000_000 }),
  fc.integer({ min: -30_000, max: 50_000 }),
)

describe('dates', () => {
  test('a stored instant equals its text, which is that of Date', () => {
    fc.assert(
      fc.property(instant, (value) => {
        const text = formatDate(value, false)
        expect(text).toBe(new Date(value).toISOString())
        expect(parseDate(text, false)).toBe(value)
      }),
      runs(1000),
    )
  })

  test('a stored day equals its text, in every form', () => {
    fc.assert(
      fc.property(day, (value) => {
        const text = formatDate(value, true)
        expect(text).toBe(new Date(value * DAY).toISOString().split('T')[0])
        expect(parseDate(text, true)).toBe(value)
        if (text.length > 10) return
        const [year, month, dayOfMonth] = text.split('-')
        expect(parseDate(`!!${text}!!`, true)).toBe(value)
        expect(parseDate(`${Number(dayOfMonth)}!${Number(month)}!${year}`, true)).toBe(value)
      }),
      runs(1000),
    )
  })

  test('a time has a zone or is UTC', () => {
    expect(parseDate('2024-01-31T12:00:00+02:00', false)).toBe(Date.UTC(2024, 0, 31, 10))
    expect(parseDate('2024-01-31T12:00', false)).toBe(Date.UTC(2024, 0, 31, 12))
    expect(parseDate('2024-01-31T12:00:00.1239Z', false)).toBe(Date.UTC(2024, 0, 31, 12, 0, 0, 123))
    expect(parseDate('2024-01-31', false)).toBe(Date.UTC(2024, 0, 31))
    expect(parseDate('1969-12-31T23:59:59Z', true)).toBe(-1)
  })

  test.each([
    '',
    '2024-02-30',
    '2023-02-29',
    '1900-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-01-31T24:00:00Z',
    '2024-01-31T12:60Z',
    '20240131',
    ' 2024-01-31',
    '2024-01-31 ',
    '31!2!2024',
    '!!2024-1-1!!',
    '-000000-01-01',
    '+275760-09-14',
    'today',
    '1706659200000',
  ])('"%s" is not a date', (text) => {
    expect(parseDate(text, false)).toBeNull()
    expect(parseDate(text, true)).toBeNull()
  })
})

describe('durations', () => {
  test('are milliseconds or hh:mm:ss', () => {
    expect(parseDuration('90000')).toBe(90_000)
    expect(parseDuration('36:00:00.25')).toBe(36 * 3_600_000 + 250)
    expect(parseDuration('-00:00:01')).toBe(-1000)
    expect(parseDuration('00:60:00')).toBeNull()
    expect(parseDuration('1:2')).toBeNull()
  })
})
