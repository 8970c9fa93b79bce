import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import type { SqlPool } from '../../src/connect/port.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases, run } from '../database.ts'
import { openCopy } from './sql-host.ts'

const Doc = defineDataClass('Doc', {
  ID: attribute.long({ key: true, autoSequence: true }),
  body: attribute.string({ words: true }),
  exact: attribute.string({ words: true, collation: 'exact' }),
})
const Note = defineDataClass('Note', { ID: attribute.long({ key: true }) })
interface Query {
  toArray(): Promise<{ ID: number }[]>
  page(skip: number, top: number): Promise<{ readonly count: number }>
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
    const countOf = async (query: Query): Promise<number> => (await query.page(0, 1)).count
    for (const asked of [...SEARCHES, ...MORE]) {
      // Values of templates have no wildcards.
      const words = asked.replace(/[@*]/g, ' ')
      expect(await keysOf(remote.query`body % ${words}`)).toEqual(
        local.query('body % :1', [words]).keys(),
      )
      expect(await keysOf(remote.query`exact % ${words}`)).toEqual(
        local.query('exact % :1', [words]).keys(),
      )
      expect([
        await countOf(remote.query`body % ${words}`),
        await countOf(remote.query`exact % ${words}`),
      ]).toEqual([
        local.query('body % :1', [words]).count,
        local.query('exact % :1', [words]).count,
      ])
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

  /** Filters of requests have wildcards, those of templates have none. */
  const finderIn = (store: Parameters<typeof createRestHandler>[0]) => {
    const rest = createRestHandler(store)
    return async (filter: string, ...words: string[]): Promise<unknown[]> => {
      const parameters = [`"${filter}"`, JSON.stringify(words)].map(encodeURIComponent)
      const url = `/rest/Doc?$filter=${parameters[0]}&$params=${parameters[1]}&$attributes=ID&$asArray=true`
      const { body, status } = await rest.handle({ method: 'GET', url, headers: {} })
      expect([status, body]).toEqual([200, body])
      return JSON.parse(String(body)).map(({ ID }: { ID: number }) => ID)
    }
  }
  /** A store of which every statement prefers indexes. */
  const indexed = async (schema = database.newSchema()) => {
    const pool = database.open({ max: 1 })
    const options = { name: 'words', dataClasses: [Doc, Note], database: pool, schema }
    await migrateDatabase(options)
    await run(pool, 'SET enable_seqscan = off')
    const store = await openSqlStore(options)
    return { pool, options, store, found: finderIn(store) }
  }
  const planOf = async (pool: SqlPool, schema: string, key: string): Promise<string> => {
    const { rows } = await run(
      pool,
      `EXPLAIN SELECT FROM "${schema}"."Doc" WHERE "${schema}".entia_words("${key}") @@ 'a'::tsquery`,
    )
    return rows.join('\n')
  }

  test('the index has every write of a transaction, and none of a failed one', async () => {
    const { pool, options, store, found } = await indexed()
    expect(await planOf(pool, options.schema, 'body$')).toContain('Doc$body$words')
    expect(await planOf(pool, options.schema, 'exact')).toContain('Doc$exact$words')
    const { ID } = await store.Doc.insert({ body: 'Über alles', exact: 'Über alles' })
    expect(await found('body % :1', 'UBER')).toEqual([ID])
    expect(await found('exact % :1', 'uber')).toEqual([])
    await store.Doc.update(ID, { body: 'nothing' })
    expect(await found('body % :1', 'uber')).toEqual([])
    expect(await found('body % :1 and exact % :2', 'noth@', 'alles Üb@')).toEqual([ID])
    const failing = store.transact(async (tx) => {
      await tx.Doc.update(ID, { body: 'failed' })
      await tx.Doc.insert({ body: 'failed' })
      throw new RangeError('given up')
    })
    await expect(failing).rejects.toThrow('given up')
    expect(await found('body % :1', 'failed')).toEqual([])
    await store.load('Doc', [{ body: 'loaded words' }, { body: null }, { body: '' }])
    expect(await found('body % :1', 'load*')).toEqual([ID + 1])
    await store.Doc.remove(ID)
    expect(await found('body % :1', 'nothing')).toEqual([])
    expect(await found('not (body % :1)', 'loaded')).toEqual([ID + 2, ID + 3])
    await store.close()
  })

  /** Compares a store with one in memory that has the same texts. */
  const compare = async (
    { store, found }: Awaited<ReturnType<typeof indexed>>,
    texts: readonly string[],
    searches: readonly string[],
  ): Promise<void> => {
    const rows = texts.map((text) => ({ body: text, exact: text }))
    await store.load('Doc', rows)
    const memory = createDataStore({ name: 'words', dataClasses: [Doc] })
    memory.Doc.load(rows)
    for (const words of searches)
      for (const name of ['body', 'exact'])
        expect([name, words, await found(`${name} % :1`, words)]).toEqual([
          name,
          words,
          memory.Doc.query(`${name} % :1`, [words]).keys(),
        ])
    await store.close()
  }
  const many = Array.from({ length: 160_000 }, (_, at) => `w${at}`).join(' ')

  test('texts of a megabyte are found exactly', async () => {
    const texts = [
      `above ${many}`.slice(0, 1_048_576),
      // One byte less: all words are in the index, with the last one at the end.
      `${`below ${many}`.slice(0, 1_048_569)} gamma`,
    ]
    expect(texts.map((text) => text.length)).toEqual([1_048_576, 1_048_575])
    const searches = ['w77 above', 'below gam@', 'w140000', 'none']
    await compare(await indexed(), texts, searches)
  })

  test('words longer than a lexeme, and searches of many words, are found exactly', async () => {
    const [a, b, wide] = ['a', 'b ', '\u{10400}'].map((one) => (times: number) => one.repeat(times))
    const texts = [
      ...[255, 256, 2046, 2047].map((length) => a!(length)),
      ...[255, 300].map((length) => `long ${a!(length)} ${b!(900)}`),
      `wide ${wide!(700)} end`,
      many.slice(0, 1000),
      `${many.slice(0, 900)} partly`,
    ]
    const searches = [
      ...[254, 255, 256, 300, 301, 2047].map((length) => a!(length)),
      ...[254, 255, 256, 2046].map((length) => `${a!(length)}@`),
      ...[wide!(700), `${wide!(1)}@ end`, '\u{10428}'.repeat(255), b!(300)],
      ...[many.slice(0, 900), `${many.slice(0, 900)} none`],
      ...[`${many.slice(0, 900)} part`, `${many.slice(0, 900)} part@`],
    ]
    await compare(await indexed(), texts, searches)
  })

  test('a migration to another version of Unicode splits all texts again', async () => {
    const { pool, options, store, found } = await indexed()
    const { schema } = options
    await store.Doc.insert({ body: 'Ωmega point' })
    // A process to which no letter but those of ASCII was one.
    const { rows } = await run(
      pool,
      `SELECT pg_get_functiondef('"${schema}".entia_words'::regproc)`,
    )
    const older = String(rows[0]![0]).replace(/'\[\^[^']*\]\+'/, `'[^a-z0-9]+'`)
    await run(pool, older)
    await run(pool, `REINDEX INDEX "${schema}"."Doc$body$words"`)
    await run(pool, `UPDATE "${schema}".entia_store SET unicode = '1.0'`)
    expect(await found('body % :1', 'omega')).toEqual([])
    expect(await found('body % :1', 'ωmega')).toEqual([])
    expect(await migrateDatabase(options)).toEqual([
      `Write the keys of texts with Unicode ${process.versions.unicode}`,
    ])
    expect(await found('body % :1', 'ωmega')).toEqual([1])
    await store.close()
  })

