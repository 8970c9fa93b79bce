import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import type { Goods } from './goods-store.ts'

const Tree = defineDataClass('Tree', {
  ID: attribute.long({ key: true }),
  /** 1000 heights, shuffled. */
  height: attribute.number({ indexed: true }),
  /** Ascends with the record number. */
  born: attribute.long({ indexed: true }),
  /** Descends with the record number, where it is not null. */
  rank: attribute.number({ indexed: true }),
  kind: attribute.string({ indexed: true }),
  plot: attribute.string({ indexed: true }),
  code: attribute.string({ unique: true, indexed: true }),
  age: attribute.long(),
  area: attribute.number(),
})

export type Tree = {
  readonly ID: number
  readonly height: number | null
  readonly born: number
  readonly rank: number | null
  readonly kind: string | null
  readonly plot: string
  readonly code: string | null
  readonly age: number | null
  readonly area: number | null
}

export const SIZE = 5000
export const TREES: readonly Tree[] = Array.from({ length: SIZE }, (_, at) => ({
  ID: at + 1,
  height: at % 40 === 7 ? null : ((at * 7919) % 1000) / 2,
  born: at >> 1,
  rank: at % 3 === 0 ? null : SIZE - at,
  kind: at % 50 === 11 ? null : `${at % 2 === 0 ? 'K' : 'k'}ind ${(at * 31) % 40}`,
  plot: at < 4700 ? 'field' : `plot ${at % 9}`,
  code: at % 4 === 0 ? null : `${'abcd'[(at * 7) % 4]}${(at * 7919) % 5003}`,
  age: at % 30 === 3 ? null : (at * 131) % 997,
  area: at % 25 === 9 ? null : ((at * 57) % 1200) / 8,
}))

/** A store of `TREES`, without the trees of these keys. */
export function woodStore(removed: readonly number[] = []) {
  let ticks = 0
  const store = createDataStore({
    name: 'wood',
    dataClasses: [Tree],
    clock: { now: () => 1_700_000_000_000 + ++ticks, monotonic: () => 7 * ++ticks },
  })
  store.Tree.load(TREES)
  if (removed.length > 0)
    store.transact(() => {
      for (const ID of removed) store.Tree.remove(ID)
    })
  return { store, trees: store.Tree as unknown as Goods }
}
