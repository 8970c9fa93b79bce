/** A block of a page that is compiled but not run, and the reason. */
export interface Fragment {
  readonly page: string
  /** The unique start of the block on its page. */
  readonly first: string
  readonly why: string
  /** Imports and declarations that the page leaves out. */
  readonly given?: string
  /** True for a part of an object, such as an option. */
  readonly isLiteral?: boolean
  /** A file with the same content that its own test runs. */
  readonly sameAs?: string
  /** True if only TypeScript needs more than the page shows: the block must parse. */
  readonly isUntyped?: boolean
}

const runner = 'it needs a test runner; examples/tests-* run the like'
const needsServer = 'it needs a database server; examples/flights-postgres is run'
const store = `import { store } from './store.ts'`
const shop = `import { createShop } from './shop.ts'\nconst shop = createShop()`
const rest = `import { createRestHandler } from '@entia/rest'\n${store}`
const remote = `import { connect } from '@entia/client'
import type { staffStore } from './store.ts'
const db = connect<typeof staffStore>('/rest')`
const journal =
  'it writes to a folder; the tests of packages/core/test/node and examples/with-journal do'
const inBrowser =
  'it needs a browser; packages/core/test/browser and examples/browser-notes run the like'
const notes = `import { openBrowserJournal } from '@entia/core/browser'
import { attribute, createStore, defineDataClass } from '@entia/core/kernel'
const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string({ notNull: true }),
})
const store = createStore({ name: 'notes', dataClasses: [Note] })`

