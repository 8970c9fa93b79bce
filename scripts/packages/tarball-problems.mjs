/** Checks a packed package: its files, its manifest, and the targets of its maps and exports. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { root } from '../prepare.mjs'

const required = ['package.json', 'README.md', 'LICENSE']
const unwanted = [
  /(^|\/)tests?\//,
  /\.(test|spec)\./,
  /tsbuildinfo$/,
  /(^|\/)\./,
  /^(scripts|node_modules)\//,
  /\.orig$/,
]
const machine = [root, process.env.HOME ?? root]
  .filter((path) => path.length > 3)
  .map((path) => path.replace(/\/$/, ''))

/**
 * @param {string} folder the unpacked package
 * @returns {readonly string[]} one sentence for each problem
 */
export function tarballProblems(folder) {
  const files = filesOf(folder)
  const read = (/** @type {string} */ file) => readFileSync(join(folder, file), 'utf8')
  const manifest = JSON.parse(read('package.json'))
  return [
    ...required.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files
      .filter((file) => unwanted.some((pattern) => pattern.test(file)))
      .map((file) => `${file} is packed`),
    ...files.filter(isText).flatMap((file) => textProblems(folder, file, read(file))),
    ...sizeProblems(manifest.name, files, (file) => statSync(join(folder, file)).size),
    ...manifestProblems(manifest, (file) => existsSync(join(folder, file))),
  ]
}

/** Bounds of core, which pages and servers install: files, and bytes when unpacked. */
const MAX_FILES = 400
const MAX_BYTES = 2 * 1024 * 1024

/**
 * @param {string} name
 * @param {readonly string[]} files
 * @param {(file: string) => number} sizeOf
 */
function sizeProblems(name, files, sizeOf) {
  if (name !== '@entia/core') return []
  const bytes = files.reduce((sum, file) => sum + sizeOf(file), 0)
  return [
    ...(files.length > MAX_FILES ? [`${files.length} files, at most ${MAX_FILES}`] : []),
    ...(bytes > MAX_BYTES ? [`${bytes} bytes unpacked, at most ${MAX_BYTES}`] : []),
  ]
}

/** @param {string} file */
const isText = (file) => /\.(m?[jt]s|json|map|md|html|css|svg)$/.test(file) || file === 'LICENSE'

/**
 * @param {string} folder
 * @param {string} file
 * @param {string} text
 */
function textProblems(folder, file, text) {
  const problems = machine
    .filter((path) => text.includes(`${path}/`))
    .map((path) => `${file} names ${path}`)
  const [, mapped] = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(text) ?? []
  if (
    mapped !== undefined &&
    !mapped.startsWith('data:') &&
    !existsSync(join(folder, dirname(file), mapped))
  ) {
    problems.push(`${file} leads to ${mapped}, which is not packed`)
  }
  if (!file.endsWith('.map')) return problems
  const { sources, sourcesContent, sourceRoot = '' } = JSON.parse(text)
  for (const [i, source] of sources.entries()) {
    const path = posix.join(dirname(file), sourceRoot, source)
    if (sourcesContent?.[i] == null && !existsSync(join(folder, path))) {
      problems.push(`${file} leads to ${path}, which is not packed`)
    }
  }
  return problems
}

/**
 * @param {Record<string, any>} manifest
 * @param {(file: string) => boolean} isPacked
 */
function manifestProblems(manifest, isPacked) {
  /** @type {string[]} */
  const problems = []
  const expect = (/** @type {boolean} */ holds, /** @type {string} */ problem) => {
    if (!holds) problems.push(`package.json: ${problem}`)
  }
  expect(manifest.type === 'module', 'type is not module')
  expect(manifest.license === 'MIT', 'license is not MIT')
  expect(
    typeof manifest.description === 'string' && manifest.description !== '',
    'description is missing',
  )
  expect(Array.isArray(manifest.keywords) && manifest.keywords.length > 0, 'keywords are missing')
  expect(manifest.engines?.node === '>=20.19', 'engines.node is not >=20.19')
  expect(manifest.sideEffects !== undefined, 'sideEffects is missing')
  expect(manifest.publishConfig?.access === 'public', 'publishConfig.access is not public')
  expect(manifest.publishConfig?.provenance === true, 'publishConfig.provenance is not true')
  expect(manifest.exports?.['./package.json'] === './package.json', 'exports lack ./package.json')
  for (const file of Object.values(manifest.bin ?? {}))
    expect(isPacked(file), `bin ${file} is not packed`)
  for (const [entry, target] of Object.entries(manifest.exports ?? {})) {
    if (typeof target === 'string') continue
    // Conditions are tried in order, and core has other files for Node than for bundlers.
    expect(
      Object.keys(target).join().replace(',node', '') === 'types,default',
      `exports ${entry} has ${Object.keys(target)}, not types,default`,
    )
    for (const file of Object.values(target))
      expect(isPacked(file), `exports ${entry}: ${file} is not packed`)
  }
  return problems
}

/** @param {string} folder */
function filesOf(folder) {
  /** @type {(place: string) => string[]} */
  const walk = (place) =>
    readdirSync(join(folder, place), { withFileTypes: true }).flatMap((entry) => {
      const path = posix.join(place, entry.name)
      return entry.isDirectory() ? walk(path) : [path]
    })
  return walk('')
}
