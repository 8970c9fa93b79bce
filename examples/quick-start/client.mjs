import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { asyncOf } from '@entia/core/async'
import { createRestHandler } from '@entia/rest'

const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ notNull: true }),
  salary: attribute.number({ indexed: true }),
})
const store = createDataStore({ name: 'hr', dataClasses: [Employee] })
store.Employee.insert({ lastName: 'Byron', salary: 60_000 })

/**
 * Raises a salary, and reports a change by someone else in the meantime.
 * @param {any} db in TypeScript: `AsyncStore<ModelOf<[typeof Employee]>>`
 * @param {number} ID
 */
async function raise(db, ID) {
  const employee = await db.Employee.get(ID)
  if (employee === undefined) return 'absent'
  const outcome = await db.Employee.update(employee, { salary: (employee.salary ?? 0) * 1.1 })
  return outcome.kind
}

// The same program works in the process and over HTTP. A real client names an address alone, and in
// TypeScript it writes connect<typeof store>(address).
const rest = createRestHandler(store)
const db = connect('http://localhost/rest', { fetch: rest.fetch })
console.log(await raise(asyncOf(store), 1), await raise(db, 1))
console.log(await db.Employee.query`salary > ${70_000}`.select('lastName, salary').toArray())
