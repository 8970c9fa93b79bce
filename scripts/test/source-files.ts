import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The path of the checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

const skipped = new Set(['node_modules', 'dist', '.git', 'coverage', 'results', 'staged'])

/** Paths of all files below a folder, relative to it, with `/`; ignores what git ignores. */
export function filesBelow(folder: string): readonly string[] {
  const walk = (directory: string): string[] =>
    readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      if (skipped.has(entry.name)) return []
      const path = join(directory, entry.name)
      return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : []
    })
  const top = join(root, folder)
  return walk(top)
    .map((path) => relative(top, path).split(sep).join('/'))
    .sort()
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

export function readJson<T>(path: string): T {
  return JSON.parse(readText(path))
}

/** Source texts by path below the folder. */
export function sourcesOf(folder: string): ReadonlyMap<string, string> {
  const files = filesBelow(folder).filter(
    (file) => /\.(ts|tsx|js|mjs)$/.test(file) && !file.endsWith('.d.ts'),
  )
  return new Map(files.map((file) => [file, readText(`${folder}/${file}`)]))
}

export function isGenerated(file: string): boolean {
  return /\.generated\.(js|ts)$/.test(file)
}
