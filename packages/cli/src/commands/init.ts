import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileError, usageError } from '../cli-error.ts'
import { parseCommand } from '../command-options.ts'
import { refuseExisting } from '../out-option.ts'
import { write } from '../print/write.ts'
import { initUsage } from '../usage.ts'

/**
 * `entia init [folder]`: writes a project with a store and a test. Replaces no file without
 * `--force`. Returns the exit code.
 */
export async function init(parameters: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommand('init', parameters, { force: { type: 'boolean' } })
  if (values.help) return write(initUsage)
  const [folder = '.', ...extra] = positionals
  if (extra.length > 0)
    throw usageError('"entia init" takes one folder: entia init my-store', 'init')
  const files = projectFiles(packageName(folder))
  for (const file of files.keys()) refuseExisting(join(folder, file), values.force)
  try {
    mkdirSync(folder, { recursive: true })
    for (const [file, text] of files) writeFileSync(join(folder, file), text)
  } catch (error) {
    throw fileError(folder, 'written', error)
  }
  const steps = [
    ...(folder === '.' ? [] : [`cd ${folder}`]),
    'npm install',
    'npm test',
    'npm start',
  ]
  return write(
    `Wrote ${[...files.keys()].join(', ')}. Next:\n\n${steps.map((step) => `  ${step}\n`).join('')}`,
  )
}

/** A name that npm takes. */
const packageName = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'store'

const projectFiles = (name: string): ReadonlyMap<string, string> =>
  new Map([
    ['package.json', manifest(name)],
    ['store.mjs', STORE],
    ['store.test.mjs', TEST],
  ])

function manifest(name: string): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  const content = {
    name,
    private: true,
    type: 'module',
    scripts: { start: 'entia serve store.mjs', test: 'node --test' },
    dependencies: { '@entia/core': version, entia: version },
    devDependencies: { '@entia/testing': version },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

const STORE = `import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  city: attribute.string({ indexed: true }),
  employees: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ notNull: true }),
  salary: attribute.number({ indexed: true, min: 0 }),
  employer: attribute.relatedEntity('Company'),
})

export default function createStore() {
  const store = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
  const engines = store.Company.insert({ name: 'Analytical Engines', city: 'Zürich' })
  store.Employee.insert({ lastName: 'Byron', salary: 61_000, employer: engines.ID })
  return store
}
`

const TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useDataStore } from '@entia/testing/node-test'
import createStore from './store.mjs'

const store = useDataStore(createStore)

test('employees are found by the city of their employer', () => {
  const found = store.Employee.query('employer.city === :1', ['zurich'])
  assert.deepEqual(found.select('lastName'), [{ lastName: 'Byron' }])
})
`
