import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headerDate } from '../../src/render/layout.ts'

test('a date-time in a header equals the text of the platform, for every date', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(headerDate(date.toISOString())).toBe(date.toUTCString())
    }),
  )
})

test('every day around a leap year has the right weekday', () => {
  for (const start of ['1899-12-30', '1999-12-30', '0000-01-01', '2023-12-30'])
    for (let day = 0; day < 800; day++) {
      const date = new Date(Date.parse(`${start}T23:59:59.999Z`) + day * 86_400_000)
      expect(headerDate(date.toISOString())).toBe(date.toUTCString())
    }
})
