import { describe, expect, test } from 'vitest'
import { type Goods, goodsStore, type Selection } from './goods-store.ts'
import { placesOf } from './kinds-of-members.ts'
import { MAKERS, plainGoods } from './plain-goods.ts'

const GOODS = plainGoods(140)
const IDS = GOODS.map(({ ID }) => ID)
const OLD: readonly (readonly [string, (goods: Goods) => Selection, readonly number[]])[] = [
  ['everybody', (goods) => goods.all(), IDS],
  ['a selection of keys', (goods) => goods.from([...IDS].reverse()), [...IDS].reverse()],
  ['an ordered range', (goods) => goods.query('ID > 0').orderBy('ID desc'), [...IDS].reverse()],
]

describe.each(OLD)('of %s', (_name, make, ids) => {
  test('first() skips removed members, however many there are', () => {
    for (const gone of [0, 1, 2, 63, 64, 65, 66, 128, 129, 130, 139, 140]) {
      const { store, goods } = goodsStore(MAKERS, GOODS)
      const [old, late] = [make(goods), make(goods).page(1, 200)]
      store.transact(() => {
        for (const ID of ids.slice(0, gone)) goods.remove(ID)
      })
      expect([old.first()?.key, late.first()?.key], String(gone)).toEqual([
        ids[gone],
        ids[Math.max(1, gone)],
      ])
    }
  })

  test('derived selections know which members were removed, before or after', () => {
    for (const count of [1, 2, 3])
      for (const before of [0, 1, 2]) {
        const { goods } = goodsStore(MAKERS, GOODS, { removed: [50, 51].slice(0, before) })
        const left = ids.filter((ID) => before === 0 || (ID !== 50 && (before === 1 || ID !== 51)))
        const old = make(goods)
        const gone = [7, 3, 9].slice(0, count)
        const ordered = old.orderBy('ID')
        for (const ID of gone) goods.remove(ID)
        const isLeft = (ID: number) => !gone.includes(ID)
        const sorted = left.filter(isLeft).sort((a, b) => a - b)
        const away = left.filter((ID) => !isLeft(ID)).map(() => undefined)
        const again = old.orderBy('ID')
        expect([placesOf(again), again.keys(), again.count]).toEqual([
          [...sorted, ...away],
          sorted,
          left.length,
        ])
        expect(
          again.texts({ pieces: [{ kind: 'value', head: '', attribute: 'ID' }], end: '' }),
        ).toEqual([...sorted.map(String), ...away])
        expect([again.clean().count, again.orderBy('ID desc').keys()]).toEqual([
          sorted.length,
          [...sorted].reverse(),
        ])
        expect(ordered.keys()).toEqual(sorted)
        expect([...again].length).toBe(sorted.length)
        expect([old.has(7), again.has(7), again.has(1)]).toEqual([false, false, true])
      }
  })
})

test.each([IDS.length, 9])(
  'of %d members, one that was removed and restored repeatedly counts once',
  (count) => {
    const { store, goods } = goodsStore(MAKERS, GOODS)
    const ids = IDS.slice(0, count)
    const old = goods.query(`ID <= ${ids[count - 1]}`)
    old.settle()
    const before = store.snapshot()
    goods.remove(7)
    expect(old.clean().count).toBe(count - 1)
    for (let time = 0; time < 3; time++) {
      store.restore(before)
      goods.remove(7)
    }
    store.restore(before)
    expect([old.clean().count, old.countOf('ID'), old.orderBy('ID').keys()]).toEqual([
      count,
      count,
      ids,
    ])
  },
)
