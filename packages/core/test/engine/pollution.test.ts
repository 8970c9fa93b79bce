import { beforeEach, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, isEntiaError } from '../../src/index.ts'

const Thing = defineDataClass(
  'Thing',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string(),
    notes: attribute.object(),
    kept: attribute.object(),
  },
  {
    hooks: {
      // Copies external input as applications do.
      beforeSave: (draft) => {
        if (draft.notes !== null) draft.kept = Object.assign({}, draft.notes)
      },
    },
  },
)
let store: ReturnType<typeof newStore>
const newStore = () => createDataStore({ name: 'things', dataClasses: [Thing] })
beforeEach(() => {
  store = newStore()
  store.Thing.insert({ name: 'first', notes: { a: 1 } })
})

const POISONS = [
  '{"__proto__":{"polluted":1}}',
  '{"notes":{"__proto__":{"polluted":1}}}',
  '{"notes":{"deep":[{"__proto__":{"polluted":1}}]}}',
  '{"notes":{"constructor":{"prototype":{"polluted":1}}}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"prototype":1}',
  '{"name":{"__proto__":null}}',
  '{"ID":{"__proto__":{"polluted":1}}}',
]
/** Every method that takes a value. */
const WAYS: readonly ((given: never) => unknown)[] = [
  (given) => store.Thing.insert(given),
  (given) => store.Thing.update(1, given),
  (given) => store.Thing.load([given]),
  (given) => store.transact(() => store.Thing.insert(given)),
  (given) => store.Thing.query('name = :name and notes.polluted = :polluted', given).count,
  (given) => store.Thing.query('notes.__proto__.polluted = 1 or name = :1', [given]).count,
  (given) =>
    createDataStore({ name: 'x', dataClasses: [Thing], ...(given as object), limits: given }),
  (given) => store.sessions.open(given),
  (given) => store.view(given),
]

test.each(POISONS)(
  '%s changes no prototype through any input, and no object inherits it',
  (text) => {
    const before = Reflect.ownKeys(Object.prototype).length
    for (const way of WAYS) {
      try {
        way(JSON.parse(text) as never)
      } catch (error) {
        expect(isEntiaError(error), String(error)).toBe(true)
      }
      expect(Reflect.ownKeys(Object.prototype).length).toBe(before)
      expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined()
    }
    for (const { notes, kept } of store.Thing.all().toArray())
      for (const value of [notes, kept]) {
        if (value === null) continue
        expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
        expect((value as { readonly polluted?: unknown }).polluted).toBeUndefined()
      }
    expect(store.Thing.query('notes.polluted = 1 or kept.polluted = 1').count).toBe(0)
  },
)

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__'])(
  '%s is not an attribute, a dataclass or a property of an object',
  (name) => {
    const refused = (run: () => unknown) =>
      expect(run).toThrow(expect.objectContaining({ name: 'EntiaError' }))
    refused(() => store.dataClass(name))
    refused(() => store.Thing.query(`${name} = 1`).count)
    refused(() => store.Thing.all().orderBy(name).keys())
    refused(() => store.Thing.all().distinct(name as 'name'))
    refused(() => store.Thing.all().select(name as 'name'))
    expect(store.Thing.query(`notes.${name} != null`).count).toBe(0)
    expect(store.Thing.query(`notes.a.${name} != null or notes.${name}.name != null`).count).toBe(0)
  },
)
