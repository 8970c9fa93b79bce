import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { describeDatabases } from '../database.ts'
import { openCopy } from './sql-host.ts'

const Doc = defineDataClass('Doc', {
  ID: attribute.long({ key: true, autoSequence: true }),
  body: attribute.string({ words: true }),
  exact: attribute.string({ words: true, collation: 'exact' }),
})
interface Query {
  toArray(): Promise<{ ID: number }[]>
  orderBy(order: string): Query
}

const TEXTS = [
  'Night trains to Zürich',
  'NIGHT TRAIN, zurich',
  'nightly',
  "l'été à Genève — l’Été",
  'Straße STRASSE ﬁn',
  '中文 字 ١٢ ½',
  '',
  null,
  '@ * -',
  'e\u0301te\u0301',
]
const SEARCHES = [
  'night',
  'NIGHT@',
  'Zürich',
  'zurich night',
  'ete',
  'Été',
  'strasse',
  'fin',
  '中@',
]
const MORE = ['字 ½', '١٢', '', '@', 'trai* n@', 'l', 'e', 'te']

describeDatabases('Words over a database', { on: 'one' }, (database) => {
  test('% selects the same as in memory, and relevance is refused by name', async () => {
    const store = createDataStore({ name: 'words', dataClasses: [Doc] })
    store.Doc.load(TEXTS.map((text) => ({ body: text, exact: text })))
    const db = await openCopy(store, database.open(), database.newSchema())
    const { Doc: remote } = db as unknown as {
      Doc: { query(strings: TemplateStringsArray, ...values: unknown[]): Query }
    }
    const { Doc: local } = store
    const keysOf = async (query: Query): Promise<unknown[]> =>
      (await query.toArray()).map(({ ID }) => ID)
    for (const asked of [...SEARCHES, ...MORE]) {
      // Values of templates have no wildcards.
      const words = asked.replace(/[@*]/g, ' ')
      expect(await keysOf(remote.query`body % ${words}`)).toEqual(
        local.query('body % :1', [words]).keys(),
      )
      expect(await keysOf(remote.query`exact % ${words}`)).toEqual(
        local.query('exact % :1', [words]).keys(),
      )
      expect(await keysOf(remote.query`not (body % ${words}) or not (exact % ${words})`)).toEqual(
        local.query('not (body % :1) or not (exact % :1)', [words]).keys(),
      )
    }
    const refused = { code: 'notOnThisEngine' }
    const ordered = async (): Promise<unknown> =>
      remote.query`body % ${'night'}`.orderBy('relevance desc').toArray()
    await expect(ordered()).rejects.toMatchObject(refused)
    const ending = async (): Promise<unknown> =>
      remote.query`body % ${'night'} order by relevance`.toArray()
    await expect(ending()).rejects.toMatchObject(refused)
  })
})
