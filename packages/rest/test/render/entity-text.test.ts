import { attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { get, post } from '../http/send.ts'

const Thing = defineDataClass('Thing', {
  key: attribute.string({ key: true, collation: 'exact' }),
  äbcé名: attribute.string(),
  link: attribute.string(),
  amount: attribute.number(),
  extra: attribute.object(),
  odd: attribute.computed('number', { get: () => Number.NaN }),
  cut: attribute.computed('string', {
    get: ({ link }: { link: string | null }) => link?.slice(0, 1) ?? null,
  }),
  parent: attribute.relatedEntity('Thing'),
  children: attribute.relatedEntities('Thing', 'parent'),
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('"', '\\', '\u2028', '😀', '\u007f'),
)

test('text written in pieces equals that of JSON.stringify, for any names and values', async () => {
  await fc.assert(
    fc.asyncProperty(
      text.filter((key) => key !== ''),
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.dictionary(text, text, { maxKeys: 2 }),
      async (key, value, amount, object) => {
        const store = createDataStore({ name: 'things', dataClasses: [Thing] })
        const extra = Object.fromEntries(
          Object.entries(object).filter(
            ([name]) => !/^(__proto__|constructor|prototype)$/.test(name),
          ),
        )
        store.Thing.insert({ key, äbcé名: value, link: value, amount, extra, parent: key })
        const rest = createRestHandler(store)
        const expected = { äbcé名: value, link: value, amount: amount + 0, extra, odd: null }
        for (const url of [
          '/rest/Thing',
          '/rest/Thing?$asArray=true',
          '/rest/Thing?$expand=parent,children.parent',
        ]) {
          const reply = await get(rest, url)
          expect(JSON.stringify(reply.body)).toBe(reply.text)
          expect((reply.body.__ENTITIES ?? reply.body)[0]).toMatchObject(expected)
        }
        const [read] = (await get(rest, '/rest/Thing')).body.__ENTITIES
        for (const address of [read.parent.__deferred.uri, read.children.__deferred.uri])
          expect((await get(rest, address)).status).toBe(200)
        const written = await post(rest, '/rest/Thing', { __KEY: key, amount: 1 })
        expect(JSON.stringify(written.body)).toBe(written.text)
        expect(written.body).toMatchObject({ ...expected, amount: 1 })
      },
    ),
  )
})
