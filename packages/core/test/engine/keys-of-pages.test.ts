import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

const Narrow = defineDataClass('Item', {
  ID: attribute.long({ key: true }),
  word: attribute.string({ indexed: true }),
  size: attribute.number({ indexed: true }),
})
const Wide = defineDataClass('Item', {
  ID: attribute.long64({ key: true }),
  word: attribute.string({ indexed: true }),
  size: attribute.number({ indexed: true }),
})

const place = fc.integer({ min: 0, max: 8 })
const filters = fc.constantFrom("word = 'b'", "word begin 'b'", 'size = 1', 'size >= 1', 'ID > 0')

describe.each([
  ['32 bits', Narrow, 1],
  ['more than 32 bits', Wide, 2 ** 33],
] as const)('keys of %s', (_name, Item, first) => {
  test('of a page are those of the filtered members in their places, before and after writes', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            word: fc.constantFrom('a', 'b', 'B', 'bc'),
            size: fc.integer({ min: 0, max: 2 }),
          }),
          {
            minLength: 1,
            maxLength: 40,
          },
        ),
        filters,
        fc.tuple(place, place, place, place),
        fc.uniqueArray(place, { maxLength: 3 }),
        (rows, filter, [skip, top, innerSkip, innerTop], removed) => {
          const store = createDataStore({ name: 'keys', dataClasses: [Item] })
          store.Item.load(rows.map((row, i) => ({ ID: first + i, ...row })))
          const selected = store.Item.query(filter)
          const page = selected.page(skip, top)
          const inner = page.page(innerSkip, innerTop)
          const late = selected.page(skip, top)
          const all = store.Item.query(filter)
            .toArray()
            .map(({ ID }) => ID)
          const window = all.slice(skip, skip + top)
          expect(selected.keys()).toEqual(all)
          expect(page.keys()).toEqual(window)
          expect(inner.keys()).toEqual(window.slice(innerSkip, innerSkip + innerTop))
          for (const i of removed) if (i < rows.length) store.Item.remove(first + i)
          store.Item.insert({ ID: first + 100, word: 'b', size: 1 })
          const gone = new Set(removed.map((i) => first + i))
          expect(late.keys()).toEqual(window.filter((ID) => !gone.has(ID)))
          expect(page.keys()).toEqual(window.filter((ID) => !gone.has(ID)))
        },
      ),
    )
  })

  test('read in an open transaction are those of the creation without the removed ones', () => {
    const store = createDataStore({ name: 'keys', dataClasses: [Item] })
    store.Item.load([1, 2, 3].map((size, i) => ({ ID: first + i, word: 'b', size })))
    const page = store.Item.query("word = 'b'").page(0, 2)
    store.transact(() => {
      store.Item.remove(first)
      store.Item.update(first + 1, { word: 'c' })
      expect(page.keys()).toEqual([first + 1])
    })
  })
})
