/**
 * The JavaScript of a package: a file per export, and chunks for what they share. Importing two hundred small files takes Node four times
 * as long. `tsc` writes the declarations, and no JavaScript: so that no file is written by both, and each build writes all files anew.
 *
 * What a package exports stands in its package.json, under `entia-source` and `default`. Dependencies stay imports.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * Modules that get a chunk of their own, with what they import: those of core that a program needs which has a model and no store, as the
 * page of a client has. Bundlers leave out what nobody imports by file; within a file they keep each class that extends another. Modules
 * that one entry alone imports do not belong here: they would be a further chunk.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const apart = {
  '@entia/core': [
    'errors.ts',
    'filter/parse-filter.ts',
    'model/check-data-class.ts',
    'model/entity.ts',
    'model/path.ts',
    'value/media.ts',
  ],
}
/** The name of the entry that they are put apart by. */
const APART = 'apart'

/**
 * @param {string} folder absolute, of a package
 * @returns {Promise<ReadonlyMap<string, string>>} texts by path below `dist`
 */
export async function bundle(folder) {
  const { build } = await import('esbuild')
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const dist = join(folder, 'dist')
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [...entriesOf(manifest), ...(manifest.name in apart ? [{ in: APART, out: APART }] : [])],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    // A seventh of the time of importing it. Names stay, for stacks and profiles; source maps lead to the sources, which are packed.
    minifyWhitespace: true,
    lineLimit: 160,
    sourcemap: true,
    sourcesContent: false,
    chunkNames: '[name]-[hash]',
    write: false,
    logLevel: 'warning',
    plugins: [modulesApart(folder, apart[manifest.name] ?? [])],
  })
  const texts = outputFiles.map(({ path, text }) => /** @type {const} */ ([posix(relative(dist, path)), text]))
  return new Map(texts.filter(([file]) => !file.startsWith(`${APART}.`)))
}

/**
 * Writes it, and removes other JavaScript below `dist`. A file that is as it should be is not touched: programs may run from it.
 * @param {string} folder absolute, of a package
 */
export async function writeBundle(folder) {
  const files = await bundle(folder)
  const dist = join(folder, 'dist')
  // Chunks before those that import them.
  for (const [file, text] of [...files].reverse()) {
    const path = join(dist, file)
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.${process.pid}`, text)
    renameSync(`${path}.${process.pid}`, path)
  }
  for (const file of scriptsIn(dist)) if (!files.has(file)) rmSync(join(dist, file), { force: true })
}

/**
 * Files below `dist` that are not what the sources give, or are missing, or are too many.
 * @param {string} folder absolute, of a package
 */
export async function staleFiles(folder) {
  const files = await bundle(folder)
  const dist = join(folder, 'dist')
  const isFresh = (/** @type {string} */ file) =>
    existsSync(join(dist, file)) && files.get(file) === readFileSync(join(dist, file), 'utf8')
  return [...new Set([...files.keys(), ...scriptsIn(dist)])].filter((file) => !isFresh(file))
}

/** @param {string} dist @returns {readonly string[]} JavaScript and its maps, whoever has written it */
function scriptsIn(dist) {
  if (!existsSync(dist)) return []
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => /\.js(\.map)?$/.test(file)).map(posix)
}

/** @param {{ exports: Record<string, string | { 'entia-source': string, default: string }> }} manifest */
function entriesOf({ exports }) {
  return Object.values(exports).flatMap((target) =>
    typeof target === 'string'
      ? []
      : [{ in: target['entia-source'], out: target.default.replace(/^\.\/dist\/|\.js$/g, '') }],
  )
}

/**
 * An entry that exports the modules is what makes esbuild put them into a chunk; the entry itself is thrown away.
 * @param {string} folder
 * @param {readonly string[]} modules
 * @returns {import('esbuild').Plugin}
 */
const modulesApart = (folder, modules) => ({
  name: APART,
  setup(build) {
    build.onResolve({ filter: /^apart$/ }, () => ({ path: join(folder, 'src', `${APART}.ts`), namespace: APART }))
    build.onLoad({ filter: /./, namespace: APART }, () => ({
      contents: modules.map((module) => `export * from './${module}'`).join('\n'),
      resolveDir: join(folder, 'src'),
      loader: 'ts',
    }))
  },
})

const posix = (/** @type {string} */ path) => path.replaceAll('\\', '/')
