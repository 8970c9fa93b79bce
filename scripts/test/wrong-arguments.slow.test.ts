// Every public function that makes something refuses a wrong argument by its name, whichever
// package it is of.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as client from '@entia/client'
import * as core from '@entia/core'
import * as asynchronous from '@entia/core/async'
import * as kernel from '@entia/core/kernel'
import * as node from '@entia/core/node'
import * as query from '@entia/core/query'
import * as schema from '@entia/core/schema'
import * as explorer from '@entia/explorer'
import * as mcp from '@entia/mcp'
import * as react from '@entia/react'
import * as replica from '@entia/replica'
import * as rest from '@entia/rest'
import * as sharp from '@entia/rest/sharp'
import * as sql from '@entia/sql'
import * as pg from '@entia/sql/pg'
import * as pglite from '@entia/sql/pglite'
import * as tanstack from '@entia/tanstack-db'
import * as testing from '@entia/testing'
import * as conformance from '@entia/testing/conformance'
import * as msw from '@entia/testing/msw'
import * as valkey from '@entia/valkey'
import * as program from 'entia'
import { afterAll, describe, expect, test } from 'vitest'

const MODULES: { readonly [name: string]: object } = {
  client,
  core,
  'core/async': asynchronous,
  'core/kernel': kernel,
  'core/node': node,
  'core/query': query,
  'core/schema': schema,
  explorer,
  mcp,
  react,
  replica,
  rest,
  'rest/sharp': sharp,
  sql,
  'sql/pg': pg,
  'sql/pglite': pglite,
  'tanstack-db': tanstack,
  testing,
  'testing/conformance': conformance,
  'testing/msw': msw,
  valkey,
  entia: program,
}

const { attribute, createDataStore, defineDataClass } = core
const People = defineDataClass('People', { ID: attribute.long({ key: true }) })
const createPeople = () => createDataStore({ name: 'people', dataClasses: [People] })
const store = createPeople()
const handler = rest.createRestHandler(store)
const entity = store.People.insert({ ID: 1 })
const remote = client.connect<typeof store>('http://x.example/rest', { fetch: handler.fetch })
/** A file that opens, in a folder of its own. */
const folder = mkdtempSync(join(tmpdir(), 'entia-arguments-'))
const file = join(folder, 'people.entia')
const rows = join(folder, 'people.csv')
writeFileSync(file, store.dump())
writeFileSync(rows, 'ID\n1\n')
afterAll(() => rmSync(folder, { recursive: true }))
/** A pool that nothing asks. */
const database = pg.pgPool({ connectionString: 'postgres://localhost:1/none' })
const hooks = { beforeEach: () => {}, afterEach: () => {}, afterAll: () => {} }
const jsonSchema = {
  type: 'object',
  properties: { ID: { type: 'integer' } },
  required: ['ID'],
} as const

/** Wrong values, by their names in the reports of this test. */
const WRONG = {
  undefined: undefined,
  null: null,
  number: 5,
  boolean: true,
  text: 'x',
  array: [],
  object: {},
  'object with an unknown name': { misspelt: 1 },
  function: () => 1,
  promise: Promise.resolve({}),
} satisfies { readonly [name: string]: unknown }
type Wrong = keyof typeof WRONG
const NAMES = Object.keys(WRONG) as readonly Wrong[]

/** A good value of an argument, and which of the wrong values are good there too. */
type Argument = readonly [good: unknown, ...takes: Wrong[]]
const text = (good: string): Argument => [good, 'text']
const STORE: Argument = [store]
/** Options that may all be missing. */
const OPTIONS: Argument = [{}, 'undefined', 'object', 'array', 'promise']
/** A copy of an entity. A row of `select` may lack its key. */
const ENTITY: Argument = [
  { key: 1, stamp: 1 },
  'object',
  'object with an unknown name',
  'array',
  'promise',
]
const CLASSES: Argument = [{ name: 'people', dataClasses: [People] }]
const DATABASE: Argument = [{ name: 'people', dataClasses: [People], database }]

