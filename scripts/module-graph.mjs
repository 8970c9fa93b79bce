/**
 * `npm run module-graph`: draws the modules of core, engine and rest into docs/images with
 * Graphviz, and prints the size of each package. `-- --check` draws nothing, and exits with 1 if a
 * picture shows other modules or imports.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ensureInstalled, PrepareError, root, runMain } from './prepare.mjs'
import { findCycle, importGraph, withoutComments } from './source-imports.mjs'

/**
 * @typedef {object} Module
 * @property {number} lines of code, without comments and blank lines
 * @property {readonly string[]} imports the modules that it imports, without those that it also
 *   reaches through another import
 */

/** The folders that are drawn by their subfolders. */
const divided = new Set(['endpoints', 'transport'])

/** Readable on light and dark pages. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .node text { font-weight: 600 } .node text ~ text { fill: #59636e; font-size: 11px; font-weight: 400 }
  .graph > text { font-size: 15px; font-weight: 600 }
  .graph > text ~ text { font-size: 11px; font-weight: 400; fill: #59636e }
  .node path { fill: #eaf2fc; stroke: #1f6fd1 } .edge path { stroke: #8c959f }
  .edge polygon { fill: #59636e; stroke: #59636e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .node text ~ text { fill: #9198a1 }
    .node path { fill: #14263d; stroke: #58a6ff } .edge path { stroke: #6e7681 }
    .edge polygon { fill: #9198a1; stroke: #9198a1 }
  }`

await runMain(async () => {
  const isCheck = process.argv.includes('--check')
  for (const name of ['core', 'engine', 'rest']) {
    const sources = readSources(`packages/${name}/src`)
    const modules = modulesOf(sources)
    const file = `docs/images/modules-${name}.svg`
    if (!isCheck)
      writeFileSync(root + file, await draw(`The modules of packages/${name}/src`, modules))
    else if (!readFileSync(root + file, 'utf8').includes(descriptionOf(modules)))
      throw new PrepareError(`${file} is stale: run "npm run module-graph".`)
    const texts = [...sources.values()]
    const lines = sum(texts.map((text) => text.trimEnd().split('\n').length))
    const code = sum(texts.map(codeLines))
    console.log(
      `${name}: ${modules.size} modules, ${texts.length} files, ${lines} lines, ${code} of them code`,
    )
  }
})

/** Text by path below the folder, of the files that people write. @param {string} folder */
function readSources(folder) {
  return new Map(
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => /\.(ts|peggy)$/.test(name) && !name.includes('.generated.'))
      .sort()
      .map((name) => [name, readFileSync(`${root}${folder}/${name}`, 'utf8')]),
  )
}

/** The lines of code, without comments and blank lines. @param {string} text */
function codeLines(text) {
  return withoutComments(text)
    .split('\n')
    .filter((line) => line.trim() !== '').length
}

/** The module of a file; null for files outside of the modules. @param {string} file */
function moduleOf(file) {
  const [top = '', folder = '', ...rest] = file.split('/')
  if (folder === '') return null
  return divided.has(top) && rest.length > 0 ? `${top}/${folder}` : top
}

/**
 * The modules of a folder. Types that a module imports count as imports.
 * @param {ReadonlyMap<string, string>} sources text by path
 * @returns {ReadonlyMap<string, Module>}
 */
function modulesOf(sources) {
  const lines = new Map()
  const imports = /** @type {Map<string, Set<string>>} */ (new Map())
  for (const [file, targets] of importGraph(sources)) {
    const name = moduleOf(file)
    if (name === null) continue
    lines.set(name, (lines.get(name) ?? 0) + codeLines(sources.get(file) ?? ''))
    const imported = imports.get(name) ?? new Set()
    imports.set(name, imported)
    for (const target of targets.map(moduleOf))
      if (target !== null && target !== name) imported.add(target)
  }
  const graph = new Map([...imports].map(([name, targets]) => [name, [...targets].sort()]))
  const cycle = findCycle(graph)
  if (cycle !== null) throw new Error(`Modules import each other: ${cycle.join(' -> ')}`)
  return new Map(
    [...graph].map(([name, targets]) => {
      const reached = new Set(targets.flatMap((target) => [...reachedFrom(graph, target)]))
      const direct = targets.filter((target) => !reached.has(target))
      return [name, { lines: lines.get(name), imports: direct }]
    }),
  )
}

/**
 * @param {ReadonlyMap<string, readonly string[]>} graph
 * @param {string} name
 * @returns {ReadonlySet<string>} without the module itself
 */
function reachedFrom(graph, name, reached = new Set()) {
  for (const target of graph.get(name) ?? []) {
    if (reached.has(target)) continue
    reached.add(target)
    reachedFrom(graph, target, reached)
  }
  return reached
}

/** @param {ReadonlyMap<string, Module>} modules */
function descriptionOf(modules) {
  return [...modules]
    .map(([name, { imports }]) => `${name} imports ${imports.join(', ') || 'no other module'}.`)
    .join(' ')
}

/**
 * Draws modules as boxes in layers, with arrows down to the modules that they import.
 * @param {string} title
 * @param {ReadonlyMap<string, Module>} modules
 * @returns {Promise<string>} SVG
 */
async function draw(title, modules) {
  ensureInstalled('scripts/packages')
  const { Graphviz } = await import('./packages/graphviz.mjs')
  const lines = (/** @type {number} */ count) =>
    (Math.max(1, Math.round(count / 100)) * 100).toLocaleString('en')
  const boxes = [...modules].map(
    ([name, module]) => `"${name}" [label="${name}\\n${lines(module.lines)} lines"]`,
  )
  const arrows = [...modules].flatMap(([name, { imports }]) =>
    imports.map((target) => `"${name}" -> "${target}"`),
  )
  const note = 'Arrows that other arrows imply are left out. Lines exclude comments.'
  const svg = (await Graphviz.load()).dot(`digraph {
    graph [label="${title}\\n${note}" labelloc=t labeljust=l bgcolor=transparent ranksep=0.55 nodesep=0.2]
    node [shape=box style="rounded,filled" fontname="Helvetica-Bold" fontsize=12 margin="0.12,0.06"]
    edge [arrowsize=0.6]
    ${[...boxes, ...arrows].join('\n')}
  }`)
  const [, viewBox] = /viewBox="([^"]+)"/.exec(svg) ?? []
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}" role="img" aria-labelledby="title about">
<title id="title">${title}</title>
<desc id="about">${descriptionOf(modules)}</desc>
<style>${style}
</style>
${svg
  .slice(svg.indexOf('<g id="graph0"'))
  .replace(/<!--.*?-->\n|<title>.*?<\/title>\n|(?<=<text) xml:space="preserve"/gs, '')
  .replace(/ font-(?:family|size)="[^"]*"/g, '')}`
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
