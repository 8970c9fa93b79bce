import fc from 'fast-check'
import { attribute, createDataStore, defineDataClass, isEntiaError } from '../../src/index.ts'

/** Options of an attribute of any kind. */
const options = (...list: object[]): fc.Arbitrary<never> => fc.constantFrom(...(list as never[]))

/**
 * The features of a random model. Their combination decides whether a single write takes the direct
 * path, and which checks run.
 */
export const models = fc.record({
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
export type DrawnModel = typeof models extends fc.Arbitrary<infer M> ? M : never

const sometimes = <T>(value: T, other: T) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, fc.constant(other))
export const values = fc
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
export interface Draft {
  [name: string]: unknown
}

export function itemClasses({ count, name, serial, onDelete, hasSetter, hooks }: DrawnModel) {
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
  return [Group, Item] as const
}

export function itemStore(model: DrawnModel) {
  let ids = 0
  let now = 5000
  const store = createDataStore({
    name: 'items',
    dataClasses: itemClasses(model),
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
  /** A refused write may have taken ids. */
  const tick = () => {
    now += 10
    ids = 100 * now
  }
  return { store, sessions, tick }
}
export type ItemStore = ReturnType<typeof itemStore>

/** The outcome of a write: its result, or its error. */
export function outcomeOf(ask: () => unknown): unknown {
  try {
    return { result: ask() }
  } catch (error) {
    if (isEntiaError(error))
      return { code: error.code, message: error.message, details: error.details }
    throw error
  }
}