/** The arguments of each function that makes something, by module and name. */
const FACTORIES: { readonly [name: string]: readonly Argument[] } = {
  'client.connect': [text('http://x.example/rest'), OPTIONS],
  'client.keyOf': [ENTITY],
  'client.stampOf': [ENTITY],
  'core.createDataStore': [CLASSES],
  'core.dataClassOf': [[entity]],
  'core.defineDataClass': [text('People'), [{ ID: attribute.long({ key: true }) }], OPTIONS],
  'core.foreignKeyOf': [[entity]],
  'core.keyOf': [[entity]],
  'core.openDump': [[store.dump()], CLASSES],
  'core.stampOf': [[entity]],
  'core.timestampOf': [[entity]],
  'core/async.asyncOf': [STORE, OPTIONS],
  'core/async.keyOf': [ENTITY],
  'core/async.stampOf': [ENTITY],
  'core/kernel.createStore': [CLASSES],
  'core/node.dumpToFile': [STORE, text(file)],
  'core/node.openDumpFile': [text(file), CLASSES],
  'core/node.openJournal': [STORE, text(join(folder, 'journal')), OPTIONS],
  'core/node.publishDiagnostics': [STORE, OPTIONS],
  'core/query.where': [[store.People, 'function']],
  'core/schema.dataClassFrom': [text('People'), [jsonSchema], [{ key: 'ID' }]],
  'core/schema.schemasOf': [[[People], 'array']],
  'entia.loadFile': [[store.People], text(rows), OPTIONS],
  'entia.loadFiles': [STORE, [rows, 'text', 'array'], OPTIONS],
  'explorer.explorerFiles': [[{ name: 'people', basePath: '/rest', links: [] }]],
  'mcp.createMcpHandler': [[handler], OPTIONS],
  'mcp.createMcpServer': [[handler], OPTIONS],
  'mcp.interfaceAt': [['http://x.example/rest']],
  'mcp.serveStdio': [[handler], OPTIONS],
  'react.dehydrate': [[remote]],
  'react.hydrate': [[remote], [{}, 'object', 'array', 'promise']],
  'react.preload': [[remote.People.all()]],
  'react.preloadPage': [[remote.People.all()], [{ skip: 0, top: 1 }]],
  'replica.replicate': [[remote], [{ dataClasses: [People], shapes: { People: true } }]],
  'rest.createRestHandler': [STORE, OPTIONS],
  'rest.loggedIn': [[{ ID: '1', userName: 'a', fullName: 'A', groups: [] }]],
  'rest.openApiOf': [STORE, OPTIONS],
  'rest.outgoing': [text('x')],
  'rest.toExpressHandler': [[handler]],
  'rest.toFastifyPlugin': [[handler]],
  'rest.toKoaMiddleware': [[handler]],
  'rest.toNodeHandler': [[handler]],
  'rest/sharp.createSharpConverter': [OPTIONS],
  'sql.copyStore': [STORE, DATABASE],
  'sql.databaseOf': [STORE, [{ database }]],
  'sql.migrateDatabase': [DATABASE],
  'sql.openSqlStore': [DATABASE],
  'sql.verifyDatabase': [DATABASE],
  'sql/pg.pgPool': [[{ connectionString: 'postgres://localhost:1/none' }]],
  'sql/pglite.pglitePool': [OPTIONS],
  'tanstack-db.entiaCollectionOptions': [[{ dataClass: remote.People, key: 'ID' }]],
  'testing.createFactories': [STORE, OPTIONS],
  'testing.createFakeClock': [OPTIONS],
  'testing.useDataStoreWith': [[hooks]],
  'testing.withFaults': [[handler], [{ faults: [] }]],
  'testing/conformance.hostAt': [['http://x.example'], OPTIONS],
  'testing/msw.handlersOf': [STORE, OPTIONS],
  'valkey.valkeyState': [[{ client: {} }]],
}

/**
 * Functions that answer for every value, take no argument, need a component or a test runner, or
 * take texts that this repository's own code has parsed.
 */
const OTHERS: ReadonlySet<string> = new Set(
  `core.isEntiaError core.isEntity core.isSelection core.isVisible core.findQuotedParts
  core.splitFilter core.splitOrder core.mergeDeltas core.createMedia core.checkedValue
  core/query.bothOf core/query.bothSearches core/query.filterOf core/query.refuseJson
  core/query.refuseWholeRemoval core/query.textOf core/query.withFilter core/query.conditionFrom
  core/schema.defaultOf core/schema.limitsOf core/schema.typeSchema react.useConnected react.useEntity
  react.useLive react.usePage react.useReplica react.useSave rest.restError rest.slowText
  testing.assertUsesIndex testing.usesIndex testing.createFakeIds
  testing/conformance.describeConformance testing/conformance.createPorts
  testing/conformance.referenceHost testing/conformance.runCase
  testing/conformance.runConformance`.split(/\s+/),
)

test('every public function is in one of the two lists', () => {
  const exported = Object.entries(MODULES).flatMap(([module, exports]) =>
    Object.entries(exports)
      .filter(([name, value]) => typeof value === 'function' && !/^[A-Z]/.test(name))
      .filter(([name]) => module !== 'core/kernel' || !(name in core))
      .map(([name]) => `${module}.${name}`),
  )
  const isListed = (name: string) => name in FACTORIES || OTHERS.has(name) || name === 'core.where'
  expect(exported.filter((name) => !isListed(name))).toEqual([])
})

/** Messages of JavaScript itself, which do not name the argument. */
const RAW =
  /^Cannot (?:read|destructure|use|convert)|^Invalid |is not (?:a function|iterable|defined)/
/** What is right in its place. */
const REMEDY = /must be |\btakes? |\bfollow |\b(?:Pass|Use|Give|Mark|Name|Known|Options:) /

async function messageOf(call: () => unknown): Promise<string> {
  try {
    const waited = new Promise((resolve) => setTimeout(resolve, 200))
    await Promise.race([call(), waited])
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'nothing was thrown'
}

describe.each(Object.entries(FACTORIES))('%s', (name, given) => {
  const at = name.indexOf('.')
  const make = Reflect.get(MODULES[name.slice(0, at)]!, name.slice(at + 1)) as (
    ...values: readonly unknown[]
  ) => unknown

  test.each(given.map((argument, place) => [place + 1, argument] as const))(
    'refuses a wrong argument %i with what is right there',
    async (place, [, ...takes]) => {
      const bad: string[] = []
      for (const wrong of NAMES.filter((each) => !takes.includes(each))) {
        const values = given.map(([value], at) => (at === place - 1 ? WRONG[wrong] : value))
        const message = await messageOf(() => make(...values))
        // An option of an unknown name is refused by its name.
        const isNamed = !takes.includes('undefined') || !wrong.includes('unknown')
        if (RAW.test(message) || !REMEDY.test(message) || !(isNamed || /misspelt/.test(message)))
          bad.push(`${wrong}: ${message}`)
      }
      expect(bad).toEqual([])
    },
  )
})
