import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CommitNotice } from '../../src/index.ts'
import { runs } from '../runs.ts'
import { type ItemStore, itemStore, models, outcomeOf, values } from './drawn-items.ts'

const key = fc.constantFrom<unknown>(1, 1, 2, 2, 3, 4, 5, 'x')
const stamp = fc.option(fc.constantFrom(1, 1, 2, 3), { nil: undefined })
const row = fc
  .tuple(fc.constantFrom(null, null, null, null, 4, 6, 8), fc.option(values, { freq: 1 }))
  .map(([ID, rest]) => (ID === null ? { ...rest } : { ID, ...rest }))
const bulk = fc.oneof(
  fc.record({
    kind: fc.constant('load' as const),
    rows: fc.array(row, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('updateAll' as const),
    changes: fc.array(fc.record({ key, patch: values, stamp }), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('remove' as const), from: fc.nat(5) }),
)
type Bulk = typeof bulk extends fc.Arbitrary<infer B> ? B : never
const step = fc.record({
  bulk,
  session: fc.option(fc.nat(1)),
  locked: fc.option(fc.constantFrom(1, 2), { freq: 3 }),
})

interface Items {
  load(rows: unknown): unknown
  insert(values: unknown): unknown
  update(key: unknown, patch: unknown, options: object): unknown
  updateAll(changes: unknown): unknown
  has(key: unknown): boolean
  remove(key: unknown): unknown
  query(filter: string, parameters: unknown[]): { remove(): number; keys(): unknown[] }
}
const itemsOf = ({ store }: ItemStore): Items => store.dataClass('Item' as never) as never

function together(side: ItemStore, write: Bulk): unknown {
  const items = itemsOf(side)
  switch (write.kind) {
    case 'load':
      return items.load(write.rows)
    case 'updateAll':
      return items.updateAll(write.changes)
    case 'remove':
      return { count: items.query('ID >= :1', [write.from]).remove() }
  }
}

function oneByOne(side: ItemStore, write: Bulk): unknown {
  const items = itemsOf(side)
  switch (write.kind) {
    case 'load':
      for (const each of write.rows) items.insert(each)
      return { count: write.rows.length }
    case 'updateAll':
      for (const { key, patch, stamp } of write.changes) items.update(key, patch, { stamp })
      return { count: write.changes.length }
    case 'remove': {
      const keys = items.query('ID >= :1', [write.from]).keys()
      let count = 0
      for (const each of keys) {
        if (!items.has(each)) continue
        items.remove(each)
        count++
      }
      return { count }
    }
  }
}

/** What listeners and live queries are sent. */
function followed({ store }: ItemStore): unknown[] {
  const received: unknown[] = []
  store.on('commit', (notice: CommitNotice) => received.push(notice))
  const query = itemsOf({ store } as ItemStore).query('count > :1', [0]) as unknown as {
    live(listener: (delta: unknown) => void): unknown
  }
  query.live((delta) => received.push(JSON.stringify(delta)))
  return received
}

test('many writes together have the same outcome as one by one in a transaction', () => {
  fc.assert(
    fc.property(
      models,
      fc.array(step, { minLength: 2, maxLength: 8, size: 'max' }),
      (model, steps) => {
        const sides = [itemStore(model), itemStore(model)] as const
        const received = sides.map(followed)
        for (const each of steps) {
          const [one, two] = [together, oneByOne].map((run, at) => {
            const side = sides[at]!
            const { store, sessions, tick } = side
            tick()
            store.locks.releaseAll(sessions[0]!)
            if (each.locked !== null)
              store.locks.lock('Item' as never, each.locked as never, sessions[0]!)
            const session = each.session === null ? null : sessions[each.session]!
            return outcomeOf(() =>
              store.as(session, () => store.transact(() => run(side, each.bulk))),
            )
          }) as [{ result?: unknown; code?: string }, { result?: unknown; code?: string }]
          if (each.bulk.kind === 'remove') expect(one).toEqual(two)
          else expect(one.result, JSON.stringify([one, two])).toEqual(two.result)
          const dumps = sides.map(({ store }) => new TextDecoder().decode(store.dump()))
          expect(dumps[0]).toBe(dumps[1])
        }
        sides[0].store.verify()
        const changes = sides.map(({ store }) => store.changes({ since: 0 }))
        expect(changes[0]).toEqual(changes[1])
        expect(received[0]).toEqual(received[1])
      },
    ),
    runs(200),
  )
})
