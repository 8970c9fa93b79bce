import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, type RestOptions } from '@entia/rest'
import { connect } from '../src/connect.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string(),
  founded: attribute.date({ dateOnly: true }),
  logo: attribute.image(),
  employees: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ notNull: true, indexed: true }),
  salary: attribute.number({ indexed: true, min: 0 }),
  hired: attribute.date(),
  notes: attribute.object<{ tags: string[] }>({ default: { tags: [] } }),
  employer: attribute.relatedEntity('Company'),
  boss: attribute.relatedEntity('Employee'),
  title: attribute.computed('string', {
    get: (e: { lastName: string | null }) => `Dr ${e.lastName}`,
  }),
  employerName: attribute.alias('employer.name'),
})
const Code = defineDataClass('Code', {
  code: attribute.string({ key: true }),
  text: attribute.string(),
})

export function createCompany() {
  const store = createDataStore({
    name: 'hr',
    dataClasses: [Company, Employee, Code],
    functions: { add: { exposed: true, run: (_context, a: number, b: number) => a + b } },
  })
  store.Company.load([
    { name: 'Acme', city: 'Paris', founded: '1980-01-15' },
    { name: 'Éclair "& Co"', city: 'Zürich' },
  ])
  store.Employee.load(
    Array.from({ length: 250 }, (_, i) => ({
      lastName: `N${String(i).padStart(3, '0')}`,
      salary: i * 100,
      employer: (i % 2) + 1,
      hired: '2020-02-29T10:00:00Z',
    })),
  )
  return store
}

/** Opens a client of a new store, without a socket. */
export function openRemote(options: RestOptions = {}) {
  const store = createCompany()
  const rest = createRestHandler(store, options)
  const requests: string[] = []
  const open = () =>
    connect<typeof store>('http://x.example/rest', {
      fetch: (request) => {
        requests.push(
          `${request.method} ${decodeURIComponent(request.url.slice('http://x.example/rest/'.length))}`,
        )
        return rest.fetch(request)
      },
    })
  return { store, remote: open(), other: open(), requests }
}
