import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { CliError } from './cli-error.ts'
import { closestOf } from './suggestion.ts'

/** The error for a path that does not exist, with the most similar name in its folder. */
export function missingFile(path: string, what = 'file'): CliError {
  const similar = similarFile(path)
  const hint = similar === null ? '' : ` Did you mean "${similar}"?`
  return new CliError(`There is no ${what} ${path} (looked for ${resolve(path)}).${hint}`)
}

function similarFile(path: string): string | null {
  const name = basename(path)
  const names = namesIn(dirname(resolve(path)))
  const found = names.find((each) => each.startsWith(`${name}.`)) ?? closestOf(name, names)
  return found === null ? null : join(dirname(path), found)
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'))
  } catch {
    return []
  }
}
