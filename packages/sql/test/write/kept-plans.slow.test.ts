import { attribute, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import { migrateDatabase, openSqlStore } from '../../src/index.ts'
import { describeDatabases, run } from '../database.ts'
import { POOLING } from '../tested.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
})
const Person = defineDataClass('Person', {
  email: attribute.string({ key: true }),
  name: attribute.string({ indexed: true }),
  badge: attribute.string({ unique: true }),
  photo: attribute.blob(),
  data: attribute.object(),
  company: attribute.relatedEntity('Company'),
})
const PEOPLE = 16
/** PostgreSQL compares both kinds of plans in the first executions. */
const FIRST = 5

describeDatabases('statements of writes', {}, (database) => {
  // Without statement names no plan is kept.
  test.skipIf(POOLING.prepare === false)(
    'of single entities are not planned each time',
    async () => {
      const pool = database.open({ max: 1 })
      const options = {
        name: 'plans',
        dataClasses: [Company, Person],
        database: pool,
        schema: database.newSchema(),
      }
      await migrateDatabase(options)
      const store = await openSqlStore(options)
      const company = await store.Company.insert({ name: 'One' })
      for (let at = 0; at < PEOPLE; at++) {
        const email = `${at}@example.org`
        const data = { at }
        await store.Person.insert({ email, badge: `${at}`, photo: new Uint8Array([at]), data })
        await store.Person.update(email, { name: `Name ${at}`, company, badge: `new ${at}` })
        await store.Person.remove(email)
      }
      expect(await store.Person.all().count()).toBe(0)
      const { rows } = await run(
        pool,
        `SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements
          WHERE statement ~ $1 AND generic_plans + custom_plans > $2::bigint`,
        options.schema,
        FIRST,
      )
      const written = rows.filter(([text]) => !/^SELECT (json|max)/.test(String(text)))
      expect(written.length).toBeGreaterThanOrEqual(7)
      const replanned = written.filter(([, , custom]) => Number(custom) > FIRST)
      expect(replanned).toEqual([])
      await store.close()
    },
  )
})
