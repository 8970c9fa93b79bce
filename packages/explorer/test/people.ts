import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AnyDataStore, attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, type RestOptions, toNodeHandler } from '@entia/rest'
import { explorerFiles } from '../src/index.ts'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string(),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ notNull: true, indexed: true }),
  salary: attribute.number({ indexed: true, min: 0 }),
  active: attribute.bool(),
  hired: attribute.date({ dateOnly: true }),
  notes: attribute.object(),
  photo: attribute.image(),
  employer: attribute.relatedEntity('Company'),
})

/** A name with HTML, which must never become part of the page. */
export const hostileName = '<img src=x onerror="document.title=1">'

/** Two companies and 120 employees, for three pages of the grid. */
export function createPeople(name = 'people') {
  const store = createDataStore({ name, dataClasses: [Company, Employee] })
  store.Company.load([
    { ID: 1, name: 'Engines', city: 'London' },
    { ID: 2, name: hostileName, city: 'Zürich' },
  ])
  store.Employee.load(
    Array.from({ length: 120 }, (_, at) => ({
      ID: at + 1,
      lastName: `Name ${String(at + 1).padStart(3, '0')}`,
      salary: 1000 * (at + 1),
      active: at % 2 === 0,
      hired: `2020-0${1 + (at % 6)}-01`,
      employer: 1 + (at % 2),
    })),
  )
  return store
}

export type People = ReturnType<typeof createPeople>

/** Serves a store with its explorer on a free port, as `entia serve` does. */
export async function serveExplorer(store: AnyDataStore, options: RestOptions = {}) {
  const rest = toNodeHandler(createRestHandler(store, { basePath: '/rest', ...options }))
  const files = explorerFiles({
    name: 'people',
    basePath: '/rest',
    links: [{ title: 'All <companies>', href: '/rest/Company?$top=5' }],
    hasUsers: options.users !== undefined,
  })
  const server = createServer((request, response) => {
    const file = files.get(request.url?.split('?', 1)[0] ?? '')
    if (file !== undefined) response.writeHead(200, file.headers).end(file.body)
    else if (request.url === '/favicon.ico') response.writeHead(204).end()
    else rest(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
      store.close()
    },
  }
}