export const fragments: readonly Fragment[] = [
  {
    page: 'docs/reference/http.md',
    first: 'const rest = createRestHandler(store, {\n  operator:',
    why: 'it shows a rule; packages/rest/test/operator runs rules',
    given: rest,
  },
  {
    page: 'llms.txt',
    first: "import { createServer } from 'node:http'",
    why: 'it is a server; examples/with-journal is run',
    given: store,
  },
  {
    page: 'docs/reference/core.md',
    first: 'const filled = store.snapshot()\nafterEach',
    why: runner,
    given: `import { afterEach } from 'vitest'\n${store}`,
  },
  {
    page: 'docs/reference/core.md',
    first: "const Person = defineDataClass('Person', {",
    why: 'it measures times',
    given: `import { attribute, createDataStore, defineDataClass } from '@entia/core'`,
  },
  {
    page: 'docs/how-to/files.md',
    first: "import { once } from 'node:events'",
    why: 'it is a server; examples/with-journal/test runs it',
    sameAs: 'examples/with-journal/serve.mjs',
  },
  {
    page: 'docs/how-to/files.md',
    first: "import { dumpToFile, openDumpFile } from '@entia/core/node'",
    why: journal,
    given: `import { Company, Employee, store } from './store.ts'`,
  },
  {
    page: 'docs/how-to/browser-persistence.md',
    first: "import { openBrowserJournal } from '@entia/core/browser'",
    why: inBrowser,
  },
  {
    page: 'docs/how-to/browser-persistence.md',
    first: 'const shared = await openBrowserJournal',
    why: inBrowser,
    given: notes,
  },
  {
    page: 'docs/how-to/browser-persistence.md',
    first: "import { deleteBrowserJournal } from '@entia/core/browser'",
    why: inBrowser,
    given: `${notes}\nconst journal = await openBrowserJournal(store, 'notes')`,
  },
  {
    page: 'docs/how-to/typed-queries.md',
    first: "import { connect } from '@entia/client'\nimport { where }",
    why: 'it asks a server; packages/client/test/conditions.test.ts does',
  },
  {
    page: 'docs/how-to/tests.md',
    first: "import { useDataStore } from '@entia/testing/vitest'",
    why: runner,
  },
  {
    page: 'docs/how-to/tests.md',
    first: '// jest.config.js',
    why: runner,
    isUntyped: true,
  },
  {
    page: 'docs/how-to/tests.md',
    first: "import { createFactories } from '@entia/testing'",
    why: runner,
    given: shop,
  },
  {
    page: 'docs/how-to/tests.md',
    first: 'import { createFakeClock, createFakeIds',
    why: runner,
    given: `import { createShop } from './shop.ts'`,
  },
  {
    page: 'docs/how-to/tests.md',
    first: "expect(shop.Order.query('total > 490')).toUseIndex",
    why: runner,
    given: `import '@entia/testing/vitest'\nimport { expect } from 'vitest'\n${shop}`,
  },
  {
    page: 'docs/how-to/tests.md',
    first: "import { handlersOf } from '@entia/testing/msw'",
    why: runner,
    given: shop,
  },
  {
    page: 'docs/how-to/tests.md',
    first: "import { createRestHandler } from '@entia/rest'",
    why: runner,
    given: `import { handlersOf } from '@entia/testing/msw'\nimport { setupServer } from 'msw/node'\n${shop}`,
  },
  {
    page: 'docs/explanation/plans.md',
    first: 'expect(store.Employee',
    why: runner,
    given: `import '@entia/testing/vitest'\nimport { expect } from 'vitest'\n${store}`,
  },
  {
    page: 'docs/how-to/http-hosts.md',
    first: "import { createServer } from 'node:http'",
    why: 'it is a server; examples/host-node-http is run',
  },
  {
    page: 'docs/how-to/http-hosts.md',
    first: 'const rest = createRestHandler(store, {\n  allowedHosts',
    why: 'the counter of requests is the application’s; packages/rest/test/http/admission.test.ts admits requests',
    given: `${rest}\ndeclare const rates: { take(address: string | undefined): boolean }`,
  },
  {
    page: 'docs/how-to/http-hosts.md',
    first: "import { createSharpConverter } from '@entia/rest/sharp'",
    why: 'sharp is not installed here',
    given: rest,
  },
  {
    page: 'docs/how-to/http-hosts.md',
    first: 'const rest = createRestHandler(contacts, { catalogs',
    why: 'the stores are the application’s; packages/rest/test/http/catalogs.test.ts serves two',
    given: `import { type AnyDataStore } from '@entia/core'
import { createRestHandler } from '@entia/rest'
declare const contacts: AnyDataStore
declare const publication: AnyDataStore`,
  },
  {
    page: 'docs/how-to/permissions.md',
    first: 'const rest = createRestHandler(store, {\n  users: {',
    why: 'accounts are the application’s; packages/rest/test has logins and permissions',
    given: `${rest}
interface Account { readonly id: string; readonly fullName: string; readonly groups: readonly string[] }
declare const accounts: { check(name: string, password: string, address: string): Promise<Account | null> }`,
  },
  {
    page: 'docs/how-to/permissions.md',
    first: "import { EntiaError } from '@entia/core'",
    why: 'the identity provider is the application’s; packages/rest/test/sessions logs in by a function',
    given: `interface Account { readonly id: string; readonly name: string; readonly roles: readonly string[] }
declare const identity: { verify(token: unknown): Promise<Account | null> }`,
  },
  {
    page: 'docs/how-to/identity.md',
    first:
      "import { createRestHandler, type IdentityRequest } from '@entia/rest'\nimport { createRemoteJWKSet",
    why: 'the issuer is the application’s; examples/identity-express verifies tokens',
  },
  {
    page: 'docs/how-to/identity.md',
    first:
      "import { createRestHandler, type IdentityRequest } from '@entia/rest'\nimport { store }",
    why: 'the session library is the application’s',
    given: `interface Found { readonly user: { readonly id: string; readonly email: string } }
declare const auth: { getSession(from: { readonly headers: Headers }): Promise<Found | null> }`,
  },
  {
    page: 'docs/how-to/identity.md',
    first: 'export const rest = {',
    why: 'it is a part of a module to be served; packages/cli/test serves the like',
  },
  {
    page: 'docs/reference/http.md',
    first: 'save: {',
    why: 'it is a piece of a dataclass',
    given: "import { isEntity } from '@entia/core'",
    isLiteral: true,
  },
  {
    page: 'docs/reference/http.md',
    first: "import wakanda from 'wakanda-client'",
    why: 'it asks a server; packages/rest/test/interop does',
  },
  {
    page: 'docs/how-to/migrate-from-json-server.md',
    first: "import { useDataStore } from '@entia/testing/vitest'",
    why: runner,
  },
  {
    page: 'docs/how-to/migrate-from-json-server.md',
    first: "import { createRestHandler } from '@entia/rest'",
    why: 'it needs a model; packages/rest/test/plain runs the like',
  },
  {
    page: 'docs/how-to/migrate-from-lokijs.md',
    first: "const kept = new Loki('hr.db', {",
    why: 'it writes to a file every four seconds',
    given: `import Loki from 'lokijs'`,
  },
  {
    page: 'docs/how-to/migrate-from-lokijs.md',
    first: "import { openJournal } from '@entia/core/node'",
    why: journal,
    given: store,
  },
  {
    page: 'docs/how-to/migrate-from-nedb.md',
    first: 'const kept = new Datastore({ filename',
    why: 'it writes to a file',
    given: `import Datastore from '@seald-io/nedb'`,
  },
  {
    page: 'docs/how-to/migrate-from-nedb.md',
    first: "import { openJournal } from '@entia/core/node'",
    why: journal,
    given: store,
  },
  {
    page: 'packages/cli/README.md',
    first: '// hr.mjs',
    why: 'it is a module to be served; packages/cli/test serves the like',
  },
  {
    page: 'packages/client/README.md',
    first: "import { connect } from '@entia/client'",
    why: 'it asks a server that is not there; packages/client/test does so of one that is',
    given: `declare const limit: number, city: string`,
  },
  {
    page: 'packages/tanstack-db/README.md',
    first: "import { connect } from '@entia/client'",
    why: 'it is part of a component, and asks a server that is not there; examples/tanstack-vue runs',
    isUntyped: true,
  },
  {
    page: 'docs/how-to/tanstack-db.md',
    first: 'const visits = createCollection(',
    why: 'it needs a replica; packages/tanstack-db/test has one',
    isUntyped: true,
  },
  {
    page: 'docs/how-to/replicas.md',
    first: 'const replica = await replicate(db, {\n  dataClasses,',
    why: 'it needs IndexedDB; packages/replica/test/tabs.test.ts has browsers with several tabs',
    isUntyped: true,
  },
  {
    page: 'docs/how-to/replicas.md',
    first: "self.addEventListener('fetch'",
    why: 'it is a service worker; that of examples/field-service keeps a page in Chromium',
    isUntyped: true,
  },
  {
    page: 'packages/replica/README.md',
    first: "import { connect } from '@entia/client'",
    why: 'it asks a server that is not there; packages/replica/test does so of one that is',
    given: `import { attribute, defineDataClass } from '@entia/core'
declare const id: string
const Customer = defineDataClass('Customer', { ID: attribute.uuid({ key: true }) })
const Visit = defineDataClass('Visit', {
  ID: attribute.uuid({ key: true }),
  technician: attribute.string(),
  hour: attribute.long(),
  done: attribute.bool(),
  customer: attribute.relatedEntity('Customer'),
  notes: attribute.relatedEntities('Note', 'visit'),
})
const Note = defineDataClass('Note', {
  ID: attribute.uuid({ key: true }),
  visit: attribute.relatedEntity('Visit'),
})`,
  },
  ...[
    'const best = store.Employee.query(',
    'const best = db.prepare(',
    'const best = alasql(',
    'const query = createLiveQueryCollection(',
    'const queries = createQueries(store)',
    'const found = employees.findMany(',
    'const paris = companies.find(',
    'const paris = await companies.findAsync(',
    'const paris = await get(',
  ].map((first) => ({
    page: 'docs/explanation/comparison.md',
    first,
    why: 'it needs data in a library; comparison.slow.test.ts runs it with some',
    isUntyped: true,
  })),
  {
    page: 'docs/how-to/react.md',
    first: 'import { type EntityIn, useSave }',
    why: 'it needs a page; packages/react/test and examples/react-app save',
    given: remote,
  },
  {
    page: 'docs/how-to/react.md',
    first: '// @vitest-environment jsdom',
    why: 'it is a test of its reader; packages/react/test has many',
    isUntyped: true,
  },
  {
    page: 'docs/how-to/react.md',
    first: 'function Connection(',
    why: 'it needs a page; packages/react/test and examples/react-app lose a connection',
    given: `import { useConnected } from '@entia/react'\n${remote}`,
  },
  {
    page: 'packages/react/README.md',
    first: "import { connect } from '@entia/client'",
    why: 'it needs a page; packages/react/test and examples/react-app do the like',
  },
  {
    page: 'docs/how-to/observability.md',
    first: "import { subscribe } from 'node:diagnostics_channel'\nimport { SpanKind",
    why: 'it needs OpenTelemetry, which nothing else does',
    isUntyped: true,
  },
  {
    page: 'packages/mcp/README.md',
    first: 'import { createMcpHandler, serveStdio }',
    why: 'it waits on standard input; packages/cli/test/mcp-command.slow.test.ts does so',
  },
  {
    page: 'packages/sql/README.md',
    first: "import { createServer } from 'node:http'",
    why: needsServer,
  },
  {
    page: 'docs/how-to/high-availability.md',
    first: "import { openSqlStore } from '@entia/sql'",
    why: needsServer,
    given: `import { attribute, defineDataClass } from '@entia/core'
const model = {
  name: 'hr',
  dataClasses: [defineDataClass('Note', { ID: attribute.long({ key: true }) })],
}`,
  },
  {
    page: 'docs/how-to/mirrors.md',
    first: 'const store = await openSqlStore({',
    why: 'it needs a database server; packages/sql/test/mirror runs the like',
    given: `import { attribute, defineDataClass } from '@entia/core'
import { openSqlStore } from '@entia/sql'
import { pgPool } from '@entia/sql/pg'
const connectionString = 'postgres://postgres@localhost/postgres'
const Product = defineDataClass('Product', { ID: attribute.long({ key: true }) })
const Price = defineDataClass('Price', { ID: attribute.long({ key: true }) })
const Order = defineDataClass('Order', { ID: attribute.long({ key: true }) })`,
  },
  {
    page: 'docs/how-to/outgrowing-one-machine.md',
    first: 'rest.prepareToStop()',
    why: 'it ends a server; packages/cli/test/serve.slow.test.ts tests the same order',
    given: `import type { Server } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { RestHandler } from '@entia/rest'
declare const rest: RestHandler
declare const server: Server
declare const store: { close(): Promise<void> }`,
  },
  {
    page: 'docs/how-to/outgrowing-one-machine.md',
    first: '// options.ts',
    why: needsServer,
  },
  {
    page: 'docs/how-to/outgrowing-one-machine.md',
    first: "import { migrateDatabase } from '@entia/sql'",
    why: needsServer,
  },
  {
    page: 'docs/how-to/outgrowing-one-machine.md',
    first: "import { openDumpFile } from '@entia/core/node'",
    why: needsServer,
  },
  {
    page: 'docs/how-to/outgrowing-one-machine.md',
    first: "import { createServer } from 'node:http'",
    why: needsServer,
  },
  {
    page: 'docs/how-to/outgrowing-one-machine.md',
    first: "const Employee = defineDataClass('Employee', {",
    why: 'it shows hooks; packages/sql/test/store/differences.slow.test.ts counts how often they run',
    given: `import { attribute, defineDataClass } from '@entia/core'`,
  },
  ...[
    'docs/reference/valkey.md',
    'docs/how-to/outgrowing-one-machine.md',
    'packages/valkey/README.md',
  ].map((page) => ({
    page,
    first: "import { openSqlStore } from '@entia/sql'\nimport { valkeyState }",
    why: 'it needs Valkey; packages/valkey/test does the like',
  })),
  {
    page: 'docs/reference/sql.md',
    first: "await store.load('Book', rows)",
    why: 'its rows are any number; packages/sql/test/async/transact.slow.test.ts loads in pieces',
    given: `import { options } from './options.ts'
import { openSqlStore } from '@entia/sql'

const store = await openSqlStore(options)
const rows: { title: string }[] = []`,
  },
  {
    page: 'packages/sql/README.md',
    first: 'for await (const { globalStamp, changes } of store.changes',
    why: 'it never ends; packages/sql/test/live/changes.slow.test.ts reads changes',
    isUntyped: true,
  },
  {
    page: 'docs/how-to/schemas.md',
    first: "import { schemasOf } from '@entia/core/schema'\nimport { Company",
    why: 'it is a handler of the application',
  },
  {
    page: 'docs/how-to/assistants.md',
    first: "import { createServer } from 'node:http'",
    why: 'it is a server; packages/mcp/test/mcp-handler.test.ts runs one',
  },
  {
    page: 'packages/rest/README.md',
    first: "import { createServer } from 'node:http'",
    why: 'it is a server; examples/host-node-http is run',
    given: store,
  },
  {
    page: 'packages/testing/README.md',
    first: 'import { createFactories, createFakeClock',
    why: runner,
  },
  {
    page: 'packages/testing/README.md',
    first: "import { once } from 'node:events'",
    why: runner,
    isUntyped: true,
  },
  {
    page: 'packages/testing/README.md',
    first: '{\n  id: 111,',
    why: 'it is a row of the table of cases, which is run',
    given: `declare const specialities: unknown`,
    isLiteral: true,
  },
]

