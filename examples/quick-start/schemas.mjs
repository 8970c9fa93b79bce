import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { schemasOf } from '@entia/core/schema'

const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ notNull: true, maxLength: 40 }),
  salary: attribute.number({ min: 0 }),
})

// A page validates a form with the rules of the model, before it sends anything.
const { insert } = schemasOf([Employee]).Employee
const wrong = insert['~standard'].validate({ salary: -1 })
for (const { path, message } of wrong.issues ?? []) console.log(`${path}: ${message}`)

const right = insert['~standard'].validate({ lastName: 'Byron', salary: 60_000 })
const store = createDataStore({ name: 'hr', dataClasses: [Employee] })
if (!right.issues) console.log(store.Employee.insert(right.value).ID)
