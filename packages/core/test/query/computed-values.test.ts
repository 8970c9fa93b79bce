import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

/** A store with one row per value, which its computed attribute of the given type returns. */
function computing(type: Parameters<typeof attribute.computed>[0], values: readonly unknown[]) {
  const Row = defineDataClass('Row', {
    ID: attribute.long({ key: true }),
    up: attribute.relatedEntity('Row'),
    value: attribute.computed(type, {
      get: (({ ID }: { readonly ID: number }) => values[ID]) as never,
    }),
  })
  const store = createDataStore({ name: 'rows', dataClasses: [Row] })
  store.Row.load(values.map((_, ID) => ({ ID, up: ID === 0 ? null : ID - 1 })))
  return store.Row.all() as unknown as {
    distinct(path: string): unknown[]
    compute(path: string): {
      readonly count: number
      readonly sum: unknown
      readonly min: unknown
      readonly max: unknown
    }
  }
}
const OLD = '1950-05-05T00:00:00.000Z'
const EPOCH = '1970-01-01T00:00:00.000Z'

test('a computed date is compared as a date, in whatever form the getter returns it', () => {
  const rows = computing('date', [new Date(0), EPOCH, OLD, 0, null, undefined, 'never'])
  expect(rows.distinct('value')).toEqual([OLD, new Date(0)])
  expect(rows.compute('value')).toMatchObject({ count: 4, sum: null, min: OLD, max: new Date(0) })
  expect(rows.distinct('up.value')).toEqual([OLD, new Date(0)])
})

test('a computed duration is compared in milliseconds, also when the getter returns text', () => {
  const rows = computing('duration', ['01:00:00', 3_600_000, 1, 'x', null])
  expect(rows.distinct('value')).toEqual([1, '01:00:00'])
  expect(rows.compute('value')).toMatchObject({ count: 3, min: 1, max: '01:00:00' })
})

test('a value that does not have the computed type is not compared, counted or added', () => {
  const numbers = computing('number', [3, 'three', true, {}, [1], Number.NaN, 1.5, null])
  expect(numbers.distinct('value')).toEqual([1.5, 3])
  expect(numbers.compute('value')).toMatchObject({ count: 2, sum: 4.5, min: 1.5, max: 3 })
  const truths = computing('bool', [true, false, 1, 'yes', null])
  expect(truths.distinct('value').slice(0, 2)).toEqual([false, true])
  const texts = computing('string', ['b', 'B', 'Á', 'a', 7, null])
  expect(texts.distinct('value').filter((one) => typeof one === 'string')).toEqual(['Á', 'b'])
})
