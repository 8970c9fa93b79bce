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

/** The options of the store in a schema. */
export const optionsOf = (database, schema) => ({
  name: 'bench',
  dataClasses: [Company, Employee],
  database,
  schema,
})

/**
 * Creates so many employees in the database, and resolves to the options of their store.
 * @param {import('@entia/sql').SqlPool} database
 * @param {string} schema
 * @param {number} rows
 */
export async function createEmployees(database, schema, rows) {
  const options = optionsOf(database, schema)
  // Twenty employees per company, for any number of rows.
  const companies = Math.ceil(rows / 20)
  const statement = (text) => ({ name: '', text, values: [] })
  const run = (text) => database.query(statement(text))
  await run(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  await migrateDatabase(options)
  const table = (name) => `"${schema}"."${name}"`
  // Rows first, then indexes, which takes a fraction of the time.
  const { rows: indexes } = await run(`SELECT c.relname, pg_get_indexdef(c.oid)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = '${table('Employee')}'::regclass
      AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid)`)
  for (const [name] of indexes) await run(`DROP INDEX ${table(name)}`)
  await run(`INSERT INTO ${table('Company')} (_stamp, _ts, "ID", name, "name$", city, "city$")
    SELECT 1, 0, g, 'Company ' || g, 'company ' || g, 'City ' || g % 100, 'city ' || g % 100
    FROM generate_series(1, ${companies}) g`)
  const employees = `INSERT INTO ${table('Employee')} (_stamp, _ts, "ID", "firstName", "firstName$",
      "lastName", "lastName$", email, "email$", salary, "birthDate", active, employer)
    SELECT 1, 1700000000000 + g, g, 'First ' || g % 500, 'first ' || g % 500,
      'Last ' || g % 2000, 'last ' || g % 2000, g || '@example.org', g || '@example.org',
      30000 + g::bigint * 7919 % 70000, g::bigint * 86400000 % 1000000000000, g % 3 > 0,
      1 + g % ${companies}
    FROM generate_series(1, ${rows}) g`
  // Every employer exists, so the constraint needs no validation.
  const unchecked = 'SET LOCAL session_replication_role = replica'
  await database.connect(({ send }) =>
    send(['BEGIN', unchecked, employees, 'COMMIT'].map(statement)),
  )
  for (const [, definition] of indexes) await run(definition)
  await run(`UPDATE ${table('entia_class')} SET changed = 1,
    members = CASE class WHEN 'Company' THEN ${companies} ELSE ${rows} END`)
  await run(`UPDATE ${table('entia_store')} SET stamp = 1`)
  await run(`UPDATE ${table('entia_sequence')} SET next = ${rows + 1} WHERE class = 'Employee'`)
  await run(`VACUUM ANALYZE ${table('Company')}`)
  await run(`VACUUM ANALYZE ${table('Employee')}`)
  return options
}

/** A store over these employees, as in one serving process. */
export const openStore = (options) => openSqlStore(options)

/** Creates the employees and opens their store. Takes the arguments of `createEmployees`. */
export const openEmployees = async (...of) => openStore(await createEmployees(...of))
