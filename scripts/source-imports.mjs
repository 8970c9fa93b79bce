import { dirname, join } from 'node:path/posix'

/**
 * File -> the imported files of the same folder, by relative path.
 * @typedef {ReadonlyMap<string, readonly string[]>} ImportGraph
 */

/**
 * The specifiers that a module imports or re-exports, in static, dynamic, side-effect and type-only
 * forms. It parses the text without its comments, because the compiler has no API.
 * @param {string} text
 * @returns {readonly string[]}
 */
export function importsOf(text) {
  const code = withoutComments(text)
  const patterns = [/\bfrom\s*['"]([^'"\n]+)['"]/g, /\bimport\s*\(?\s*['"]([^'"\n]+)['"]/g]
  return patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map(([, specifier]) => specifier ?? ''),
  )
}

/**
 * Blanks comments but keeps line breaks, so that line numbers stay the same. Keeps strings and
 * templates.
 * @param {string} text
 */
export function withoutComments(text) {
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  return text.replace(token, (found) =>
    /^\/[*/]/.test(found) ? found.replace(/[^\n]/g, ' ') : found,
  )
}

/**
 * @param {ReadonlyMap<string, string>} sources text by path
 * @returns {ImportGraph}
 */
export function importGraph(sources) {
  return new Map(
    [...sources].map(([file, text]) => [
      file,
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => join(dirname(file), specifier)),
    ]),
  )
}

/**
 * One cycle of the graph as a path that ends at its start, or null.
 * @param {ImportGraph} graph
 * @returns {readonly string[] | null}
 */
export function findCycle(graph) {
  const finished = new Set()
  /** @type {(file: string, path: readonly string[]) => readonly string[] | null} */
  const visit = (file, path) => {
    const start = path.indexOf(file)
    if (start >= 0) return [...path.slice(start), file]
    if (finished.has(file)) return null
    for (const target of graph.get(file) ?? []) {
      const cycle = visit(target, [...path, file])
      if (cycle !== null) return cycle
    }
    finished.add(file)
    return null
  }
  for (const file of graph.keys()) {
    const cycle = visit(file, [])
    if (cycle !== null) return cycle
  }
  return null
}
