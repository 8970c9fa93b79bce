import { createDataStore, defineDataClass, attribute as make } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { partsOf, searchCondition, withoutCondition } from '../src/page/filter-parts.ts'
import { readModel } from '../src/page/model.ts'
import { narrowed } from '../src/page/narrow.ts'

const conditions = [
  'a = 1',
  "b = 'x and y'",
  'b = "or \\" and "',
  "b = 'it\\'s and'",
  '(a = 1 or b = 2 and a = 3)',
  'a isin [1, 2]',
  'not a = 3',
  'land = 4',
  'b.land is not null',
  'date >= !!2024-02-29!!',
]

test('a filter is divided at its outer "and", and only there', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...conditions), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(' and ', ' AND ', ' & ', ' && ', '  and\n'),
      fc.constantFrom('', 'order by a desc'),
      (chosen, joint, order) => {
        const parts = partsOf(`${chosen.join(joint)} ${order}`)
        expect(parts).toEqual({ conditions: chosen, isChoice: false, order })
        const [, ...rest] = chosen
        expect(withoutCondition(parts, 0)).toBe(
          [rest.join(' and '), order].filter(Boolean).join(' '),
        )
        expect(partsOf(narrowed(chosen.join(joint), 'c = 1')).conditions).toEqual([
          ...chosen,
          'c = 1',
        ])
      },
    ),
  )
  for (const filter of ['a = 1 or b = 2', 'a = 1 and b = 2 || a = 3', 'a = 1 except b = 2'])
    expect(partsOf(filter)).toEqual({ conditions: [filter], isChoice: true, order: '' })
  expect(partsOf('order by a')).toEqual({ conditions: [], isChoice: false, order: 'order by a' })
})

test('a search finds words in each text, by the index of words where there is one', async () => {
  const Article = defineDataClass('Article', {
    ID: make.long({ key: true }),
    title: make.string(),
    body: make.string({ words: true }),
    year: make.long(),
  })
  const store = createDataStore({ name: 'articles', dataClasses: [Article] })
  store.Article.load([
    { ID: 1, title: "The night's train", body: 'nothing', year: 1 },
    { ID: 2, title: 'Nothing', body: 'Trains run at night', year: 2 },
    { ID: 3, title: 'Nothing', body: null, year: 3 },
  ])
  const rest = createRestHandler(store)
  const answer = await rest.fetch(new Request('http://localhost/rest/$catalog/$all'))
  const dataClass = readModel(await answer.json()).classes.get('Article')
  const keys = (typed: string) => {
    const condition = dataClass === undefined ? null : searchCondition(typed, dataClass)
    return condition === null ? null : store.Article.query(condition).keys()
  }
  expect(keys('night train')).toEqual([2])
  expect(keys("night's tr")).toEqual([1])
  expect(keys('train')).toEqual([1, 2])
  expect(keys('  ')).toBeNull()
})