  test('search finds the words of all attributes, in transactions too', async () => {
    const { store } = await indexed()
    await store.load('Doc', [{ body: 'night', exact: 'Trains' }, { body: 'nightly trains' }])
    const keys = async (found: { toArray(): Promise<{ ID: number }[]> }): Promise<number[]> =>
      (await found.toArray()).map(({ ID }) => ID)
    expect(await keys(store.Doc.search('night* trains'))).toEqual([2])
    expect(await keys(store.Doc.search('night Trains'))).toEqual([1])
    expect(await keys(store.Doc.query`ID > ${1}`.search('night@').orderBy('ID desc'))).toEqual([2])
    await store.transact(async (tx) => {
      await tx.Doc.insert({ body: 'a third night' })
      expect(await keys(tx.Doc.search('third night'))).toEqual([3])
    })
    await store.Doc.search('third').remove()
    expect(await store.Doc.all().count()).toBe(2)
    const ordered = store.Doc.query`ID > ${0} order by ID desc`
    expect(await keys(ordered.search('night* trains'))).toEqual([2])
    expect(await keys(ordered.search('night@'))).toEqual([2, 1])
    expect(await keys(store.Doc.search('night@').query`ID > ${0} order by ID desc`)).toEqual([2, 1])
    const both = await ordered.search('night@').entitySet()
    expect(await keys(both.search('nightly'))).toEqual([2])
    await expect(store.Doc.search('').remove()).resolves.toBeUndefined()
    expect(await store.Doc.all().count()).toBe(2)
    // As in every other store: values other than texts at once, and a dataclass without words when
    // it is read.
    expect(() => store.Doc.search(5 as never)).toThrow(TypeError)
    const unsearchable = store.Note.search('night')
    await expect(unsearchable.count()).rejects.toMatchObject({ code: 'attributeNotApplicable' })
    await store.close()
  })

