import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  defineDataClass,
  isEntiaError,
  stampOf,
  timestampOf,
} from '../../src/index.ts'
import { runs } from '../runs.ts'

/** Options of an attribute of any kind. */
const options = (...list: object[]): fc.Arbitrary<never> => fc.constantFrom(...(list as never[]))

/**
 * The features of a random model. Their combination decides whether a single write takes the direct
 * path, and which checks run.
 */
const models = fc.record({
  count: options({}, { min: 0 }, { notNull: true }, { unique: true }, { indexed: true, max: 5 }),
  name: options(
    {},
    { unique: true },
    { maxLength: 2, unique: true },
    { notNull: true, default: 'a' },
  ),
  serial: options({}, { autoSequence: true, max: 20 }, { readOnly: true }),
  onDelete: fc.constantFrom('null', 'cascade', 'restrict'),
  hasSetter: fc.boolean(),
  hooks: fc.oneof(
    fc.constant<string[]>([]),
    fc.subarray([
      'init',
      'beforeSave',
      'validateSave',
      'validateRemove',
      'afterSave',
      'afterRemove',
    ]),
  ),
})
type DrawnModel = typeof models extends fc.Arbitrary<infer M> ? M : never

const key = fc.constantFrom<unknown>(1, 1, 1, 2, 2, 3, 4, 'x')
const sometimes = <T>(value: T, other: T) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, fc.constant(other))
const values = fc
  .tuple(
    fc.record(
      {
        count: fc.constantFrom<unknown>(null, 0, 3, 3, 4, 5, 7, -1),
        name: fc.constantFrom<unknown>(null, 'a', 'A', 'b', 'c', 'long'),
        serial: fc.constantFrom<unknown>(null, 4, 5, 19, 20),
        parent: fc.constantFrom<unknown>(null, 1, 2, 9),
        group: fc.constantFrom<unknown>(null, 1, 2, 9),
      },
      { requiredKeys: [] },
    ),
    sometimes<object>({}, { title: 'b' }),
    sometimes<object>({}, { group: 'x' }),
    sometimes<object>({}, { unknown: 1 }),
  )
  .map((parts): object => Object.assign({}, ...parts))
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

interface Draft {
  [name: string]: unknown
}

function itemStore({ count, name, serial, onDelete, hasSetter, hooks }: DrawnModel) {
  const all: { readonly [hook: string]: unknown } = {
    init: (draft: Draft) => void (draft.count = 3),
    beforeSave: (draft: Draft) => void (draft.name === 'b' && (draft.count = 0)),
    validateSave: (item: Draft) =>
      item.count === 7 ? { errCode: 700, message: 'seven' } : undefined,
    validateRemove: (item: Draft) =>
      item.count === 0 ? { errCode: 600, message: 'kept' } : undefined,
    afterSave: () => {},
    afterRemove: () => {},
  }
  const Group = defineDataClass('Group', { ID: attribute.long({ key: true }) })
  const Item = defineDataClass(
    'Item',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      count: attribute.long(count),
      name: attribute.string(name),
      serial: attribute.long(serial),
      token: attribute.uuid({ autoSequence: true }),
      parent: attribute.relatedEntity('Item', { onDelete: onDelete as 'null' }),
      group: attribute.relatedEntity('Group', { onDelete: 'cascade' }),
      title: attribute.computed('string', {
        get: () => 'title',
        ...(hasSetter ? { set: (value: unknown) => ({ name: value }) } : {}),
      } as never),
    } as never,
    { hooks: Object.fromEntries(hooks.map((hook) => [hook, all[hook]])) } as never,
  )
  let ids = 0
  let now = 5000
  const store = createDataStore({
    name: 'items',
    dataClasses: [Group, Item],
    clock: { now: () => now, monotonic: () => now },
    ids: { uuid: () => (++ids).toString(16).padStart(32, '0'), token: () => `token ${++ids}` },
  })
  store.Group.insert({ ID: 1 } as never)
  store.Group.insert({ ID: 2 } as never)
  const rows = ['a', 'b', 'c'].map((name, i) => ({
    ID: i + 1,
    count: i,
    name,
    parent: i === 0 ? null : i,
    group: 1,
  }))
  store.dataClass('Item' as never).load(rows as never, { hooks: false })
  const sessions = [store.sessions.open(), store.sessions.open()]
  const tick = () => void (now += 10)
  return { store, sessions, tick }
}
type ItemStore = ReturnType<typeof itemStore>

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

/** The outcome of a write: its result, or its error. */
function outcomeOf(ask: () => unknown): unknown {
  try {
    return { result: ask() }
  } catch (error) {
    if (isEntiaError(error))
      return { code: error.code, message: error.message, details: error.details }
    throw error
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
