import { findCycle, importGraph } from '../source-imports.mjs'

/**
 * @typedef {object} Module
 * @property {number} lines
 * @property {readonly string[]} imports the modules that it imports, without those that it also
 *   reaches through another import
 */

/**
 * The modules of a folder. Types that a module imports count as imports.
 * @param {ReadonlyMap<string, string>} sources text by path
 * @param {(file: string) => string | null} moduleOf null for a file that belongs to no module
 * @param {(text: string) => number} linesOf
 * @returns {ReadonlyMap<string, Module>}
 */
export function modulesOf(sources, moduleOf, linesOf) {
  const lines = new Map()
  const imports = /** @type {Map<string, Set<string>>} */ (new Map())
  for (const [file, targets] of importGraph(sources)) {
    const name = moduleOf(file)
    if (name === null) continue
    lines.set(name, (lines.get(name) ?? 0) + linesOf(sources.get(file) ?? ''))
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
      return [
        name,
        { lines: lines.get(name), imports: targets.filter((target) => !reached.has(target)) },
      ]
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
