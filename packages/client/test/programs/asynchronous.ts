// One program for a store in the process and over HTTP.
import { connect, RemoteError } from '@entia/client'
import {
  type AsyncStore,
  attribute,
  createDataStore,
  defineDataClass,
  EntiaError,
  type Model,
  type ModelOf,
  type StoreError,
} from '@entia/core'
import { asyncOf, keyOf } from '@entia/core/async'

const Company = defineDataClass('Company', {
  code: attribute.string({ key: true }),
  city: attribute.string(),
  logo: attribute.image(),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ notNull: true }),
  salary: attribute.number(),
  notes: attribute.object<{ tags: string[] }>(),
  employer: attribute.relatedEntity('Company'),
})
export interface Hr extends ModelOf<[typeof Company, typeof Employee]> {}
export const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })

/** Raises the salaries of a city, and returns how many. */
export async function raise(db: AsyncStore<Hr>, city: string): Promise<number> {
  let raised = 0
  const found = db.Employee.query`employer.city = ${city}`.orderBy('salary desc')
  for await (const employee of found) {
    const salary: number = (employee.salary ?? 0) + 100
    const outcome = await db.Employee.update(employee, { ...employee, salary })
    if (outcome.kind === 'saved') raised++
    if (outcome.kind === 'stampChanged') console.log(outcome.current.lastName)
    if (outcome.kind === 'refused') console.log(outcome.message)
  }
  const [row] = await found.select('lastName, employer.code').toArray()
  const code: string | undefined = row?.employer?.code
  const company = code === undefined ? undefined : await db.Company.get(code)
  const bytes: Uint8Array | undefined = await company?.logo?.bytes()
  const total: number = await found.sum('salary')
  const outcomes = await db.Employee.saveAll([
    { lastName: 'New', employer: { key: code ?? '' } },
    { key: 1, stamp: 2, salary: bytes?.length ?? total },
  ])
  // @ts-expect-error: no such attribute
  db.Employee.all().orderBy('salry')
  // @ts-expect-error: the key of an employee is a number
  await db.Employee.get('1')
  // @ts-expect-error: the key of a company is a text
  await db.Employee.update(1, { employer: { key: 1 } })
  return raised + outcomes.length
}

/** Works with any model. */
export const countOf = <M extends Model>(
  db: AsyncStore<M>,
  name: keyof M & string,
): Promise<number> => db.dataClass(name).all().count()
export const count = countOf(asyncOf(store), 'Company')

export const local = raise(asyncOf(store), 'Paris')
export const remote = raise(connect<typeof store>('http://localhost/rest'), 'Paris')
// @ts-expect-error: no such attribute
connect<AsyncStore<Hr>>('http://localhost/rest').Employee.all().orderBy('salry')
export const view: AsyncStore<Hr> = connect<typeof store>('http://localhost/rest')
export const key: Promise<number> = view.Employee.all()
  .toArray()
  .then(([one]) => (one === undefined ? 0 : keyOf(one)))

export const numberOf = (error: StoreError): number | null =>
  error.errors.at(-1)?.errCode ?? error.errCode
export const known: readonly (number | null)[] = [
  numberOf(new RemoteError(0, 'x')),
  numberOf(new EntiaError('entitySetNotFound', { id: 'x' })),
]
