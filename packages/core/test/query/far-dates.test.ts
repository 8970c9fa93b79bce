import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { dateOrderKey, formatDay } from '../../src/value/date.ts'
import { runs } from '../runs.ts'

const DAYS = [
  '-271820-04-20',
  '-000044-03-15',
  '-000044-12-31',
  '0000-01-01',
  '2024-02-29',
  '9999-12-31',
  '+010000-01-01',
]

test('distinct dates, minimum and maximum are in order of time, in every year', () => {
  const Event = defineDataClass('Event', {
    ID: attribute.long({ key: true }),
    day: attribute.date({ dateOnly: true }),
    at: attribute.date(),
    before: attribute.relatedEntity('Event'),
    dayBefore: attribute.alias('before.day'),
  })
  const store = createDataStore({ name: 'calendar', dataClasses: [Event] })
  const backwards = [...DAYS].reverse()
  store.Event.load(backwards.map((day, i) => ({ ID: i + 1, day, at: day, before: i + 1 })))
  expect(store.Event.all().distinct('day')).toEqual(DAYS)
  expect(store.Event.query('ID > 0').distinct('at')).toEqual(
    DAYS.map((day) => `${day}T00:00:00.000Z`),
  )
  expect(store.Event.all().distinct('before.day')).toEqual(DAYS)
  expect(store.Event.all().compute('dayBefore')).toMatchObject({
    min: DAYS[0],
    max: DAYS[DAYS.length - 1],
  })
})

test('the order key of a date text orders as the date does', () => {
  const day = fc.oneof(
    fc.integer({ min: -100_000_000, max: 100_000_000 }),
    // The year of the earliest date begins before it.
    fc.integer({ min: -100_000_110, max: -99_999_990 }),
    fc.integer({ min: -800_000, max: 3_000_000 }),
  )
  fc.assert(
    fc.property(day, day, (a, b) => {
      const left = dateOrderKey(formatDay(a))
      const right = dateOrderKey(formatDay(b))
      expect(left < right).toBe(a < b)
      expect(left === right).toBe(a === b)
    }),
    runs(1000),
  )
})

test.each(['at.week', 'at.month', 'at.quarter', 'at.year'] as const)(
  'groups by %s of the earliest date come after null and before later ones',
  (span) => {
    const Event = defineDataClass('Event', {
      ID: attribute.long({ key: true, autoSequence: true }),
      at: attribute.date(),
    })
    const store = createDataStore({ name: 'events', dataClasses: [Event] })
    for (const at of ['2025-01-05T00:00:00Z', '-271821-04-20T00:00:00Z', null])
      store.Event.insert({ at })
    const groups = [...store.Event.all().groupBy(span)]
    const years = groups.map((group) => String(Object.values(group)[0]).slice(0, 7))
    expect(years).toEqual(['null', '-271821', expect.stringMatching(/^202[45]/)])
  },
)
