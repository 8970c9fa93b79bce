import { dirname, join } from 'node:path/posix'

/**
 * The specifiers that a module imports or re-exports, in static, dynamic, side-effect and type-only
 * forms. It parses the text without its comments, because the compiler has no API.
 */
export function importsOf(text: string): readonly string[] {
  const code = withoutComments(text)
  const patterns = [/\bfrom\s*['"]([^'"\n]+)['"]/g, /\bimport\s*\(?\s*['"]([^'"\n]+)['"]/g]
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([, specifier]) => specifier ?? ''))
}

/**
 * Blanks comments but keeps line breaks, so that line numbers stay the same. Keeps strings and
 * templates.
 */
export function withoutComments(text: string): string {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  return text.replace(token, (found) => (/^\/[*/]/.test(found) ? found.replace(/[^\n]/g, ' ') : found))
}

/** File -> the imported files of the same folder, by relative path. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

export function importGraph(sources: ReadonlyMap<string, string>): ImportGraph {
  return new Map(
    [...sources].map(([file, text]) => [
      file,
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => join(dirname(file), specifier)),
    ]),
  )
}

/** One cycle of the graph as a path that ends at its start, or null. */
export function findCycle(graph: ImportGraph): readonly string[] | null {
  const finished = new Set<string>()
  const visit = (file: string, path: readonly string[]): readonly string[] | null => {
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