/** Modules that blocks import, in addition to the packages. */
export const modules: Readonly<Record<string, string>> = {
  'store.ts': `import { attribute, createDataStore, defineDataClass } from '@entia/core'

export const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  city: attribute.string({ indexed: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
export const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ indexed: true }),
  salary: attribute.number({ indexed: true }),
  active: attribute.bool(),
  employer: attribute.relatedEntity('Company'),
})
export const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })

const Staff = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ notNull: true }),
  salary: attribute.number({ notNull: true, indexed: true }),
})
export const staffStore = createDataStore({ name: 'staff', dataClasses: [Staff] })
`,
  // The declarations of NeDB say `export default`, but the module itself is the class.
  'nedb.d.mts': `import nedb from './node_modules/@seald-io/nedb/index.js'
declare const Datastore: typeof nedb.default
export default Datastore
`,
  'store.mts': `export { store } from './store.ts'\n`,
  'options.ts': `import { attribute, defineDataClass } from '@entia/core'
import type { SqlStoreOptions } from '@entia/sql'
import { pgPool } from '@entia/sql/pg'

const Company = defineDataClass('Company', { ID: attribute.long({ key: true }) })
export const options: SqlStoreOptions = {
  name: 'hr',
  dataClasses: [Company],
  database: pgPool({ connectionString: 'postgres://localhost/hr' }),
}
`,
  'shop.ts': `import { attribute, createDataStore, type DataStoreOptions, defineDataClass } from '@entia/core'

const Customer = defineDataClass('Customer', {
  ID: attribute.long({ key: true, autoSequence: true }),
  city: attribute.string({ indexed: true }),
  orders: attribute.relatedEntities('Order', 'customer'),
})
const Order = defineDataClass('Order', {
  ID: attribute.long({ key: true, autoSequence: true }),
  reference: attribute.string(),
  total: attribute.number({ indexed: true }),
  customer: attribute.relatedEntity('Customer'),
})
export const createShop = (ports: Partial<Pick<DataStoreOptions, 'clock' | 'ids'>> = {}) =>
  createDataStore({ name: 'shop', dataClasses: [Customer, Order], ...ports })
`,
}
