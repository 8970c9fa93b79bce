// Compiled against the installed tarballs: the types of every export, without Node's types.
import { connect, type SaveOutcome } from '@entia/client'
import { attribute, createDataStore, defineDataClass, EntiaError } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { createFactories, createFakeClock } from '@entia/testing'
import { conformanceCases } from '@entia/testing/conformance'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ notNull: true, indexed: true }),
  salary: attribute.number(),
  employer: attribute.relatedEntity('Company'),
})
const clock = createFakeClock()
export const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee], clock })

const ada = store.Employee.insert({ lastName: 'Byron', salary: 1 })
export const lastName: string = ada.lastName
export const salary: number | null = ada.salary
export const employerName: string | undefined = ada.employer?.name
// @ts-expect-error: a misspelling
store.Employee.insert({ lastNam: 'Byron' })
// @ts-expect-error: a text is not a number
store.Employee.update(ada.key, { salary: '1' })

const db = connect<typeof store>('http://localhost/rest', { fetch: createRestHandler(store).fetch })
export const remote: Promise<string | undefined> = db.Employee.get(1).then(
  (employee) => employee?.lastName,
)
export const kind = (outcome: SaveOutcome<never>): string => outcome.kind
export const factories: readonly string[] = createFactories(store)
  .Employee.createMany(3)
  .map((employee) => employee.lastName)
export const count: number = conformanceCases.length
export const isOurs = (error: unknown): boolean =>
  error instanceof EntiaError && error.code === 'stampChanged'
