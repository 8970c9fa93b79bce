/**
 * The JavaScript of a package: one file per export, and chunks for shared code. Node takes four
 * times as long to import two hundred small files. `tsc` writes only declarations, so no file has
 * two writers and each build replaces all files.
 *
 * The exports are in package.json, under `entia-source`, `node` and `default`. Dependencies stay
 * imports. Core has files for Node under `node`, and a file per module under `default`. Bundlers
 * take the modules: they drop unused modules, but within a used file they keep each subclass.
 *
 * Core's files for Node share one chunk. Each further file costs more than a millisecond to import.
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
import { commonJsFiles } from './common-js.mjs'

/** The folder of the files for bundlers, below `dist`. */
const MODULES = 'modules'

/** Exports of core that programs in Node load without a store: the typed client does. */
const WITHOUT_STORE = ['./query']

/**
 * @typedef {{ 'entia-source': string, node?: string, default: string }} Target of an export
 */

/**
 * @param {string} folder absolute path of a package
 * @returns {Promise<ReadonlyMap<string, string>>} texts by path below `dist`
 */
export async function bundle(folder) {
  const { build } = await import('esbuild')
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const targets = targetsOf(manifest)
  const hasModules = targets.some(({ node }) => node !== undefined)
  const shared = /** @satisfies {import('esbuild').BuildOptions} */ ({
    absWorkingDir: folder,
    bundle: true,
    packages: 'external',
    format: /** @type {const} */ ('esm'),
    platform: 'neutral',
    target: 'es2022',
    // Saves a seventh of the import time. Names are kept for stacks and profiles; source maps lead
    // to the packed sources.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 240,
    // Core is packed without its sources, to which maps would lead.
    sourcemap: !hasModules,
    sourcesContent: false,
    write: /** @type {const} */ (false),
    logLevel: 'warning',
  })
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: targets.map((target) => ({
      in: target['entia-source'],
      out: (target.node ?? target.default).replace(/^\.\/dist\/|\.js$/g, ''),
    })),
    outdir: 'dist',
    splitting: true,
    chunkNames: '[name]-[hash]',
    metafile: true,
    ...(hasModules && {
      plugins: [oneChunk(folder, manifest)],
      // The main entry is imported for its place in the chunks, not for side effects.
      logOverride: { 'ignored-bare-import': /** @type {const} */ ('silent') },
    }),
  })
  const modules = hasModules
    ? await build({
        ...shared,
        minifyIdentifiers: true,
        lineLimit: 0,
        entryPoints: Object.keys(metafile.inputs),
        outbase: 'src',
        outdir: `dist/${MODULES}`,
        plugins: [keptImports],
      })
    : { outputFiles: [] }
  const dist = join(folder, 'dist')
  return new Map([
    ...[...outputFiles, ...modules.outputFiles].map(
      ({ path, text }) => /** @type {const} */ ([posix(relative(dist, path)), text]),
    ),
    ...(manifest.name === '@entia/testing' ? await commonJsFiles(folder) : []),
  ])
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

/** @param {{ exports: Record<string, string | Target> }} manifest */
const targetsOf = ({ exports }) =>
  Object.values(exports).filter((target) => typeof target !== 'string')

/**
 * Lets entries import the main entry. Esbuild makes a chunk for each set of entries that reach the
 * same files, so all that the main entry reaches becomes one chunk, but for `WITHOUT_STORE`.
 * @param {string} folder
 * @param {{ exports: Record<string, string | Target> }} manifest
 * @returns {import('esbuild').Plugin}
 */
function oneChunk(folder, { exports }) {
  const entries = new Set(
    Object.entries(exports).flatMap(([name, target]) =>
      typeof target === 'string' || name === '.' || WITHOUT_STORE.includes(name)
        ? []
        : [join(folder, target['entia-source'])],
    ),
  )
  return {
    name: 'one chunk',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
        entries.has(path)
          ? { contents: `${readFileSync(path, 'utf8')}\nimport './index.ts'\n`, loader: 'ts' }
          : undefined,
      )
    },
  }
}

/**
 * Keeps imports between the modules of a package.
 * @type {import('esbuild').Plugin}
 */
const keptImports = {
  name: 'kept imports',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ path, kind }) =>
      kind === 'entry-point'
        ? undefined
        : { path: path.replace(/\.ts$/, '.js'), external: true, sideEffects: false },
    )
  },
}

const posix = (/** @type {string} */ path) => path.replaceAll('\\', '/')
