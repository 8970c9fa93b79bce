// A model and a store that the program names, and what editors show of their types.
import { createDataStore, type DataStore, type ModelOf, type Selection, where } from '@entia/core'
import { Company, Employee, store as inferredStore } from './declared.ts'

export interface Hr extends ModelOf<[typeof Company, typeof Employee]> {}
export interface HrStore extends DataStore<Hr> {}
export const store: HrStore = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })

export const rich = store.Employee.query('salary > 3').orderBy('salary desc, employer.name')
export const ada = store.Employee.insert({ lastName: 'Byron', employer: 1 })
export const employer = ada.employer
export const staff = employer?.staff
export const saved = store.transact((tx) => tx.Employee.update(ada.key, { salary: 3 }))
export const live = rich.live(({ entered }) => entered[0]?.lastName)
export const past = store.at(3).Employee.all()
export const e = where(store.Employee)
export const condition = e('salary', '>', 3).and(e('employer.city', '=', 'Paris'))
export const rows = rich.select('lastName, employer.name')

export function total(selection: Selection<Hr, 'Employee'>): number {
  return selection.sum('salary')
}
total(rich)
total(rich.page(0, 3).and(store.Employee.all()))
total(store.Company.all().first()!.staff)
total(inferredStore.Employee.all())
// @ts-expect-error selections of another dataclass
total(store.Company.all())
// @ts-expect-error misspelt
rich.orderBy('salry')
// @ts-expect-error not in the model
store.Customer
