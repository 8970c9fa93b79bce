import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { codeOf } from './firm-store.ts'

// Keys that resemble an existing key but differ from it.
const loose = (value: unknown) => value as never
const uuid = '00112233445566778899AABBCCDDEE05'
const keyed = [
  ['long', attribute.long({ key: true }), 5, [5.5, '5', true, [5], { ID: 5 }, 2 ** 32 + 5, 5n]],
  ['long64', attribute.long64({ key: true }), 5, [5.5, '5', true, [5], Number.POSITIVE_INFINITY]],
  ['number', attribute.number({ key: true }), 5, ['5', true, [5], Number.NaN]],
  ['string', attribute.string({ key: true }), '5', [5, true, ['5'], { ID: '5' }]],
  ['uuid', attribute.uuid({ key: true }), uuid, [5, uuid.slice(1), [uuid], 0x05]],
] as const

test.each(keyed)(
  'a key that is not a %s finds no entity, by any method',
  (_, key, right, wrong) => {
    const Thing = defineDataClass('Thing', {
      ID: key as ReturnType<typeof attribute.long>,
      name: attribute.string(),
    })
    const store = createDataStore({ name: 'things', dataClasses: [Thing] })
    store.Thing.insert({ ID: loose(right), name: 'a' })
    store.Thing.update(loose(right), { name: 'b' })
    for (const given of [null, undefined, ...wrong].map(loose)) {
      const found = (things: typeof store.Thing) => [
        things.get(given),
        things.has(given),
        things.all().has(given),
        codeOf(() => things.update(given, { name: 'c' })),
        codeOf(() => things.remove(given)),
      ]
      const nobody = [undefined, false, false, 'entityNotFound', 'entityNotFound']
      expect(found(store.Thing)).toEqual(nobody)
      store.transact((tx) => {
        expect(found(tx.Thing)).toEqual(nobody)
        tx.Thing.insert({ ID: loose(typeof right === 'number' ? 7 : uuid.replace('0', 'F')) })
        expect(found(tx.Thing)).toEqual(nobody)
        tx.Thing.remove(loose(typeof right === 'number' ? 7 : uuid.replace('0', 'F')))
      })
    }
    expect(store.Thing.get(loose(right))).toMatchObject({ ID: right, name: 'b', stamp: 2 })
  },
)

test('zero is one key, whatever its sign', () => {
  for (const key of [attribute.long({ key: true }), attribute.number({ key: true })]) {
    const Zero = defineDataClass('Zero', { ID: key, name: attribute.string() })
    const store = createDataStore({ name: 'zero', dataClasses: [Zero] })
    expect(Object.is(store.Zero.insert({ ID: -0 }).ID, 0)).toBe(true)
    expect(Object.is(store.Zero.update(-0, { name: 'a' }).ID, 0)).toBe(true)
    expect([store.Zero.has(-0), store.Zero.all().has(0), store.Zero.get(-0)?.stamp]).toEqual([
      true,
      true,
      2,
    ])
    store.transact((tx) => {
      tx.Zero.remove(-0)
      tx.Zero.insert({ ID: 0 })
      expect([tx.Zero.has(-0), codeOf(() => tx.Zero.insert({ ID: -0 }))]).toEqual([
        true,
        'keyNotUnique',
      ])
    })
  }
})
