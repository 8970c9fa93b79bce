import { type AnySelection, attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import type { Selection as Members, Table } from '../engine/office-store.ts'
import type { Good, Maker } from './plain-goods.ts'

const MakerClass = defineDataClass('Maker', {
  code: attribute.string({ key: true }),
  name: attribute.string({ indexed: true }),
  land: attribute.string(),
  founded: attribute.date({ dateOnly: true }),
  goods: attribute.relatedEntities('Good', 'maker'),
})

const goodClass = (indexed: boolean) =>
  defineDataClass('Good', {
    ID: attribute.long({ key: true }),
    name: attribute.string(),
    label: attribute.string({ indexed }),
    serial: attribute.string({ unique: true }),
    price: attribute.number(),
    weight: attribute.number({ indexed }),
    stock: attribute.long({ indexed }),
    size: attribute.long(),
    total: attribute.long64(),
    span: attribute.duration(),
    isOpen: attribute.bool(),
    day: attribute.date({ dateOnly: true, indexed }),
    seen: attribute.date(),
    notes: attribute.object(),
    maker: attribute.relatedEntity('Maker'),
    part: attribute.relatedEntity('Good'),
    users: attribute.relatedEntities('Good', 'part'),
    makerName: attribute.alias('maker.name'),
    partSize: attribute.alias('part.size'),
    upper: attribute.computed('string', {
      get: ({ name }: { readonly name: string | null }) => name?.toUpperCase() ?? null,
    }),
    half: attribute.computed('number', {
      get: ({ size }: { readonly size: number | null }) => (size === null ? null : size / 2),
    }),
  })

/** A selection without the types of one model. */
export interface Selection extends Members {
  readonly isSorted: boolean
  readonly dataClass: object
  texts(form: Parameters<AnySelection['texts']>[0]): readonly (string | undefined)[]
  page(skip: number, top: number): Selection
  slice(start?: number, end?: number): Selection
  orderBy(text: string): Selection
  query(filter: string, params?: readonly unknown[]): Selection
  and(other: Selection): Selection
  or(other: Selection): Selection
  except(other: Selection): Selection
  clean(): Selection
  json(paths?: string): string
  live(
    listener: () => void,
  ): Disposable & { readonly initial: readonly { readonly key: unknown }[] }
  settle(): void
}
export interface Goods extends Table {
  all(): Selection
  empty(): Selection
  from(keys: Iterable<string | number>): Selection
  query(
    filter: string,
    params?: readonly unknown[],
    options?: { readonly plan?: number },
  ): Selection
}

export interface GoodsOptions {
  readonly indexed?: boolean
  readonly removed?: readonly number[]
  readonly commits?: number
}

export type GoodsStore = ReturnType<typeof goodsStore>['store']

/**
 * A store of these rows, in their order, from which some goods were removed. Its clock advances 7
 * ms at each reading.
 */
export function goodsStore(
  makers: readonly Maker[],
  goods: readonly Good[],
  { indexed = true, removed = [], commits = 1000 }: GoodsOptions = {},
) {
  let ticks = 0
  const store = createDataStore({
    name: 'goods',
    dataClasses: [MakerClass, goodClass(indexed)],
    history: { commits },
    clock: { now: () => 1_700_000_000_000 + 7 * ++ticks, monotonic: () => 7 * ++ticks },
  })
  store.transact(() => {
    store.Maker.load(makers)
    store.Good.load(goods)
  })
  for (const ID of removed) store.Good.remove(ID)
  return { store, goods: store.Good as unknown as Goods, makers: store.Maker as unknown as Goods }
}
