import { attribute, createDataStore, defineDataClass } from '../src/index.ts'

/** A store with one item per rank. The next getter that runs calls what `run` was given. */
export function createItems(ranks: readonly number[]) {
  let code = (): void => {}
  const Item = defineDataClass('Item', {
    ID: attribute.long({ key: true, autoSequence: true }),
    rank: attribute.number({ indexed: true, notNull: true }),
    seen: attribute.computed('number', {
      get: ({ rank }: { rank: number }) => {
        const run = code
        code = () => {}
        run()
        return rank
      },
    }),
  })
  const store = createDataStore({ name: 'items', dataClasses: [Item] })
  store.Item.load(ranks.map((rank) => ({ rank })))
  const run = (next: () => void): void => {
    code = next
  }
  return { store, run }
}
export type Store = ReturnType<typeof createItems>['store']
