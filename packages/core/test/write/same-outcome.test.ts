import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stampOf, timestampOf } from '../../src/index.ts'
import { runs } from '../runs.ts'
import { type Draft, type ItemStore, itemStore, models, outcomeOf, values } from './drawn-items.ts'

const key = fc.constantFrom<unknown>(1, 1, 1, 2, 2, 3, 4, 'x')
const usually = <T>(value: T, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, other)
const stamp = usually<unknown>(undefined, fc.constantFrom<unknown>(1, 2, 3, 1.5))
const write = fc.oneof(
  fc.record({
    kind: fc.constant('insert' as const),
    ID: fc.constantFrom<unknown>(null, null, null, 1, 4, 5, ''),
    values,
  }),
  fc.record({ kind: fc.constant('update' as const), key, values, stamp }),
  fc.record({ kind: fc.constant('edit' as const), key, values, stamp }),
  fc.record({ kind: fc.constant('remove' as const), key, stamp }),
  fc.record({ kind: fc.constant('removeGroup' as const), key }),
)
const step = fc.record({
  write,
  /** The session that writes, if any. */
  session: usually<number | null>(null, fc.nat(1)),
  /** The entities that the first session locks before the write. */
  locked: fc.option(fc.constantFrom(1, 2), { freq: 3 }),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

function perform({ store }: ItemStore, { write }: Step): unknown {
  const items = store.dataClass('Item' as never) as unknown as {
    insert(values: object): object
    update(key: unknown, patch: unknown, options: object): object
    remove(key: unknown, options: object): void
  }
  const shown = (entity: object) => [
    { ...entity },
    stampOf(entity as never),
    timestampOf(entity as never),
  ]
  switch (write.kind) {
    case 'insert':
      return shown(
        items.insert(write.ID === null ? write.values : { ID: write.ID, ...write.values }),
      )
    case 'update':
      return shown(items.update(write.key, write.values, { stamp: write.stamp }))
    case 'edit':
      return shown(
        items.update(write.key, (draft: Draft) => void Object.assign(draft, write.values), {
          stamp: write.stamp,
        }),
      )
    case 'remove':
      return items.remove(write.key, { stamp: write.stamp })
    case 'removeGroup':
      return store.Group.remove(write.key as never)
  }
}

test('a write has the same outcome alone, in a transaction, and with a listener, for any model, hooks and locks', () => {
  fc.assert(
    fc.property(
      models,
      fc.array(step, { minLength: 4, maxLength: 16, size: 'max' }),
      (model, steps) => {
        const [alone, inside, received] = [itemStore(model), itemStore(model), itemStore(model)]
        received.store.on('commit', () => {})
        const ways = [
          [alone, (body: () => unknown) => body()],
          [inside, (body: () => unknown) => inside.store.transact(() => body())],
          [received, (body: () => unknown) => body()],
        ] as const
        for (const each of steps) {
          const outcomes = ways.map(([side, run]) => {
            const { store, sessions, tick } = side
            tick()
            store.locks.releaseAll(sessions[0])
            if (each.locked !== null)
              store.locks.lock('Item' as never, each.locked as never, sessions[0])
            const session = each.session === null ? null : sessions[each.session]
            return outcomeOf(() => store.as(session, () => run(() => perform(side, each))))
          })
          expect(outcomes[1]).toEqual(outcomes[0])
          expect(outcomes[2]).toEqual(outcomes[0])
        }
        alone.store.verify()
        const dumps = ways.map(([{ store }]) => new TextDecoder().decode(store.dump()))
        expect(dumps).toEqual([dumps[0], dumps[0], dumps[0]])
        const changes = ways.map(([{ store }]) => store.changes({ since: 0 }))
        expect(changes).toEqual([changes[0], changes[0], changes[0]])
      },
    ),
    runs(200),
  )
})
