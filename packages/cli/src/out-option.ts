import { existsSync } from 'node:fs'
import { CliError } from './cli-error.ts'

/** The options of every command that writes files. */
export const OUT_OPTIONS = {
  out: { type: 'string', short: 'o' },
  force: { type: 'boolean' },
} as const

/** Where `--out` writes: undefined for stdout, which `-` names too. */
export const outPath = (out: string | undefined): string | undefined =>
  out === '-' ? undefined : out

/** Throws `CliError` for a file that exists, unless it may be replaced. */
export function refuseExisting(path: string, force: boolean | undefined): void {
  if (existsSync(path) && force !== true)
    throw new CliError(`${path} already exists. Choose another name, or replace it with --force.`)
}
