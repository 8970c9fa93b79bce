/**
 * The JavaScript of a package: one file per export, and chunks for shared code. Node takes four
 * times as long to import two hundred small files. `tsc` writes only declarations, so no file has
 * two writers and each build replaces all files.
 *
 * The exports are in package.json, under `entia-source` and `default`. Dependencies stay imports.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * Modules with a separate chunk, including their imports: the parts of core for a program that has
 * a model but no store, such as a client's page. Bundlers drop unused files, but keep each subclass
 * within a used file. Do not list modules of a single entry here: they would become another chunk.
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
/** The name of the entry that separates them. */
const APART = 'apart'

/**
 * @param {string} folder absolute path of a package
 * @returns {Promise<ReadonlyMap<string, string>>} texts by path below `dist`
 */
export async function bundle(folder) {
  const { build } = await import('esbuild')
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const dist = join(folder, 'dist')
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [
      ...entriesOf(manifest),
      ...(manifest.name in apart ? [{ in: APART, out: APART }] : []),
    ],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    // Saves a seventh of the import time. Names are kept for stacks and profiles; source maps lead
    // to the packed sources.
    minifyWhitespace: true,
    lineLimit: 160,
    sourcemap: true,
    sourcesContent: false,
    chunkNames: '[name]-[hash]',
    write: false,
    logLevel: 'warning',
    plugins: [modulesApart(folder, apart[manifest.name] ?? [])],
  })
  const texts = outputFiles.map(
    ({ path, text }) => /** @type {const} */ ([posix(relative(dist, path)), text]),
  )
  return new Map(texts.filter(([file]) => !file.startsWith(`${APART}.`)))
}

/**
 * Writes the bundle and removes other JavaScript below `dist`. Unchanged files are not touched,
 * because programs may be running from them.
 * @param {string} folder absolute path of a package
 */
export async function writeBundle(folder) {
  const files = await bundle(folder)
  const dist = join(folder, 'dist')
  // Write chunks before the files that import them.
  for (const [file, text] of [...files].reverse()) {
    const path = join(dist, file)
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.${process.pid}`, text)
    renameSync(`${path}.${process.pid}`, path)
  }
  for (const file of scriptsIn(dist))
    if (!files.has(file)) rmSync(join(dist, file), { force: true })
}

/**
 * Files below `dist` that differ from the bundle, are missing, or do not belong to it.
 * @param {string} folder absolute path of a package
 */
export async function staleFiles(folder) {
  const files = await bundle(folder)
  const dist = join(folder, 'dist')
  const isFresh = (/** @type {string} */ file) =>
    existsSync(join(dist, file)) && files.get(file) === readFileSync(join(dist, file), 'utf8')
  return [...new Set([...files.keys(), ...scriptsIn(dist)])].filter((file) => !isFresh(file))
}

/** @param {string} dist @returns {readonly string[]} all JavaScript files and their maps */
function scriptsIn(dist) {
  if (!existsSync(dist)) return []
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => /\.js(\.map)?$/.test(file)).map(posix)
}

/**
 * @param {{ exports: Record<string, string | { 'entia-source': string, default: string }> }}
 * manifest
 */
function entriesOf({ exports }) {
  return Object.values(exports).flatMap((target) =>
    typeof target === 'string'
      ? []
      : [{ in: target['entia-source'], out: target.default.replace(/^\.\/dist\/|\.js$/g, '') }],
  )
}

/**
 * Adds an entry that exports the modules, so that esbuild puts them into a chunk. The entry is
 * discarded.
 * @param {string} folder
 * @param {readonly string[]} modules
 * @returns {import('esbuild').Plugin}
 */
const modulesApart = (folder, modules) => ({
  name: APART,
  setup(build) {
    build.onResolve({ filter: /^apart$/ }, () => ({
      path: join(folder, 'src', `${APART}.ts`),
      namespace: APART,
    }))
    build.onLoad({ filter: /./, namespace: APART }, () => ({
      contents: modules.map((module) => `export * from './${module}'`).join('\n'),
      resolveDir: join(folder, 'src'),
      loader: 'ts',
    }))
  },
})

const posix = (/** @type {string} */ path) => path.replaceAll('\\', '/')
