import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setup } from '../build-before-tests.mjs'
import { bundles, forBrowsers, measureBundle } from '../bundle-size.mjs'
import { staleFiles, writeBundle } from '../packages/bundle.mjs'
import { packageFolders } from '../packages/pack.mjs'
import { readJson, root } from './source-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'entia-bundle-'))
beforeAll(setup, 180_000)
afterAll(() => rmSync(folder, { recursive: true }))

/** The output of a program in the checkout, which imports the built packages. */
function printed(program: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], {
    cwd: root,
    encoding: 'utf8',
    input: program,
  })
  expect(status, stderr).toBe(0)
  return stdout
}

/**
 * The entry, and the chunks that it shares with the other entries of its package. The entries of
 * core share one chunk with everything that its main entry reaches.
 */
const MAX_FILES = 8

describe('the build', () => {
  test.each(packageFolders())('of %s matches its sources', async (name) => {
    expect(await staleFiles(join(root, 'packages', name))).toEqual([])
  })

  // Entries for test runners load only inside them.
  const entries = packageFolders().flatMap((name) => {
    const manifest = readJson<{ name: string; exports: Record<string, unknown> }>(
      `packages/${name}/package.json`,
    )
    return Object.keys(manifest.exports)
      .filter((entry) => !/package\.json|vitest|jest|node-test/.test(entry))
      .map((entry) => ({
        specifier: manifest.name + entry.slice(1),
        dist: `/packages/${name}/dist/`,
      }))
  })
  // Prints each import that Node resolves: the importing file and the imported one.
  const hook = `export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context)
    process._rawDebug('import ' + JSON.stringify([context.parentURL, resolved.url]))
    return resolved
  }`
  const addressOf = (specifier: string): string =>
    specifier === 'entia' ? pathToFileURL(join(root, 'packages/cli/dist/index.js')).href : specifier

  /** The addresses of the files that Node loads for each entry: one process imports all entries. */
  function importedByEach(): ReadonlyMap<string, ReadonlySet<string>> {
    const specifiers = entries.map(({ specifier }) => specifier)
    const program = `
      import { register } from 'node:module'
      register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}))
      for (const address of ${JSON.stringify(specifiers.map(addressOf))}) {
        process._rawDebug('entry ' + import.meta.resolve(address))
        await import(address)
      }`
    const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
    const lines = stderr.split('\n')
    const starts = lines.filter((line) => line.startsWith('entry ')).map((line) => line.slice(6))
    const imports = new Map<string, Set<string>>()
    for (const line of lines.filter((line) => line.startsWith('import '))) {
      const [from, to] = JSON.parse(line.slice(7)) as [string, string]
      imports.set(from, (imports.get(from) ?? new Set()).add(to))
    }
    return new Map(specifiers.map((specifier, at) => [specifier, closure(starts[at]!, imports)]))
  }

  function closure(start: string, imports: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
    const found = new Set([start])
    for (const file of found) for (const next of imports.get(file) ?? []) found.add(next)
    return found
  }

  let imported: ReadonlyMap<string, ReadonlySet<string>>
  beforeAll(() => {
    imported = importedByEach()
  })

  test.each(entries)('$specifier is imported from a few files', ({ specifier, dist }) => {
    const files = [...imported.get(specifier)!]
    const own = files.filter((url) => url.includes(dist))
    expect(own.length).toBeGreaterThan(0)
    expect(own.length).toBeLessThanOrEqual(MAX_FILES)
    // The files for bundlers are a second copy of each class.
    expect(files.filter((url) => url.includes('/dist/modules/'))).toEqual([])
  })

  const refusals = `
    import { attribute, createDataStore, defineDataClass, EntiaError } from '@entia/core'
    import { openDumpFile } from '@entia/core/node'
    import { createRestHandler } from '@entia/rest'
    const Note = defineDataClass('Note', { ID: attribute.long({ key: true }) })
    const store = createDataStore({ name: 'notes', dataClasses: [Note] })
    const refusals = [
      await openDumpFile('package.json', { dataClasses: [Note] }).catch((error) => error),
      (() => { try { createRestHandler(store, { limits: { pageSize: -1 } }) } catch (error) { return error } })(),
    ]
    console.log(refusals.map((error) => error instanceof EntiaError).join())`

  test('entries share their classes, also rest and core', () => {
    expect(printed(refusals)).toBe('true,true\n')
  })

  test.each(['browser', 'neutral', 'node'] as const)(
    'a bundle for the platform %s has one copy of each class',
    async (platform) => {
      const { build } = await import('esbuild')
      const { outputFiles, metafile } = await build({
        ...forBrowsers,
        platform,
        external: ['node:*'],
        mainFields: ['module', 'main'],
        stdin: { contents: refusals, resolveDir: root },
        metafile: true,
      })
      expect(printed(outputFiles[0]!.text)).toBe('true,true\n')
      const files = Object.keys(metafile.inputs).filter((file) => file.includes('core/dist/'))
      const forBundlers = files.filter((file) => file.includes('core/dist/modules/'))
      expect([0, files.length]).toContain(forBundlers.length)
    },
  )

  test('every entry of core has files for Node and for bundlers', () => {
    const { exports } = readJson<{ exports: Record<string, unknown> }>('packages/core/package.json')
    for (const [entry, target] of Object.entries(exports)) {
      if (entry === './package.json') continue
      const { node } = target as { node: string }
      expect(target).toMatchObject({ default: node.replace('/dist/', '/dist/modules/') })
    }
  })

  test('is as tree-shakeable as the sources', async () => {
    const programs = ['EntiaError', 'attribute, defineDataClass', 'isEntiaError, splitFilter'].map(
      (names) => `export { ${names} } from '@entia/core'`,
    )
    for (const program of [...programs, ...bundles.map((each) => each.program)]) {
      const [fromSources, fromBuild] = await Promise.all([
        measureBundle(program, { conditions: ['entia-source'] }),
        measureBundle(program),
      ])
      expect(fromBuild.gzipped).toBeLessThan(fromSources.gzipped * 1.002 + 50)
    }
  })
})

