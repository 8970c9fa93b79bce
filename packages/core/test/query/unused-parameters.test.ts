// A value that no placeholder uses is refused wherever a filter takes values, cached or not.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asyncOf } from '../../src/async.ts'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { where } from '../../src/query.ts'
import { codeOrDone, refusalOf } from '../filter/refusal.ts'

const Author = defineDataClass('Author', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ indexed: true }),
  age: attribute.long({ indexed: true }),
  books: attribute.relatedEntities('Book', 'author'),
})
const Book = defineDataClass('Book', {
  ID: attribute.long({ key: true }),
  author: attribute.relatedEntity('Author'),
})
const store = createDataStore({ name: 'shop', dataClasses: [Author, Book] })
store.Author.insert({ ID: 1, name: 'Lem', age: 30 })
store.Author.insert({ ID: 2, name: 'Ann', age: 40 })
const hidden = store.view({ rows: { Book: 'author.age > 1' } })

/** Every call that takes a filter with values. */
const CALLS: { readonly [call: string]: (text: string, values: never) => unknown } = {
  query: (text, values) => store.Author.query(text, values).count,
  'query of a selection': (text, values) => store.Author.all().query(text, values).count,
  'query of a relation': (text, values) =>
    store.Author.query(text.replaceAll('age ', 'books.author.age '), values).count,
  'query in a transaction': (text, values) =>
    store.transact((tx) => tx.Author.query(text, values).count),
  'query of a view': (text, values) => hidden.dataClass('Author').query(text, values).count,
  'query of the past': (text, values) => store.at(1).Author.query(text, values).count,
  explain: (text, values) => store.Author.explain(text, values),
  trace: (text, values) => store.Author.trace(text, values),
  plans: (text, values) => store.Author.plans(text, values),
  live: (text, values) =>
    store.Author.query(text, values)
      .live(() => undefined)
      .stop(),
  having: (text, values) =>
    store.Author.all().groupBy('age', { count: true }).having(text, values).toArray(),
  'the rule of a view': (text, values) =>
    store
      .view({ rows: { Author: { filter: text, parameters: values } } })
      .dataClass('Author')
      .all().count,
}
const FITTING = [
  ['age = 30', undefined],
  ['age = :1', [30]],
  ['age >= :1 and age < :2', [30, 40]],
  ['age = :1 or age = :2', [30, 40]],
  ['age in :1', [[30]]],
  ['age = :age', { age: 30 }],
] as const

test.each(Object.entries(CALLS))('by %s', (_, call) => {
  for (let times = 0; times < 3; times++)
    for (const [text, values] of FITTING) {
      const told = `${text}, ${times}`
      expect([told, codeOrDone(() => call(text, values as never))]).toEqual([told, 'done'])
      const more =
        values === undefined || Array.isArray(values)
          ? [...(values ?? []), 7]
          : { ...values, more: 7 }
      const error = refusalOf(() => call(text, more as never))
      expect([told, error.code]).toEqual([told, 'parameterUnused'])
    }
})

test('the values of conditions, and of asynchronous stores, are all used', async () => {
  const e = where(store.Author)
  const condition = e('age', '>', 1).and(e('name', '=', 'Lem'))
  expect(store.Author.query(condition).count).toBe(1)
  const { text, params } = condition
  const forged = {
    dataClass: 'Author',
    text,
    params: [...params, 7],
  } as unknown as typeof condition
  expect(refusalOf(() => store.Author.query(forged)).code).toBe('parameterUnused')
  const remote = asyncOf(store)
  const quoted = remote.Author.query`name = '${'Lem'}'`.toArray()
  await expect(quoted).rejects.toThrow('The filter has :1 in quotes, where it is text')
  expect(await remote.Author.query`name = ${'Lem'}`.toArray()).toHaveLength(1)
})

test('exactly the values of the placeholders are taken, in any filter', () => {
  const position = fc.integer({ min: 1, max: 5 })
  fc.assert(
    fc.property(
      fc.array(position, { maxLength: 4 }),
      fc.nat(6),
      fc.boolean(),
      (used, length, isOr) => {
        const text = used.map((at) => `age > :${at}`).join(isOr ? ' or ' : ' and ')
        const values = Array.from({ length }, () => 1)
        const unused = values.findIndex((_, at) => !used.includes(at + 1))
        const expected = used.some((at) => at > length)
          ? 'placeholderMissing'
          : unused >= 0
            ? 'parameterUnused'
            : 'done'
        expect(codeOrDone(() => store.Author.query(text, values))).toBe(expected)
      },
    ),
  )
})
