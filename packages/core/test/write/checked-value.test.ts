import { expect, test } from 'vitest'
import {
  attribute,
  checkedValue,
  createDataStore,
  defineDataClass,
  isSelection,
  type StorageAttribute,
} from '../../src/index.ts'

const Task = defineDataClass('Task', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ maxLength: 3, notNull: true }),
  due: attribute.date({ dateOnly: true }),
  detail: attribute.object(),
})
const store = createDataStore({ name: 'tasks', dataClasses: [Task] })
const attributeOf = (name: string) => store.Task.model.attributes.get(name) as StorageAttribute

test('a checked value equals the value of the entity, whatever the rules of a save', () => {
  expect(checkedValue(attributeOf('title'), 'too long')).toBe('too long')
  expect(checkedValue(attributeOf('title'), null)).toBe(null)
  expect(checkedValue(attributeOf('due'), new Date('2024-02-29T00:00:00Z'))).toBe('2024-02-29')
  const given = { a: [1] }
  const kept = checkedValue(attributeOf('detail'), given) as typeof given
  expect([kept, kept === given, Object.isFrozen(kept.a)]).toEqual([{ a: [1] }, false, true])
})

test('the error for a value of a wrong type names the attribute', () => {
  expect(() => checkedValue(attributeOf('title'), 7)).toThrow('"title"')
  expect(() => checkedValue(attributeOf('due'), 'yesterday')).toThrow('"due"')
})

test('selections are distinguished from all other objects', () => {
  expect(
    [store.Task.all(), store.Task.all().toArray(), store.Task, { members: () => [] }, null].map(
      isSelection,
    ),
  ).toEqual([true, false, false, false, false])
})
