import { beforeEach, describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, openDump } from '../../src/index.ts'
import { linesOfDump, sealedDump } from '../sealed-dump.ts'

const HIGHEST = 2 ** 31 - 1
const dataClasses = [
  defineDataClass('Counter', { ID: attribute.long({ key: true }), n: attribute.long() }),
] as const

/** A store with one entity that has the highest stamp. */
function worn() {
  const store = createDataStore({ name: 'counters', dataClasses })
  store.Counter.insert({ ID: 1, n: 0 })
  const lines = linesOfDump(store.dump())
  const changed = lines.map((line) => line.replace(/^\[0,1,/, `[0,${HIGHEST},`))
  expect(changed).not.toEqual(lines)
  return openDump(sealedDump(changed), { dataClasses })
}

describe('after the highest stamp, stamps restart at 1', () => {
  let store: ReturnType<typeof worn>
  beforeEach(() => {
    store = worn()
  })

  test.each([
    ['one save', () => store.Counter.update(1, { n: 1 }, { stamp: HIGHEST })],
    [
      'a save of a transaction',
      () => store.transact(() => store.Counter.update(1, { n: 1 }, { stamp: HIGHEST })),
    ],
    ['a batch', () => store.Counter.updateAll([{ key: 1, stamp: HIGHEST, patch: { n: 1 } }])],
  ])('%s', (_, save) => {
    expect(store.Counter.get(1)?.stamp).toBe(HIGHEST)
    save()
    expect(store.Counter.get(1)?.stamp).toBe(1)
    store.verify()
    expect(() => store.Counter.update(1, { n: 2 }, { stamp: HIGHEST })).toThrow('stamp')
    store.Counter.update(1, { n: 2 }, { stamp: 1 })
    expect(store.Counter.get(1)).toMatchObject({ n: 2, stamp: 2 })
  })

  test('restart also inside a transaction and a batch, which continue from there', () => {
    store.transact(() => {
      store.Counter.update(1, { n: 1 })
      store.Counter.update(1, { n: 2 }, { stamp: 1 })
    })
    expect(store.Counter.get(1)).toMatchObject({ n: 2, stamp: 1 + 1 })
    store = worn()
    store.Counter.updateAll([
      { key: 1, stamp: HIGHEST, patch: { n: 1 } },
      { key: 1, stamp: 1, patch: { n: 2 } },
    ])
    expect(store.Counter.get(1)?.n).toBe(2)
    store.verify()
  })
})
