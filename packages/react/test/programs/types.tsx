// A program of a user, compiled by compiled.slow.test.ts with both compilers. It is not run.
import { connect, type SaveOutcome } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createStore, liveQueries } from '@entia/core/kernel'
import { type SaveFailed, useEntity, useLive, usePage, useSave } from '@entia/react'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  code: attribute.string({ key: true }),
  lastName: attribute.string({ notNull: true }),
  salary: attribute.number(),
  employer: attribute.relatedEntity('Company'),
})
const Marked = defineDataClass('Marked', {
  ID: attribute.long({ key: true }),
  stamp: attribute.string(),
})
const dataClasses = [Company, Employee, Marked] as const
const store = createDataStore({ name: 'hr', dataClasses })
const small = createStore({ name: 'hr', dataClasses, capabilities: [liveQueries] })
const bare = createStore({ name: 'hr', dataClasses, capabilities: [] })
const db = connect<typeof store>('/rest')

type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function claim<_ extends true>(): void

export function Local() {
  const list = useLive(store.Employee.query('salary > :1', [50_000]).orderBy('lastName'))
  const [first] = list
  claim<Is<typeof first.lastName, string>>()
  claim<Is<typeof first.salary, number | null>>()
  claim<Is<typeof first.code, string>>()
  const name: string | undefined = first.employer?.name
  const [page] = usePage(store.Company.all(), { skip: 0, top: 10 })
  claim<Is<typeof page.name, string>>()
  const staff = useLive(page.staff)
  claim<Is<(typeof staff)[0]['lastName'], string>>()
  const related = { select: 'lastName, employer.name' }
  useLive(store.Employee.all(), related)
  usePage(small.Employee.all(), { skip: 0, top: 10, ...related })
  const one = useEntity(store.Company, 7)
  claim<Is<NonNullable<typeof one>['name'], string>>()
  const [ofSmall] = useLive(small.Company.all())
  claim<Is<typeof ofSmall.name, string>>()
  // @ts-expect-error: the list is read only
  list.push(first)
  // @ts-expect-error: no such attribute
  first.salery
  // @ts-expect-error: the key is a number
  useEntity(store.Company, 'a')
  // @ts-expect-error: a store without live queries
  useLive(bare.Company.all())
  // @ts-expect-error: not a selection
  useLive([1, 2])
  return name
}

export function Remote() {
  const [first] = useLive(db.Employee.query`salary > ${50_000}`.orderBy('lastName'))
  claim<Is<typeof first.lastName, string>>()
  claim<Is<NonNullable<typeof first.employer>['key'], number>>()
  const [shown] = useLive(db.Employee.all().select('lastName, employer.name'))
  claim<Is<typeof shown.lastName, string>>()
  const name: string | undefined = shown.employer?.name
  // @ts-expect-error: not selected
  shown.salary
  // @ts-expect-error: over HTTP, select from the selection
  useLive(db.Employee.all(), { select: 'lastName' })
  // @ts-expect-error: over HTTP, select from the selection
  usePage(db.Employee.all(), { skip: 0, top: 10, select: 'lastName' })
  const employee = useEntity(db.Employee, 'a')
  claim<Is<NonNullable<typeof employee>['salary'], number | null>>()
  // @ts-expect-error: the key is a text
  useEntity(db.Employee, 7)

  const saving = useSave(db.Employee, first)
  claim<Is<typeof saving.shown.salary, number | null>>()
  void saving.save({ salary: 5 })
  // @ts-expect-error: no such attribute
  void saving.save({ salery: 5 })
  // @ts-expect-error: another dataclass
  useSave(db.Company, first)
  // @ts-expect-error: `stamp` is an attribute of this dataclass
  useSave(db.Marked, useLive(db.Marked.all())[0])
  const { problem } = saving
  if (problem?.outcome.kind === 'stampChanged') problem.outcome.current.salary
  if (problem?.outcome.kind === 'refused') problem.outcome.message
  type Outcome = NonNullable<typeof problem>['outcome']
  claim<Is<Outcome, Exclude<SaveOutcome<typeof first>, { kind: 'saved' }> | SaveFailed>>()
  return name
}
