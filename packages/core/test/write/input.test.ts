import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { codeOf, firmStore, refusalOf, TestStore } from './firm-store.ts'

const Book = defineDataClass('Book', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ minLength: 2, maxLength: 4, pattern: /^[^x]*$/ }),
  price: attribute.number({ min: 1, max: 9 }),
  shelf: attribute.string({ readOnly: true, default: 'A' }),
  printed: attribute.date(),
  data: attribute.object({ notNull: true, default: { tags: [] } }),
  cover: attribute.image(),
  author: attribute.relatedEntity('Author', { foreignKey: 'authorID' }),
  authorID: attribute.uuid(),
  editor: attribute.relatedEntity('Author', { notNull: false }),
  label: attribute.computed('string', {
    get: (book: { title: string | null }) => book.title,
    set: (value: string | null) => ({ title: value === null ? null : value.slice(0, 4), price: 5 }),
  }),
  loop: attribute.computed('long', {
    get: () => 1,
    set: (value: number | null) => ({ loop: value }),
  }),
  fixed: attribute.computed('long', { get: () => 1 }),
  authorName: attribute.alias('author.name'),
})
const Author = defineDataClass('Author', {
  ID: attribute.uuid({ key: true }),
  name: attribute.string(),
  books: attribute.relatedEntities('Book', 'author'),
})
const bookStore = () => new TestStore([Book, Author])
const detailsOf = (run: () => unknown) =>
  refusalOf(run).details as { readonly [name: string]: unknown }

test('only declared attributes are read', () => {
  const store = bookStore()
  for (const name of [
    'nope',
    'Title',
    '__proto__',
    'constructor',
    'toString',
    '__KEY',
    '__STAMP',
    '',
  ]) {
    const input: unknown = JSON.parse(`{"title":"ab",${JSON.stringify(name)}:1}`)
    expect(codeOf(() => store.insert('Book', input as object))).toBe('attributeNotFound')
    store.writer.transact(() =>
      expect(codeOf(() => store.insert('Book', input as object))).toBe('attributeNotFound'),
    )
  }
  class Inherited {
    title = 'ab'
    get nope() {
      return 1
    }
  }
  store.insert('Book', new Inherited())
  expect(store.read('Book', 1)).toMatchObject({ title: 'ab', shelf: 'A', data: { tags: [] } })
  for (const input of [null, 7, 'x', [], undefined]) {
    expect(codeOf(() => store.insert('Book', input as never))).toBe('argumentInvalid')
  }
})

test('values that cannot be written are refused with the remedy', () => {
  const store = bookStore()
  store.insert('Book', { shelf: 'B' })
  for (const patch of [
    { fixed: 2 },
    { authorName: 'x' },
    { shelf: 'C' },
    { ID: 5 },
    { ID: null },
  ]) {
    const refusal = refusalOf(() => store.update('Book', 1, patch))
    expect(refusal.code).toBe('attributeReadOnly')
    expect((refusal.details as { remedy: string }).remedy).not.toBe('')
  }
  store.insert('Author', { name: 'Ann' })
  expect(codeOf(() => store.insert('Author', { books: [] }))).toBe('attributeReadOnly')
  // The same value is no change.
  store.update('Book', 1, { ID: 1, shelf: 'B', title: undefined })
  expect(store.read('Book', 1)).toMatchObject({ stamp: 1 })
})

test('a setter writes the patch that it returns', () => {
  const store = bookStore()
  store.insert('Book', { label: 'abcdef' })
  expect(store.read('Book', 1)).toMatchObject({ title: 'abcd', price: 5 })
  store.update('Book', 1, { label: 'gh', price: 6 })
  expect(store.read('Book', 1)).toMatchObject({ title: 'gh', price: 6 })
  expect(codeOf(() => store.update('Book', 1, { label: 7 }))).toBe('valueInvalid')
  expect(codeOf(() => store.update('Book', 1, { loop: 7 }))).toBe('hookTooDeep')
})

test('the error for a value of a wrong type names the attribute and the expected type', () => {
  const store = bookStore()
  const wrong = {
    title: 7,
    price: Number.NaN,
    printed: 'yesterday',
    data: () => 1,
    cover: 'x',
    authorID: 'x',
    author: 5,
  }
  for (const [name, value] of Object.entries(wrong)) {
    expect(detailsOf(() => store.insert('Book', { [name]: value }))).toMatchObject({
      dataClass: 'Book',
      attribute: name,
    })
    expect(codeOf(() => store.insert('Book', { [name]: value }))).toBe('valueInvalid')
  }
})

test('all broken rules of an entity are reported at once', () => {
  const store = bookStore()
  const { failures } = detailsOf(() => store.insert('Book', { title: 'x', price: 0, data: null }))
  expect((failures as { code: string }[]).map(({ code }) => code)).toEqual([
    'textTooShort',
    'patternMismatch',
    'valueTooSmall',
    'notNullViolation',
  ])
  // Lengths are in characters, not in code units.
  store.insert('Book', { title: '\u{1f600}\u{1f600}\u{1f600}\u{1f600}' })
  expect(codeOf(() => store.insert('Book', { title: '\u{1f600}' }))).toBe('validationFailed')
  expect(codeOf(() => store.update('Book', 1, { title: 'abcde', price: 10 }))).toBe(
    'validationFailed',
  )
})

