// Every function that an application can import has an example in its comment, which compiles and
// gives what it states. An example is a `ts` block behind `@example`. It may use `store`, `client`
// and `file` of the prelude below, and imports what is of another entry.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type typescript from 'typescript-5'
import { expect, test } from 'vitest'
import { setup as build } from '../build-before-tests.mjs'
import { bundled, filesFor, runnable } from './docs-examples.ts'
import { compile, openFolder, runNode } from './docs-folder.ts'
import { filesBelow, readText, root } from './source-files.ts'

const ts: typeof typescript = createRequire(import.meta.url)('typescript-5')

/** Entries for other packages of Entia, and jest's, which has the functions of vitest's. */
const OTHER = /^@entia\/(engine|explorer)$|\/(internal|jest)$/

/** Examples that only compile: they need a browser, a database server or a test runner. */
const NOT_RUN = [
  ...['openBrowserJournal', 'deleteBrowserJournal', 'pgPool', 'valkeyState', 'serveStdio'],
  ...['useConnected', 'useEntity', 'useLive', 'usePage', 'useSave', 'useReplica'],
  ...['useDataStore', 'useDataStoreWith', 'describeConformance', 'hostAt', 'handlersOf'],
  ...['createSharpConverter', 'toExpressHandler', 'toFastifyPlugin', 'toKoaMiddleware', 'main'],
]

const PRELUDE = `
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { connect } from '@entia/client'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string({ indexed: true }),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  lastName: attribute.string({ indexed: true }),
  salary: attribute.number({ indexed: true, min: 0 }),
  employer: attribute.relatedEntity('Company'),
})
const dataClasses = [Company, Employee] as const
function hr() {
  const store = createDataStore({ name: 'hr', dataClasses })
  const acme = store.Company.insert({ name: 'Acme', city: 'Paris' })
  store.Employee.insert({ lastName: 'Byron', salary: 70_000, employer: acme })
  store.Employee.insert({ lastName: 'Babbage', salary: 48_000, employer: acme })
  return store
}
const opened = () => {
  const store = hr()
  const rest = createRestHandler(store, { live: true, replicas: true })
  const client = connect<typeof store>('http://hr.example/rest', { fetch: rest.fetch })
  const file = (name: string) => join(mkdtempSync(join(tmpdir(), 'entia-example-')), name)
  return { store, rest, client, file }
}
`

interface PublicFunction {
  readonly entry: string
  readonly name: string
  /** The lines of its example; null without one. */
  readonly lines: readonly string[] | null
}

const entries = filesBelow('packages')
  .filter((file) => /^[^/]*\/package\.json$/.test(file))
  .flatMap((file) => {
    const { name, exports = {} } = JSON.parse(readText(`packages/${file}`)) as {
      readonly name: string
      readonly exports?: Readonly<Record<string, string | { readonly types?: string }>>
    }
    return Object.entries(exports).flatMap(([entry, target]) => {
      const types = typeof target === 'string' ? undefined : target.types
      const importName = `${name}${entry.slice(1)}`
      if (types === undefined || OTHER.test(importName)) return []
      return [{ name: importName, file: join(root, 'packages', file, '..', types) }]
    })
  })

/** Of the declarations of the packages: checking their sources takes twice as long. */
function publicFunctions(): readonly PublicFunction[] {
  build()
  const config = ts.readConfigFile(join(root, 'tsconfig.test.json'), ts.sys.readFile).config
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { ...options, customConditions: [] },
  )
  const checker = program.getTypeChecker()
  const known = new Set<typescript.Symbol>()
  return entries.flatMap(({ name, file }) => {
    const source = program.getSourceFile(file)
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${name} has no module at ${file}`)
    return checker.getExportsOfModule(module).flatMap((exported): PublicFunction[] => {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
      const declaration = symbol.valueDeclaration
      if (declaration === undefined || known.has(symbol)) return []
      known.add(symbol)
      const type = checker.getTypeOfSymbolAtLocation(symbol, declaration)
      const isFunction = type.getCallSignatures().length > 0
      const tags = symbol.getJsDocTags(checker)
      if (!isFunction || tags.some((tag) => tag.name === 'internal')) return []
      const text = ts.displayPartsToString(tags.find((tag) => tag.name === 'example')?.text)
      const lines = /^```tsx?\n([\s\S]*?)\n?```/m.exec(text)?.[1]?.split('\n') ?? null
      return [{ entry: name, name: exported.name, lines }]
    })
  })
}

const functions = publicFunctions()

/** All examples as one program, each in a function of its own. */
function programOf(chosen: readonly PublicFunction[], write: typeof runnable): string {
  const imports = new Set<string>()
  const bodies = chosen.map(({ entry, name, lines }, at) => {
    const isKnown = new RegExp(`import .*\\b${name}\\b`).test(PRELUDE)
    // The entry's own name, unless the prelude or the example has it.
    const local = isKnown ? '' : `const { ${name} } = entry${at}\n`
    if (!isKnown) imports.add(`import * as entry${at} from '${entry}'`)
    const body = (lines ?? []).flatMap((line) => {
      const imported = /^import ((?:type )?)\{ (.*) \} from (.*)$/.exec(line)
      if (imported === null && line.startsWith('import ')) imports.add(line)
      for (const each of imported?.[2]?.split(', ') ?? [])
        if (!PRELUDE.includes(` ${each},`) && !PRELUDE.includes(` ${each} }`))
          imports.add(`import ${imported?.[1]}{ ${each} } from ${imported?.[3]}`)
      if (line.startsWith('import ')) return []
      const [code = '', gives] = line.split('// →')
      return [write({ code: code.trimEnd(), gives: gives?.trim() ?? null })]
    })
    return `async function example${at}() { // ${entry}: ${name}
const { store, rest, client, file } = opened()
${local}${body.join('\n')}
}`
  })
  const calls = chosen.map((_, at) => `await example${at}()`)
  return [...imports, PRELUDE, ...bodies, ...calls].join('\n')
}

test('every function that applications can import has an example', () => {
  const missing = functions.filter(({ lines }) => lines === null)
  expect(missing.map(({ entry, name }) => `${entry}: ${name}`)).toEqual([])
  expect(functions.length).toBeGreaterThan(50)
})

test('examples of functions compile', async (ending) => {
  const text = programOf(functions, ({ code }) => code)
  const folder = openFolder(ending, { 'examples.mts': text })
  const lib = ['es2023', 'es2024.string', 'esnext.disposable', 'dom', 'dom.iterable']
  expect(await compile(folder, ['examples.mts'], { lib })).toBe('')
})

// Some start PGlite, which takes seconds.
test('examples of functions give what they state', { timeout: 300_000 }, async (ending) => {
  const chosen = functions.filter(({ name }) => !NOT_RUN.includes(name))
  const stated = chosen.flatMap(({ name, lines }) =>
    (lines ?? []).flatMap((line) => (line.includes('// →') ? [[name, line]] : [])),
  )
  const text = await bundled(programOf(chosen, runnable), 'ts')
  const folder = openFolder(ending, { 'run.mjs': text, ...(await filesFor(text)) })
  const { output, status } = await runNode(folder, 'run.mjs')
  expect(status, output).toBe(0)
  const { results } = JSON.parse(output) as { readonly results: readonly string[] }
  expect(stated.map(([name, line], at) => [name, line, results[at]])).toEqual(
    stated.map(([name, line]) => [name, line, line?.split('// →')[1]?.trim()]),
  )
})
