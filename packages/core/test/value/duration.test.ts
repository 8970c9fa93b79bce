import { describe, expect, test } from 'vitest'
import { parseDuration, parseNumber } from '../../src/value/date.ts'

const two = (n: number): string => `${n}`.padStart(2, '0')
const sameNumber = (a: number | null, b: number | null): boolean => Object.is(a, b)

describe('a duration', () => {
  test('has any number of hours, up to 59 minutes and 59 seconds, and parts of a second', () => {
    const wrong: string[] = []
    const fractions: readonly (readonly [text: string, milliseconds: number])[] = [
      ['', 0],
      ['.5', 500],
      ['.05', 50],
      ['.250', 250],
      ['.007', 7],
    ]
    for (const hours of [0, 1, 23, 24, 36, 9_999_999])
      for (const minutes of [0, 1, 58, 59, 60, 99])
        for (const seconds of [0, 1, 58, 59, 60, 99])
          for (const [fraction, milliseconds] of fractions) {
            const text = `${two(hours)}:${two(minutes)}:${two(seconds)}${fraction}`
            const sum = hours * 3_600_000 + minutes * 60_000 + seconds * 1000 + milliseconds
            const expected = minutes < 60 && seconds < 60 ? sum : null
            if (!sameNumber(parseDuration(text), expected)) wrong.push(text)
            // -0 becomes 0.
            const opposite = expected === null ? null : 0 - expected
            if (!sameNumber(parseDuration(`-${text}`), opposite)) wrong.push(`-${text}`)
          }
    expect(wrong).toEqual([])
  })

  test.each([
    '1:00',
    '1:0:00',
    '1:00:0',
    '1:00:000',
    '00:00:00.',
    '00:00:00.1234',
    ' 1:00:00',
    '1:00:00 ',
    '+1:00:00',
  ])('"%s" is not one', (text) => {
    expect(parseDuration(text)).toBeNull()
  })
})

describe('a number', () => {
  test.each([
    '0',
    '00',
    '007',
    '9',
    '10',
    '20',
    '90',
    '999999999999999',
    '1000000000000000',
    '123456789012345',
    '1234567890123456',
    '9007199254740993',
    '12345678901234567890',
    '+5',
    '-5',
    '5.',
    '.5',
    '-.5',
    '.25',
    '12.345',
    '1.5e10',
    '1.5',
    '1e3',
    '1E+3',
    '25e-1',
    '1e-400',
  ])('%s is read as in JavaScript', (text) => {
    for (const read of [parseNumber, parseDuration]) expect(read(text)).toBe(Number(text))
  })

  test.each(['-0', '-0.0', '-0e5', '-1e-400'])('%s is zero', (text) => {
    for (const read of [parseNumber, parseDuration]) expect(sameNumber(read(text), 0)).toBe(true)
  })

  test.each([
    '',
    ' ',
    '1 ',
    ' 1',
    '.',
    '-',
    '+',
    '--',
    '1-',
    '/',
    ':',
    '1:',
    '1/',
    'x',
    '0x1',
    '1e',
    '1e400',
    '1_0',
    '１',
  ])('does not exist in "%s"', (text) => {
    for (const read of [parseNumber, parseDuration]) expect(read(text)).toBeNull()
  })
})