describe('a rebuilt package', () => {
  const place = join(folder, 'pair')
  const write = (file: string, text: string) => {
    mkdirSync(join(place, file, '..'), { recursive: true })
    writeFileSync(join(place, file), text)
  }
  const scripts = () =>
    readdirSync(join(place, 'dist'), { encoding: 'utf8' }).filter((file) => file.endsWith('.js'))
  const target = (name: string) => ({
    'entia-source': `./src/${name}.ts`,
    default: `./dist/${name}.js`,
  })

  test('drops old files, keeps unchanged ones, and does not touch declarations', async () => {
    write(
      'package.json',
      JSON.stringify({
        name: 'pair',
        type: 'module',
        exports: { '.': target('a'), './b': target('b') },
      }),
    )
    write('src/shared.ts', 'export class Shared {}')
    write('src/a.ts', "export { Shared } from './shared.ts'")
    write(
      'src/b.ts',
      "import { Shared } from './shared.ts'\nexport const make = (): Shared => new Shared()",
    )
    write('dist/shared.js', 'written by tsc')
    write('dist/deep/old.js.map', '{}')
    write('dist/a.d.ts', '')
    await writeBundle(place)
    const first = scripts()
    expect(first).toHaveLength(3)
    expect(await staleFiles(place)).toEqual([])
    const load = async (name: string, version: number) =>
      import(
        /* @vite-ignore */ `${pathToFileURL(join(place, 'dist', `${name}.js`)).href}?${version}`
      )
    expect((await load('b', 1)).make()).toBeInstanceOf((await load('a', 1)).Shared)

    // An up-to-date file must keep its time.
    utimesSync(join(place, 'dist/b.js'), 1, 1)
    await writeBundle(place)
    expect(statSync(join(place, 'dist/b.js')).mtimeMs).toBe(1000)

    write('src/shared.ts', 'export class Shared { readonly isNew = true }')
    expect((await staleFiles(place)).length).toBeGreaterThan(0)
    await writeBundle(place)
    expect(await staleFiles(place)).toEqual([])
    expect(scripts()).toHaveLength(3)
    expect(scripts()).not.toEqual(first)
    expect((await load('b', 2)).make()).toEqual({ isNew: true })
    expect(readFileSync(join(place, 'dist/a.d.ts'), 'utf8')).toBe('')
  })
})
