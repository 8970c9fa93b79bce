// The blocks of the comparison page that solve one task in each library give the same answer. A
// library that is not installed here or in bench/peers is left out.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundled } from './docs-examples.ts'
import { openFolder, runNode } from './docs-folder.ts'
import { readText, root } from './source-files.ts'

const page = readText('docs/explanation/comparison.md')
const task = page.split('## The same task in each library')[1]?.split('\n## ')[0] ?? ''
const blocks = [...task.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)

/** What the page leaves out: the data in each library. */
const libraries: readonly {
  readonly name: string
  readonly packages: readonly string[]
  readonly given: string
}[] = [
  {
    name: 'Entia',
    packages: [],
    given: `import { attribute, createDataStore, defineDataClass } from '@entia/core'
const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  city: attribute.string({ indexed: true }),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true }),
  lastName: attribute.string(),
  salary: attribute.number({ indexed: true }),
  company: attribute.relatedEntity('Company'),
})
const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
store.Company.load(COMPANIES)
store.Employee.load(EMPLOYEES.map(({ companyID, ...row }) => ({ ...row, company: companyID })))`,
  },
  {
    name: 'better-sqlite3',
    packages: ['better-sqlite3'],
    given: `const db = new (load('better-sqlite3'))(':memory:')
db.exec('CREATE TABLE companies (ID INTEGER PRIMARY KEY, name, city)')
db.exec('CREATE TABLE employees (ID INTEGER PRIMARY KEY, lastName, salary, companyID)')
for (const row of COMPANIES)
  db.prepare('INSERT INTO companies VALUES (:ID, :name, :city)').run(row)
for (const row of EMPLOYEES)
  db.prepare('INSERT INTO employees VALUES (:ID, :lastName, :salary, :companyID)').run(row)`,
  },
  {
    name: 'AlaSQL',
    packages: ['alasql'],
    given: `const alasql = load('alasql')
alasql('CREATE TABLE companies (ID INT PRIMARY KEY, name STRING, city STRING)')
alasql('CREATE TABLE employees (ID INT PRIMARY KEY, lastName STRING, salary INT, companyID INT)')
alasql.tables.companies.data = COMPANIES
alasql.tables.employees.data = EMPLOYEES`,
  },
  {
    name: 'TanStack DB',
    packages: ['@tanstack/db'],
    given: `const { createCollection, createLiveQueryCollection, eq, localOnlyCollectionOptions } =
  await find('@tanstack/db')
const collection = (initialData) =>
  createCollection(localOnlyCollectionOptions({ getKey: ({ ID }) => ID, initialData }))
const [companies, employees] = [collection(COMPANIES), collection(EMPLOYEES)]`,
  },
  {
    name: 'TinyBase',
    packages: ['tinybase'],
    given: `const { createQueries, createStore } = await find('tinybase')
const byKey = (rows) => Object.fromEntries(rows.map((row) => [row.ID, row]))
const store = createStore().setTables({
  companies: byKey(COMPANIES),
  employees: byKey(EMPLOYEES),
})`,
  },
  {
    name: '@msw/data',
    packages: ['@msw/data', 'zod'],
    given: `const { Collection } = await find('@msw/data')
const { z } = await find('zod')
const company = z.object({ ID: z.number(), name: z.string(), city: z.string() })
const companies = new Collection({ schema: company })
const employees = new Collection({
  schema: z.object({ ID: z.number(), lastName: z.string(), salary: z.number(), company }),
})
employees.defineRelations(({ one }) => ({ company: one(companies) }))
const created = new Map()
for (const row of COMPANIES) created.set(row.ID, await companies.create(row))
for (const { companyID, ...row } of EMPLOYEES)
  await employees.create({ ...row, company: created.get(companyID) })`,
  },
  {
    name: 'LokiJS',
    packages: ['lokijs'],
    given: `const db = new (load('lokijs'))('hr.db')
const companies = db.addCollection('companies', { unique: ['ID'], indices: ['city'] })
const employees = db.addCollection('employees', { indices: ['companyID'] })
companies.insert(COMPANIES)
employees.insert(EMPLOYEES)`,
  },
  {
    name: 'NeDB',
    packages: ['@seald-io/nedb'],
    given: `const Datastore = load('@seald-io/nedb')
const [companies, employees] = [new Datastore(), new Datastore()]
await companies.insertAsync(COMPANIES)
await employees.insertAsync(EMPLOYEES)`,
  },
  {
    name: 'json-server',
    packages: ['json-server'],
    given: `const jsonServer = load('json-server')
const server = jsonServer.create()
server.use(jsonServer.router({
  companies: COMPANIES.map(({ ID, ...row }) => ({ id: ID, ...row })),
  employees: EMPLOYEES.map(({ ID, companyID, ...row }) => ({ id: ID, companyId: companyID, ...row })),
}))
const listening = server.listen(0)
const get = async (path) =>
  (await fetch('http://localhost:' + listening.address().port + path)).json()`,
  },
]

const COMPANIES = [
  { ID: 1, name: 'Acme', city: 'Paris' },
  { ID: 2, name: 'Bolt', city: 'Rome' },
  { ID: 3, name: 'Cube', city: 'Paris' },
]
const EMPLOYEES = Array.from({ length: 40 }, (_, at) => ({
  ID: at + 1,
  lastName: `Name ${at + 1}`,
  salary: 1000 * ((at * 7) % 40),
  companyID: 1 + (at % 3),
}))
const expected = EMPLOYEES.toSorted((a, b) => b.salary - a.salary)
  .map(({ lastName, companyID }) => ({
    lastName,
    company: COMPANIES.find(({ ID }) => ID === companyID)!,
  }))
  .filter(({ company }) => company.city === 'Paris')
  .slice(0, 10)
  .map(({ lastName, company }) => [lastName, company.name])

const folders = ['', 'examples', 'bench/peers'].map((folder) => join(root, folder, 'package.json'))
const folderOf = (name: string): string | undefined =>
  folders.find((folder) => {
    try {
      return createRequire(folder).resolve(name) !== ''
    } catch {
      return false
    }
  })

test('the page has a block for each library', () => {
  expect(blocks.length).toBe(libraries.length)
})

test.for(libraries.map((library, at) => ({ ...library, block: blocks[at] ?? '' })))(
  '$name',
  async ({ packages, given, block }, ending) => {
    const { expect, skip } = ending
    const places = packages.map((name) => [name, folderOf(name)] as const)
    if (places.some(([, folder]) => folder === undefined)) return skip('it is not installed')
    const lines = `import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
const places = new Map(${JSON.stringify(places)})
const load = (name) => createRequire(places.get(name))(name)
const find = (name) => import(pathToFileURL(createRequire(places.get(name)).resolve(name)).href)
const COMPANIES = ${JSON.stringify(COMPANIES)}
const EMPLOYEES = ${JSON.stringify(EMPLOYEES)}
${given}
${block}
keep(JSON.stringify(best.map(({ lastName, company }) => [lastName, company.name ?? company])))`
    const program = await bundled(lines, 'ts')
    const { output, status } = await runNode(
      openFolder(ending, { 'task.mjs': program }),
      'task.mjs',
    )
    expect(status, output).toBe(0)
    // Libraries print advice on the other stream.
    const [printed = ''] = /\{"results":.*?"printed":\[\]\}/.exec(output) ?? []
    expect(JSON.parse(JSON.parse(printed).results[0])).toEqual(expected)
  },
)
