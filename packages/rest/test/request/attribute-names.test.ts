import { attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler } from '../../src/index.ts'
import { get, post } from '../http/send.ts'

/**
 * Names that the model accepts and that have a meaning elsewhere: in filters, orders, addresses,
 * answers.
 */
const WORDS = [
  'order',
  'by',
  'asc',
  'desc',
  'in',
  'is',
  'begin',
  'null',
  'true',
  'eval',
  'like',
  'Uri',
  'count',
  'all',
]
const names = fc.oneof(
  fc.constantFrom(...WORDS, '_', '_1', 'é', 'e\u0301', 'नाम', '名前', 'a٣', 'a²', 'İ'),
  fc.string({ unit: fc.constantFrom('a', 'B', '_a', 'é', 'ß', '名'), minLength: 1, maxLength: 3 }),
)

test('every name of the model can be requested, ordered by, filtered, counted and listed over HTTP', async () => {
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      const Thing = defineDataClass('Thing', {
        zz_key: attribute.long({ key: true, autoSequence: true }),
        [name]: attribute.string({ indexed: true }),
        zz_other: attribute.relatedEntity('Thing'),
      } as never)
      const rest = createRestHandler(
        createDataStore({ name: 'names', dataClasses: [Thing] as never }),
      )
      for (const value of ['b', 'a']) {
        const saved = await post(rest, '/rest/Thing', { [name]: value, zz_other: 1 })
        expect([saved.status, saved.body[name]]).toEqual([200, value])
      }
      const asked = async (query: string): Promise<unknown[]> => {
        const { status, body } = await get(rest, `/rest/Thing${query}`)
        expect([query, status]).toEqual([query, 200])
        return Array.isArray(body)
          ? body
          : body.__ENTITIES.map((entity: { [name: string]: unknown }) => entity[name])
      }
      const written = encodeURIComponent(name)
      expect(await asked(`?$filter="${written}%20=%20'a'"`)).toEqual(['a'])
      expect(await asked(`?$filter="zz_other.${written}=b"&$orderby=${written}`)).toEqual([
        'a',
        'b',
      ])
      expect(
        await asked(`?$filter="${written}=:1%20order%20by%20${written}"&$params=["b"]`),
      ).toEqual(['b'])
      expect(
        await asked(`?$orderby=zz_other.${written},${written}%20desc&$attributes=${written}`),
      ).toEqual(['b', 'a'])
      expect(await asked(`/${written}?$distinct=true`)).toEqual(['a', 'b'])
      expect((await get(rest, `/rest/Thing/${written}?$compute=count`)).body).toBe(2)
    }),
    runs(60),
  )
})
