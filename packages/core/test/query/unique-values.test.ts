import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

/** Unique attributes by type, each with values that a writer may give. */
const KINDS = {
  whole: [attribute.long({ unique: true }), [1, -2, 0]],
  large: [attribute.long64({ unique: true }), [2 ** 40, 7, -1]],
  real: [attribute.number({ unique: true }), [0.5, -0, 1e300]],
  folded: [attribute.string({ unique: true }), ['Ana', 'élan', 'x*']],
  exact: [attribute.string({ unique: true, collation: 'exact' }), ['b', 'B', '\u{1F600}']],
  id: [attribute.uuid({ unique: true }), ['0A', '0B', '0C'].map((end) => end.padStart(32, '0'))],
  day: [
    attribute.date({ unique: true, dateOnly: true }),
    ['2024-01-31', '1969-12-31', '2000-02-29'],
  ],
  flag: [attribute.bool({ unique: true }), [true, false, null]],
} as const

test.each(Object.entries(KINDS))(
  'findBy of a unique attribute agrees with a query in every state of the store: %s',
  (_name, [value, [first, second, third]]) => {
    const Row = defineDataClass('Row', {
      ID: attribute.long({ key: true }),
      value,
      size: attribute.long({ indexed: true }),
    })
    const store = createDataStore({ name: 'rows', dataClasses: [Row] })
    const table = store.dataClass('Row')
    const agree = (expected: readonly (number | undefined)[]): void => {
      const wanted = [first, second, third]
      expect(wanted.map((each) => table.findBy('value', each)?.key)).toEqual(expected)
      expect(
        wanted.map((each) =>
          each === null
            ? table.query('value === null').first()?.key
            : table.query('value === :1', [each]).first()?.key,
        ),
      ).toEqual(expected)
    }
    agree([undefined, undefined, undefined])
    table.insert({ ID: 5, value: first })
    const before = store.snapshot()
    table.insert({ ID: 3, value: second })
    const atNull = third === null ? 4 : undefined
    if (third === null) table.insert({ ID: 4 })
    agree([5, 3, atNull])
    table.update(5, { size: 1 })
    expect(table.findBy('value', first)).toEqual(table.get(5))
    store.transact(() => {
      table.remove(5)
      table.update(3, { value: first })
      agree([3, undefined, atNull])
      table.insert({ ID: 9, value: second })
      agree([3, 9, atNull])
      expect(table.findBy('value', second)?.stamp).toBe(1)
    })
    agree([3, 9, atNull])
    store.restore(before)
    agree([5, undefined, undefined])
    table.remove(5)
    agree([undefined, undefined, undefined])
    store.close()
    expect(() => table.findBy('value', first)).toThrow(/closed/)
  },
)

test('findBy refuses a wrong value of a unique attribute before a closed store', () => {
  const Row = defineDataClass('Row', {
    ID: attribute.long({ key: true }),
    value: attribute.long({ unique: true }),
  })
  const store = createDataStore({ name: 'rows', dataClasses: [Row] })
  store.close()
  expect(() => store.Row.findBy('value', 'one' as never)).toThrow(/value/)
  expect(() => store.Row.findBy('values' as never, 1 as never)).toThrow(/"values"/)
})
