import { attribute, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { migrateDatabase, openSqlStore } from '../../src/index.ts'
import { describeDatabases, run } from '../database.ts'

const Note = defineDataClass('Note', { ID: attribute.long({ key: true, autoSequence: true }) })

describeDatabases('tables of an older release', { on: 'one' }, ({ open, newSchema }) => {
  test('are refused with migrateDatabase as the remedy', async () => {
    const [database, schema] = [open(), newSchema()]
    const options = { name: 'notes', dataClasses: [Note], database, schema }
    await migrateDatabase(options)
    await run(database, `ALTER TABLE "${schema}".entia_set DROP COLUMN rule`)
    await expect(openSqlStore(options)).rejects.toMatchObject({
      code: 'databaseDiffers',
      message: expect.stringContaining('Its table entia_set has no column "rule".'),
    })
    const steps = ['Add the column rule of entia_set']
    expect(await migrateDatabase(options, { dryRun: true })).toEqual(steps)
    expect(await migrateDatabase(options)).toEqual(steps)
    expect(await migrateDatabase(options)).toEqual([])
    const store = await openSqlStore(options)
    expect(await store.Note.all().entitySet()).toMatchObject({ id: expect.any(String) })
  })

  test('with whole entities in the history lose it, and their processes cannot write', async () => {
    const [database, schema] = [open(), newSchema()]
    const options = { name: 'notes', dataClasses: [Note], database, schema }
    await migrateDatabase(options)
    const first = await openSqlStore(options)
    await first.Note.insert({})
    const olderGate = `"${schema}".entia_gate (text[], text, text[], bigint[], text)`
    await run(database, `DROP TABLE "${schema}".entia_change`)
    await run(
      database,
      `CREATE TABLE "${schema}".entia_change (commit_id text COLLATE "C" NOT NULL, ord integer NOT NULL,
        class text NOT NULL, key text NOT NULL, kind text NOT NULL, before json, after json,
        PRIMARY KEY (commit_id, ord))`,
    )
    await run(
      database,
      `CREATE FUNCTION ${olderGate} RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'`,
    )
    await run(database, `ALTER TABLE "${schema}".entia_store DROP COLUMN writers`)
    await expect(openSqlStore(options)).rejects.toMatchObject({
      code: 'databaseDiffers',
      message: expect.stringContaining('history of changes'),
    })
    const steps = ['Drop the history of changes, which an older release wrote']
    expect(await migrateDatabase(options)).toEqual(steps)
    expect(await migrateDatabase(options)).toEqual([])
    const left = await run(database, `SELECT to_regprocedure('${olderGate}')::text`)
    expect(left.rows).toEqual([[null]])
    await expect(first.Note.insert({})).rejects.toMatchObject({ code: 'databaseMigrated' })
    const store = await openSqlStore(options)
    await store.Note.insert({})
    const since = async (globalStamp: number) => {
      for await (const { changes } of store.changes({ since: globalStamp })) return changes
      return []
    }
    await expect(since(0)).rejects.toMatchObject({ code: 'historyTrimmed' })
    expect(await since(2)).toMatchObject([{ kind: 'insert', key: 2 }])
    await store.close()
  })

  test('without a check of comparison keys get missing keys, then the check', async () => {
    const [database, schema] = [open(), newSchema()]
    const Titled = defineDataClass('Titled', {
      ID: attribute.long({ key: true, autoSequence: true }),
      title: attribute.string(),
    })
    const options = { name: 'titles', dataClasses: [Titled], database, schema }
    await migrateDatabase(options)
    await run(database, `ALTER TABLE "${schema}"."Titled" DROP CONSTRAINT "Titled$title$keys"`)
    await run(database, `ALTER TABLE "${schema}".entia_store DROP COLUMN migrations`)
    await run(
      database,
      `INSERT INTO "${schema}"."Titled" (_stamp, _ts, "ID", title) VALUES (1, 0, 1, 'A')`,
    )
    await expect(openSqlStore(options)).rejects.toMatchObject({ code: 'databaseDiffers' })
    expect(await migrateDatabase(options)).toEqual([
      'Write the keys of Titled.title',
      'Require a comparison key with each value of Titled.title',
    ])
    expect(await migrateDatabase(options)).toEqual([])
    const store = await openSqlStore(options)
    expect(await store.Titled.query`title = ${'a'}`.count()).toBe(1)
  })
})
