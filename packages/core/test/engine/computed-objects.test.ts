import {
  attribute,
  createDataStore,
  defineDataClass,
  isEntiaError,
  type Untyped,
} from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../runs.ts'

interface Row {
  readonly notes: object | null
}
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true, autoSequence: true }),
  notes: attribute.object(),
  friend: attribute.relatedEntity('Person'),
  mirror: attribute.computed('object', { get: (person: Row) => person.notes }),
  fans: attribute.relatedEntities('Person', 'friend'),
  friendNotes: attribute.alias('friend.notes'),
  friendMirror: attribute.alias('friend.mirror'),
})

const scalar = fc.constantFrom(null, '', 'a', 'Ä', 'b', true, 0, 1, -2.5)
const notes = fc.option(
  fc.record(
    { a: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), b: fc.record({ c: scalar }) },
    { requiredKeys: [] },
  ),
)
const rows = fc.array(fc.record({ notes, friend: fc.option(fc.integer({ min: 1, max: 4 })) }), {
  minLength: 4,
  maxLength: 9,
})

/** Each read of values at a path, whose name in the results is hidden. */
const readsOf = (people: Untyped, path: string): readonly unknown[] =>
  [
    () => people.min(path),
    () => people.max(path),
    () => people.sum(path),
    () => people.countOf(path),
    () => people.compute(path, { distinct: true }),
    () => people.distinct(path),
    () => [...people.groupBy(path, { count: true, ID: 'sum' })],
    () => [...people.groupBy('ID', { [path]: ['count', 'max'] })],
    () => people.select(path),
  ].map((read) => {
    try {
      return JSON.stringify(read()).replaceAll(/friendNotes|friendMirror|mirror/g, 'notes')
    } catch (error) {
      if (isEntiaError(error)) return error.code
      throw error
    }
  })

test('computed objects and their properties are read as stored ones', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const store = createDataStore({ name: 'people', dataClasses: [Person] })
      store.Person.load(given.map((row) => ({ ...row })) as never)
      const people = store.Person.query('ID > 1')
      for (const path of ['', '.a', '.b', '.b.c', '.lost']) {
        const stored = readsOf(people, `notes${path}`)
        expect(readsOf(people, `mirror${path}`)).toEqual(stored)
        const friends = readsOf(people, `friendNotes${path}`)
        expect(readsOf(people, `friendMirror${path}`)).toEqual(friends)
      }
      for (const filter of ['notes = null', 'notes != null', 'not notes = null'])
        for (const path of ['', 'friend.', 'fans.']) {
          const read = (name: string) =>
            store.Person.query(filter.replace('notes', `${path}${name}`)).keys()
          expect(read('mirror')).toEqual(read('notes'))
        }
      expect(store.Person.query('friendMirror = null').keys()).toEqual(
        store.Person.query('friendNotes = null').keys(),
      )
    }),
    runs(100),
  )
})
