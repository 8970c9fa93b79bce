import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'
import { expectError, get } from './send.ts'

const Doc = defineDataClass('Doc', {
  ID: attribute.long({ key: true, autoSequence: true }),
  body: attribute.string({ words: true }),
})
const Secret = defineDataClass('Secret', {
  ID: attribute.long({ key: true, autoSequence: true }),
  body: attribute.string({ words: true, exposed: false }),
})
const store = createDataStore({ name: 'relevance', dataClasses: [Doc, Secret] })
store.Doc.load([{ body: 'one rare word' }, { body: 'Rare, rare' }, { body: 'word' }])
store.Secret.insert({ body: 'rare' })
const rest = createRestHandler(store)
const FILTER = `$filter=body %25 'rare'`

test('$orderby takes relevance where the filter searches words', async () => {
  const { body } = await get(rest, `/rest/Doc?${FILTER}&$orderby=relevance desc&$attributes=ID`)
  const { __ENTITIES: found } = body as { readonly __ENTITIES: readonly { readonly ID: number }[] }
  expect(found.map(({ ID }) => ID)).toEqual([2, 1])
})

test('relevance is refused without words, and unknown where no visible text has an index', async () => {
  expectError(await get(rest, '/rest/Doc?$orderby=relevance'), 400, 1594)
  const unknown = await get(rest, '/rest/Secret?$orderby=relevance')
  const other = await get(rest, '/rest/Secret?$orderby=nothing')
  expect(JSON.stringify(unknown.body)).toBe(
    JSON.stringify(other.body).replaceAll('nothing', 'relevance'),
  )
})
