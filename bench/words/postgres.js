/** Searches for words over PostgreSQL: the same dataclass with an index of words and without. */
import { attribute, defineDataClass } from '@entia/core'
import { migrateDatabase, openSqlStore } from '@entia/sql'
import { pgPool } from '@entia/sql/pg'
import {
  COUNT,
  common,
  documents,
  frequent,
  prefix,
  SEARCHES,
  timed,
  updates,
} from './documents.js'

/** Updates that are timed: each is a commit. */
const UPDATES = 300
const SCHEMA = 'entia_bench_words'

export async function measure(connectionString) {
  const results = new Map()
  const note = (row, at, milliseconds) =>
    results.set(row, Object.assign(results.get(row) ?? [], { [at]: milliseconds }))
  const expected = new Map()
  for (const [at, words] of [true, false].entries()) {
    // A store closes its pool.
    const pool = pgPool({ connectionString })
    const run = (text) => pool.query({ name: text, text, values: [] })
    await run(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`)
    const Doc = defineDataClass('Doc', {
      ID: attribute.long({ key: true }),
      body: attribute.string({ words }),
    })
    const options = {
      name: 'words',
      dataClasses: [Doc],
      database: pool,
      schema: SCHEMA,
      // Each count is one of the database.
      sharing: { cacheMilliseconds: 0 },
    }
    await migrateDatabase(options)
    const store = await openSqlStore(options)
    const start = performance.now()
    await store.load('Doc', documents, { rowsPerCommit: 10_000 })
    note(`load of ${COUNT} documents`, at, performance.now() - start)
    await run(`VACUUM ANALYZE ${SCHEMA}."Doc"`)
    const before = performance.now()
    for (const { ID, body } of updates.slice(0, UPDATES)) await store.Doc.update(ID, { body })
    note('update of one document', at, (performance.now() - before) / UPDATES)
    const selected = (asked) => {
      const terms = asked.map((word) => `body % '${word}'`).join(' and ')
      // Literals have wildcards, values of templates have none.
      return store.Doc.query([terms])
    }
    const reads = [
      ...Object.entries(SEARCHES).map(([row, asked]) => [row, () => selected(asked).count()]),
      ...[
        ['page of 20: two words', [frequent, common]],
        ['page of 20: a frequent word', [frequent]],
        ['page of 20: a prefix', [`${prefix}*`]],
      ].map(([row, asked]) => [
        row,
        async () => (await selected(asked).page(0, 20)).entities.map(({ ID }) => ID).join(),
      ]),
    ]
    for (const [row, read] of reads) {
      const found = await read()
      if ((expected.get(row) ?? found) !== found) console.log(`${row}: another answer`)
      expected.set(row, found)
      note(row, at, await timed(read))
    }
    if (words) {
      const { rows } = await run(
        `EXPLAIN ANALYZE SELECT count(*) FROM ${SCHEMA}."Doc" WHERE ${SCHEMA}.entia_words("body$") @@ '''${common}'' | '' '''::tsquery`,
      )
      console.log(rows.join('\n'))
    }
    await run(`DROP SCHEMA ${SCHEMA} CASCADE`)
    await store.close()
  }
  console.log('\n| milliseconds | with an index | without | without / with |\n|---|--:|--:|--:|')
  for (const [row, [indexed, plain]] of results)
    console.log(
      `| ${row} | ${indexed.toPrecision(3)} | ${plain.toPrecision(3)} | ${(plain / indexed).toFixed(2)} |`,
    )
}
