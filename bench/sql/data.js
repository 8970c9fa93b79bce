import { attribute, defineDataClass } from '@entia/core'
import { migrateDatabase, openSqlStore } from '@entia/sql'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string({ indexed: true }),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  firstName: attribute.string(),
  lastName: attribute.string({ indexed: true }),
  email: attribute.string({ indexed: true }),
  salary: attribute.long({ indexed: true }),
  birthDate: attribute.date(),
  active: attribute.bool(),
  employer: attribute.relatedEntity('Company'),
})

/**
 * Opens a store with so many employees, which the database makes.
 * @param {import('@entia/sql').SqlPool} database
 * @param {string} schema
 * @param {number} rows
 */
export async function openEmployees(database, schema, rows) {
  const options = { name: 'bench', dataClasses: [Company, Employee], database, schema }
  const run = (text) => database.query({ name: '', text, values: [] })
  await run(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  await migrateDatabase(options)
  const table = (name) => `"${schema}"."${name}"`
  await run(`INSERT INTO ${table('Company')} (_stamp, _ts, "ID", name, "name$", city, "city$")
    SELECT 1, 0, g, 'Company ' || g, 'company ' || g, 'City ' || g % 100, 'city ' || g % 100
    FROM generate_series(1, 1000) g`)
  await run(`INSERT INTO ${table('Employee')} (_stamp, _ts, "ID", "firstName", "firstName$",
      "lastName", "lastName$", email, "email$", salary, "birthDate", active, employer)
    SELECT 1, 1700000000000 + g, g, 'First ' || g % 500, 'first ' || g % 500,
      'Last ' || g % 2000, 'last ' || g % 2000, g || '@example.org', g || '@example.org',
      30000 + g::bigint * 7919 % 70000, g::bigint * 86400000 % 1000000000000, g % 3 > 0,
      1 + g % 1000
    FROM generate_series(1, ${rows}) g`)
  await run(`UPDATE ${table('entia_class')} SET changed = 1,
    members = CASE class WHEN 'Company' THEN 1000 ELSE ${rows} END`)
  await run(`UPDATE ${table('entia_store')} SET stamp = 1`)
  await run(`ANALYZE ${table('Company')}, ${table('Employee')}`)
  return openSqlStore(options)
}
