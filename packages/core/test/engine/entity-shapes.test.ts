import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  isEntity,
  keyOf,
  stampOf,
} from '../../src/index.ts'
import { DayTexts, formatDate } from '../../src/value/date.ts'
import { runs } from '../runs.ts'

const widths = [1, 2, 12, 15, 16, 17, 18, 32, 33, 40]

function storeOf(width: number) {
  const further = Array.from({ length: width - 1 }, (_, i) => [`a${i}`, attribute.long()] as const)
  const Wide = defineDataClass('Wide', {
    ID: attribute.long({ key: true }),
    ...Object.fromEntries(further),
  })
  return createDataStore({ name: 'wide', dataClasses: [Wide] })
}

const valuesOf = (width: number, id: number) => ({
  ID: id,
  ...Object.fromEntries(
    Array.from({ length: width - 1 }, (_, i) => [`a${i}`, i % 5 === 4 ? null : id * 100 + i]),
  ),
})

describe('an entity', () => {
  test.each(widths)('with %i attributes has them as own properties, in their order', (width) => {
    const table = storeOf(width).dataClass('Wide')
    table.load([7, 8].map((id) => valuesOf(width, id)))
    for (const id of [7, 8]) {
      const entity = table.get(id) as object
      expect(Object.entries(entity)).toEqual(Object.entries(valuesOf(width, id)))
      expect(entity.constructor.name).toBe('Wide')
      expect([isEntity(entity), keyOf(entity), stampOf(entity)]).toEqual([true, id, 1])
    }
  })

  test.each(widths)('with %i attributes looks the same while it is staged', (width) => {
    const store = storeOf(width)
    const table = store.dataClass('Wide')
    const staged = store.transact(() => table.insert(valuesOf(width, 1))) as object
    const stored = table.get(1) as object
    expect(Object.entries(staged)).toEqual(Object.entries(stored))
    expect(Object.getPrototypeOf(staged)).toBe(Object.getPrototypeOf(stored))
  })

  test('is not recognised in objects that inherit from it', () => {
    const table = storeOf(2).dataClass('Wide')
    const entity = table.insert(valuesOf(2, 1)) as object
    expect(
      [Object.create(entity), Object.create(Object.getPrototypeOf(entity)), { ...entity }].map(
        isEntity,
      ),
    ).toEqual([false, false, false])
  })
})

test('the first staged entity of an empty table has its dates, and so do the next', () => {
  const Day = defineDataClass('Day', {
    ID: attribute.long({ key: true }),
    day: attribute.date({ dateOnly: true }),
  })
  const store = createDataStore({ name: 'days', dataClasses: [Day] })
  const days = ['1970-01-01', '1980-02-29', null]
  const staged = store.transact(() => days.map((day, ID) => store.Day.insert({ ID, day }).day))
  expect([staged, days.map((_, ID) => store.Day.get(ID)?.day)]).toEqual([days, days])
})

test('cached texts of days are correct, however far the days are apart', () => {
  const day = fc.oneof(
    fc.integer({ min: -100_000, max: 100_000 }),
    fc.integer({ min: -700_000, max: 2_000_000 }),
  )
  fc.assert(
    fc.property(fc.array(day, { minLength: 1, maxLength: 200 }), (days) => {
      const texts = new DayTexts()
      for (const one of [...days, ...days]) expect(texts.of(one)).toBe(formatDate(one, true))
    }),
    runs(50),
  )
})