  test('a mirror answers a search in the order of the database, which has no scores', async () => {
    const { options, store } = await indexed()
    await store.load('Doc', [{ body: 'one night in a long text' }, { body: 'night night' }])
    const mirror = { dataClasses: ['Doc'] }
    const mirrored = await openSqlStore({ ...options, database: database.open(), mirror })
    await mirrored.mirror?.filled()
    for (const { Doc } of [store, mirrored]) {
      const found = await Doc.search('night').toArray()
      expect(found.map(({ ID }) => ID)).toEqual([1, 2])
    }
    await mirrored.close()
    await store.close()
  })

  test('the plan of a request names the index', async () => {
    const memory = createDataStore({ name: 'words', dataClasses: [Doc] })
    memory.Doc.load(
      Array.from({ length: 3000 }, (_, at) => ({ body: `word ${at} of ${at % 7}`, exact: null })),
    )
    const schema = database.newSchema()
    const pool = database.open()
    const store = await openCopy(memory, pool, schema)
    await run(pool, `ANALYZE "${schema}"."Doc"`)
    const rest = createRestHandler(store, {})
    const ask = async (search: string) => {
      const url = `/rest/Doc?$filter="body % '${search}'"&$queryplan=true&$explain=true`
      const { body } = await rest.handle({ method: 'GET', url: encodeURI(url), headers: {} })
      return JSON.parse(String(body))
    }
    const { __explain, __queryPlan, __COUNT } = await ask('29@ 4')
    expect(__COUNT).toBe(16)
    expect(__explain.text).toMatch(/bitmapIndexScan \[index Doc\.body\]/)
    expect(JSON.stringify(__queryPlan)).toContain('[index : Doc.body ]')
    await store.close()
  })

  test('an index of words is added to the table of another program', async () => {
    const schema = database.newSchema()
    const pool = database.open({ max: 1 })
    await run(pool, `CREATE SCHEMA "${schema}"`)
    await run(
      pool,
      `CREATE TABLE "${schema}".doc (id int PRIMARY KEY, body text, exact varchar(99))`,
    )
    await run(pool, `INSERT INTO "${schema}".doc VALUES (1, 'Ein Zürcher', 'Ein Zürcher')`)
    const columns = { ID: 'id' }
    const tables = { Doc: { table: 'doc', existing: true, columns } }
    const options = { name: 'words', dataClasses: [Doc], database: pool, schema, tables }
    expect(await migrateDatabase(options)).toContain('Index the words of Doc.body')
    expect(await migrateDatabase(options)).toEqual([])
    await run(pool, 'SET enable_seqscan = off')
    const store = await openSqlStore(options)
    const found = finderIn(store)
    expect(await found("body % 'zurch@'")).toEqual([1])
    expect(await found("exact % 'Zürcher' and not (exact % 'zurcher')")).toEqual([1])
    // The other program does not write the keys: a migration with `rewrite` does.
    await run(pool, `UPDATE "${schema}".doc SET body = 'Neu' WHERE id = 1`)
    await migrateDatabase(options, { rewrite: true })
    expect(await found("body % 'neu'")).toEqual([1])
    expect(await found("body % 'zurch@'")).toEqual([])
    await store.close()
  })
})
