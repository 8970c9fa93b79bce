/**
 * Generates the API reference with TypeDoc from the built declarations: one page for each entry
 * point of a package.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application } from 'typedoc'
import { root, staged } from './pages.mjs'

const entryPoints = [
  { page: 'core', declares: 'packages/core/dist/index', name: '@entia/core' },
  { page: 'core-kernel', declares: 'packages/core/dist/kernel', name: '@entia/core/kernel' },
  { page: 'core-query', declares: 'packages/core/dist/query', name: '@entia/core/query' },
  { page: 'core-async', declares: 'packages/core/dist/async/index', name: '@entia/core/async' },
  { page: 'core-schema', declares: 'packages/core/dist/schema', name: '@entia/core/schema' },
  {
    page: 'core-browser',
    declares: 'packages/core/dist/browser/index',
    name: '@entia/core/browser',
  },
  { page: 'core-node', declares: 'packages/core/dist/node/index', name: '@entia/core/node' },
  { page: 'rest', declares: 'packages/rest/dist/index', name: '@entia/rest' },
  { page: 'sql', declares: 'packages/sql/dist/index', name: '@entia/sql' },
  { page: 'sql-pg', declares: 'packages/sql/dist/pg', name: '@entia/sql/pg' },
  { page: 'sql-pglite', declares: 'packages/sql/dist/pglite', name: '@entia/sql/pglite' },
  { page: 'valkey', declares: 'packages/valkey/dist/index', name: '@entia/valkey' },
  { page: 'testing', declares: 'packages/testing/dist/index', name: '@entia/testing' },
  { page: 'client', declares: 'packages/client/dist/index', name: '@entia/client' },
  { page: 'mcp', declares: 'packages/mcp/dist/index', name: '@entia/mcp' },
  { page: 'react', declares: 'packages/react/dist/index', name: '@entia/react' },
  { page: 'cli', declares: 'packages/cli/dist/index', name: 'entia' },
]

/** Writes staged/api. The packages must have been built. */
export async function stageReference() {
  const entries = join(root, 'docs/site/node_modules/.entries')
  rmSync(entries, { recursive: true, force: true })
  mkdirSync(entries, { recursive: true })
  const known = entryPoints.filter(({ declares }) => existsSync(join(root, `${declares}.d.ts`)))
  for (const { page, declares, name } of known) {
    const text = `/**\n * What \`${name}\` exports.\n * @module ${page}\n */\nexport * from '${join(root, declares)}.js'\n`
    writeFileSync(join(entries, `${page}.d.ts`), text)
  }
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom', 'esnext.disposable'],
    skipLibCheck: true,
    strict: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  writeFileSync(
    join(entries, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.d.ts'] }),
  )
  const app = await Application.bootstrapWithPlugins({
    entryPoints: known.map(({ page }) => join(entries, `${page}.d.ts`)),
    tsconfig: join(entries, 'tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    out: join(staged, 'api'),
    readme: 'none',
    name: 'API',
    disableSources: true,
    excludeInternal: true,
    excludePrivate: true,
    skipErrorChecking: true,
    logLevel: 'Warn',
    validation: { notExported: false, invalidLink: true, notDocumented: false },
    // Options of typedoc-plugin-markdown: one page for each entry point, short signatures, tables.
    outputFileStrategy: 'modules',
    entryFileName: 'index',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', 'Type Aliases', '*'],
    useCodeBlocks: true,
    expandObjects: false,
    expandParameters: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
  })
  const project = await app.convert()
  if (project === undefined)
    throw new Error('TypeDoc cannot read the declarations. Run `npm run build` first.')
  rmSync(join(staged, 'api'), { recursive: true, force: true })
  await app.generateOutputs(project)
  for (const { page, name } of known) {
    const file = join(staged, `api/${page}.md`)
    writeFileSync(file, readFileSync(file, 'utf8').replace(`# ${page}\n`, `# ${name}\n`))
  }
  if (app.logger.hasErrors()) throw new Error('TypeDoc reported errors (see above).')
}