test('a relation accepts a key, an entity, or null, under either of its names', () => {
  const store = bookStore()
  store.insert('Author', { name: 'Ann' })
  const [key] = store.keys('Author')
  store.insert('Book', { author: key })
  store.insert('Book', { author: { ID: key, name: 'Ann' }, editor: key })
  store.insert('Book', { authorID: key, author: key })
  store.update('Book', 1, { author: null })
  expect([1, 2, 3].map((id) => store.read('Book', id)?.authorID)).toEqual([null, key, key])
  expect(store.read('Book', 2)).toMatchObject({ editor: key })
  for (const author of [{ name: 'Ann' }, { ID: null }, [], true]) {
    expect(codeOf(() => store.insert('Book', { author }))).toBe('valueInvalid')
  }
  expect(codeOf(() => store.insert('Book', { authorID: null, author: key }))).toBe('valueInvalid')
})

test('an edit changes a draft of one entity, and its changes are the patch', () => {
  const store = bookStore()
  store.insert('Author', { name: 'Ann' })
  const [key] = store.keys('Author')
  store.insert('Book', { title: 'ab', printed: '2024-02-29', data: { tags: ['a'] } })
  const edit = (change: (draft: never) => unknown) => store.update('Book', 1, change)
  edit((draft: { data: { tags: string[] }; editor: unknown; printed: string }) => {
    expect(draft.printed).toBe('2024-02-29T00:00:00.000Z')
    draft.data.tags.push('b')
    draft.editor = key
  })
  expect(store.read('Book', 1)).toMatchObject({ data: { tags: ['a', 'b'] }, editor: key, stamp: 2 })
  edit((draft: { author: unknown; title?: string }) => {
    draft.author = { ID: key }
    delete draft.title
  })
  expect(store.read('Book', 1)).toMatchObject({ title: null, authorID: key, stamp: 3 })
  // Changes that have no effect or are undone do not count; the return value is ignored.
  edit((draft: { data: { tags: string[] } }) => (draft.data.tags = ['a', 'b']))
  edit((draft: { price: number | null }) => {
    draft.price = 3
    draft.price = null
  })
  expect(store.read('Book', 1)).toMatchObject({ stamp: 3 })
  expect(codeOf(() => edit((draft: { nope: number }) => (draft.nope = 1)))).toBe(
    'attributeNotFound',
  )
  expect(codeOf(() => edit((draft: { ID: number }) => (draft.ID = 2)))).toBe('attributeReadOnly')
  expect(codeOf(() => edit(async (draft: { price: number }) => (draft.price = 2)))).toBe(
    'promiseReturned',
  )
  expect(() =>
    edit(() => {
      throw new RangeError('mine')
    }),
  ).toThrow(RangeError)
  expect(store.read('Book', 1)).toMatchObject({ stamp: 3 })
})

test('neither inputs nor results share memory with stored values', () => {
  const store = bookStore()
  const data = { tags: ['a'] }
  const bytes = new Uint8Array([1, 2])
  const printed = new Date('2024-02-29')
  store.insert('Book', { data, cover: bytes, printed })
  data.tags.push('b')
  bytes[0] = 9
  printed.setFullYear(1999)
  const before = store.state()
  expect(before).toContain('{"tags":["a"]}')
  const read = store.read('Book', 1) as { data: { tags: string[] }; cover: { bytes(): Uint8Array } }
  expect(() => read.data.tags.push('c')).toThrow(TypeError)
  read.cover.bytes()[0] = 7
  expect(store.state()).toBe(before)
})

test('automatic keys continue behind the highest given key, up to the maximum', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: 1, max: 9 })), { maxLength: 8 }), (given) => {
      const store = bookStore()
      const taken = new Set<number>()
      let next = 1
      for (const ID of given) {
        const expected = ID ?? next
        if (taken.has(expected)) {
          expect(codeOf(() => store.insert('Book', { ID }))).toBe('keyNotUnique')
          continue
        }
        store.insert('Book', { ID })
        expect(store.read('Book', expected)).toBeDefined()
        taken.add(expected)
        next = Math.max(next, expected + 1)
      }
    }),
  )
  const store = bookStore()
  store.insert('Book', { ID: 2_147_483_646 })
  store.insert('Book', {})
  expect(codeOf(() => store.insert('Book', {}))).toBe('sequenceExhausted')
  store.insert('Book', { ID: 5 })
  store.verify()
})

test('a missing key that cannot be generated is refused', () => {
  expect(codeOf(() => firmStore().insert('Badge', {}))).toBe('keyNull')
})

test('preview returns the result of a save and stores nothing', () => {
  const store = bookStore()
  store.insert('Book', { title: 'ab' })
  const before = store.state()
  const { writer } = store
  const table = store.table('Book')
  expect(writer.preview(table, null, { title: 'cd' })).toMatchObject({
    stamp: 1,
    values: [2, 'cd', null, 'A', null, { tags: [] }, null, null, null],
  })
  expect(writer.preview(table, 1, { price: 3 })).toMatchObject({
    stamp: 2,
    values: [1, 'ab', 3, 'A', null, { tags: [] }, null, null, null],
  })
  expect(codeOf(() => writer.preview(table, 1, { price: 30 }))).toBe('validationFailed')
  expect(store.state()).toBe(before)
  expect(writer.globalStamp).toBe(1)
  expect(codeOf(() => writer.transact(() => writer.preview(table, 1, {})))).toBe('notInTransaction')
})

test('a closed store refuses every call', () => {
  const store = bookStore()
  store.writer.close()
  expect(codeOf(() => store.insert('Book', {}))).toBe('storeClosed')
  expect(codeOf(() => store.writer.transact(() => {}))).toBe('storeClosed')
  expect(codeOf(() => store.writer.find(store.table('Book'), 1))).toBe('storeClosed')
})
