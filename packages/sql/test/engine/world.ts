import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import type { SqlPool } from '../../src/connect/port.ts'
import { openCopy } from './sql-host.ts'

/** Companies with employees: stored attributes only. */
export function createHrStore(employees: number) {
  const Company = defineDataClass('Company', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ notNull: true, indexed: true }),
    staff: attribute.relatedEntities('Employee', 'employer'),
  })
  const Employee = defineDataClass('Employee', {
    ID: attribute.long({ key: true, autoSequence: true }),
    lastName: attribute.string({ indexed: true }),
    salary: attribute.number({ indexed: true }),
    employer: attribute.relatedEntity('Company'),
  })
  const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
  for (const name of ['Acme', 'Globex', 'Initech']) store.Company.insert({ name })
  for (let at = 0; at < employees; at++)
    store.Employee.insert({
      lastName: `Name ${at % 7}`,
      salary: 1000 * (at % 10),
      employer: (at % 3) + 1,
    })
  return store
}

/** The content of a reply. */
export interface Reply {
  readonly status: number
  readonly body: { readonly [name: string]: unknown }
}

/** A process that serves a copy in a schema. */
export async function serve(
  store: ReturnType<typeof createHrStore>,
  pool: SqlPool,
  schema: string,
  open: typeof openCopy = openCopy,
) {
  const rest = createRestHandler(await open(store, pool, schema))
  return async (method: string, url: string, content?: unknown): Promise<Reply> => {
    const { status, body } = await rest.handle({
      method,
      url: `/rest/${url}`,
      headers: { host: 'localhost', 'content-type': 'application/json' },
      remoteAddress: '127.0.0.1',
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    })
    const text = typeof body === 'string' ? body : Buffer.from(body).toString()
    return { status, body: text === '' ? {} : JSON.parse(text) }
  }
}
