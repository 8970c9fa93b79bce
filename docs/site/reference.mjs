/**
 * Generates the API reference with TypeDoc from the built declarations: one page for each entry
 * point of a package.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application } from 'typedoc'
import { anchorOf } from './.vitepress/anchor.mjs'
import { root, staged } from './pages.mjs'

/** Entries that only other packages of Entia import, or that another entry exports again. */
const OMITTED = ['./internal', './jest', './node-test', './vitest']
/** Packages that only rest and sql import, or whose entry is a page for browsers. */
const OMITTED_PACKAGES = ['engine', 'explorer']

/** The entry points with types of all packages: `{ page, declares, name }`. */
const entryPoints = readdirSync(join(root, 'packages'))
  .filter((folder) => !OMITTED_PACKAGES.includes(folder))
  .flatMap((folder) => {
    const manifest = JSON.parse(
      readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'),
    )
    return Object.entries(manifest.exports ?? {}).flatMap(([entry, { types }]) => {
      if (types === undefined || OMITTED.includes(entry)) return []
      const page = `${folder}${entry.slice(1).replaceAll('/', '-')}`
      const declares = join('packages', folder, types.replace(/\.d\.ts$/, ''))
      return [{ page, declares, name: `${manifest.name}${entry.slice(1)}` }]
    })
  })

/** Writes staged/api. The packages must have been built. */
export async function stageReference() {
  const entries = join(root, 'docs/site/node_modules/.entries')
  rmSync(entries, { recursive: true, force: true })
  mkdirSync(entries, { recursive: true })
  for (const { page, declares, name } of entryPoints) {
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
    entryPoints: entryPoints.map(({ page }) => join(entries, `${page}.d.ts`)),
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
  for (const { page, name } of entryPoints) {
    const file = join(staged, `api/${page}.md`)
    writeFileSync(file, linked(readFileSync(file, 'utf8').replace(`# ${page}\n`, `# ${name}\n`)))
  }
  if (app.logger.hasErrors()) throw new Error('TypeDoc reported errors (see above).')
}

/**
 * TypeDoc numbers the anchor of a type like that of a second heading where a class has a member
 * whose path reads the same. Links to an anchor that is not on the page lose the number.
 */
function linked(text) {
  const anchors = new Set([...text.matchAll(/<a id="([^"]*)"/g)].map(([, id]) => id))
  for (const [, heading] of text.matchAll(/^#+ (.*)$/gm)) {
    const first = anchorOf(heading)
    let anchor = first
    for (let more = 1; anchors.has(anchor); more++) anchor = `${first}-${more}`
    anchors.add(anchor)
  }
  return text.replace(/\]\(#([^)]*?)-\d+\)/g, (link, first) =>
    !anchors.has(link.slice(3, -1)) && anchors.has(first) ? `](#${first})` : link,
  )
}
