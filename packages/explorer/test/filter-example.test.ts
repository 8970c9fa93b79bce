import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { exampleOf } from '../src/page/filter-example.ts'
import { readModel } from '../src/page/model.ts'

const key = attribute.long({ key: true })
const classes = {
  Loan: {
    ID: key,
    due: attribute.date({ dateOnly: true }),
    member: attribute.relatedEntity('Member'),
    title: attribute.alias('member.name'),
  },
  Member: { ID: key, name: attribute.string(), fines: attribute.number() },
  Copy: { ID: key, free: attribute.bool(), member: attribute.relatedEntity('Member') },
  Visit: { ID: key, at: attribute.date(), member: attribute.relatedEntity('Member') },
  Page: { ID: attribute.uuid({ key: true }), text: attribute.blob() },
  Big: { code: attribute.string({ key: true }), size: attribute.long64() },
}
const store = createDataStore({
  name: 'club',
  dataClasses: Object.entries(classes).map(([name, attributes]) =>
    defineDataClass(name, attributes),
  ) as never,
})
const rest = createRestHandler(store)
const answer = await rest.fetch(new Request('http://localhost/rest/$catalog/$all'))
const model = readModel(await answer.json())

test.each([
  ['Loan', "title = 'A@'"],
  ['Member', 'fines > 60'],
  ['Copy', 'free = true'],
  ['Visit', 'member != null'],
  ['Page', 'ID != null'],
  ['Big', 'size > 60'],
])('the example of %s is a filter that the store accepts', (name, example) => {
  expect(exampleOf(model.classes.get(name)!)).toBe(example)
  expect(store.dataClass(name).query(example).count).toBe(0)
})
