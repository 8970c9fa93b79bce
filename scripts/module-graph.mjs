/**
 * `npm run module-graph`: draws the modules of core, engine and rest into docs/images, and prints
 * the size of each package.
 *
 *   npm run module-graph                     of the checkout
 *   npm run module-graph -- --ref COMMIT     of a commit, as modules-*-before.svg
 *   npm run module-graph -- --check          writes nothing; exits with 1 if a picture is stale
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { drawGraph } from './module-graph/draw.mjs'
import { modulesOf } from './module-graph/modules.mjs'
import { PrepareError, root, runMain } from './prepare.mjs'
import { withoutComments } from './source-imports.mjs'

/** The folders that are drawn by their subfolders. */
const divided = new Set(['endpoints', 'transport'])
const maxGitOutput = 64 * 2 ** 20

const { values: options } = parseArgs({
  options: { ref: { type: 'string' }, check: { type: 'boolean' } },
})

/** Text by path below the folder, of the files that people write. @param {string} folder */
function readSources(folder) {
  const names = options.ref
    ? git('ls-tree', '-r', '--name-only', `${options.ref}:${folder}`).split('\n')
    : readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((name) =>
        name.replaceAll('\\', '/'),
      )
  const read = (/** @type {string} */ name) =>
    options.ref
      ? git('show', `${options.ref}:${folder}/${name}`)
      : readFileSync(`${root}${folder}/${name}`, 'utf8')
  return new Map(
    names
      .filter((name) => /\.(ts|peggy)$/.test(name) && !name.includes('.generated.'))
      .sort()
      .map((name) => [name, read(name)]),
  )
}

/** @param {string[]} parameters */
function git(...parameters) {
  return execFileSync('git', parameters, { cwd: root, encoding: 'utf8', maxBuffer: maxGitOutput })
}

/** The lines of code, without comments and blank lines. @param {string} text */
const codeLinesOf = (text) =>
  withoutComments(text)
    .split('\n')
    .filter((line) => line.trim() !== '').length

/** The module of a file; null for files outside of the modules. @param {string} file */
function moduleOf(file) {
  const [top = '', folder = '', ...rest] = file.split('/')
  if (folder === '') return null
  return divided.has(top) && rest.length > 0 ? `${top}/${folder}` : top
}

/**
 * Line counts change with every edit, so a picture is stale only if something else differs.
 * @param {string} picture
 */
const withoutCounts = (picture) => picture.replace(/[\d,]+ lines/g, 'lines')

await runMain(() => {
  for (const name of ['core', 'engine', 'rest']) {
    const sources = readSources(`packages/${name}/src`)
    const modules = modulesOf(sources, moduleOf, codeLinesOf)
    const picture = drawGraph(
      `The modules of packages/${name}/src${options.ref ? ` at ${options.ref}` : ''}`,
      modules,
    )
    const file = `docs/images/modules-${name}${options.ref ? '-before' : ''}.svg`
    if (!options.check) writeFileSync(root + file, picture)
    else if (withoutCounts(readFileSync(root + file, 'utf8')) !== withoutCounts(picture))
      throw new PrepareError(`${file} is stale: run "npm run module-graph".`)
    const texts = [...sources.values()]
    const lines = sum(texts.map((text) => text.trimEnd().split('\n').length))
    const code = sum(texts.map(codeLinesOf))
    console.log(
      `${name}: ${modules.size} modules, ${texts.length} files, ${lines} lines, ${code} of them code`,
    )
  }
})

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
