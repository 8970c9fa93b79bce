import { existsSync, readFileSync } from 'node:fs'
import { isEntiaError } from '@entia/core'
import { CliError, isBrokenPipe, systemFailure, usageError } from './cli-error.ts'
import { check } from './commands/check.ts'
import { completion } from './commands/completion.ts'
import { copy } from './commands/copy.ts'
import { exportData } from './commands/export.ts'
import { importData } from './commands/import.ts'
import { infer } from './commands/infer.ts'
import { init } from './commands/init.ts'
import { mcp } from './commands/mcp.ts'
import { migrate } from './commands/migrate.ts'
import { openApi } from './commands/openapi.ts'
import { explain, query } from './commands/query.ts'
import { verify } from './commands/verify.ts'
import { isData } from './data/data-file.ts'
import { withInputNamed } from './data/standard-input.ts'
import { write } from './print/write.ts'
import { serve } from './serve.ts'
import { suggestionOf } from './suggestion.ts'
import { generalUsage } from './usage.ts'

/**
 * Runs one command line, given without `node` and the program's name. Returns the exit code: 0 for
 * success, 1 for a failure, 2 for a wrong command line. Never throws. `serve` resolves after the
 * server has stopped.
 *
 * @example
 * ```ts
 * const exitCode: number = await main(['query', 'hr.dump', 'Employee', 'salary > 50000'])
 * ```
 */
export async function main(parameters: readonly string[]): Promise<number> {
  // `write` reports failures. What a server prints, and what goes to stderr, may be lost: without
  // listeners a reader that has gone would end the process with a stack.
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
  try {
    return await runCommand(parameters)
  } catch (error) {
    // The reader has what it wanted: `entia query … | head -1`.
    if (isBrokenPipe(error)) return 0
    process.stderr.write(`${withInputNamed(describe(error))}\n`)
    return error instanceof CliError ? error.exitCode : 1
  }
}

const ignore = (): void => {}

/** Runs a command with its parameters. Resolves with the exit code. */
type Command = (parameters: readonly string[]) => Promise<number>

/** Every command. `generalUsage` describes them, and each prints its own help. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['init', init],
  ['serve', serve],
  ['query', query],
  ['explain', explain],
  ['export', exportData],
  ['import', importData],
  ['migrate', migrate],
  ['copy', copy],
  ['verify', verify],
  ['check', check],
  ['infer', infer],
  ['openapi', openApi],
  ['mcp', mcp],
  ['completion', completion],
])

async function runCommand([name, ...parameters]: readonly string[]): Promise<number> {
  const command = name === undefined ? undefined : COMMANDS.get(name)
  if (command !== undefined) return command(parameters)
  switch (name) {
    case '-h':
    case '--help':
    case 'help':
      return write(generalUsage)
    case '-v':
    case '--version':
      return write(`${version()}\n`)
    case undefined:
      throw new CliError(generalUsage.trimEnd(), { exitCode: 2 })
    default:
      throw usageError(unknownCommand(name))
  }
}

function unknownCommand(name: string): string {
  if (name.startsWith('-'))
    return `entia has no option "${name}".${suggestionOf(name, ['--help', '--version'])} Options of a command follow it: entia serve data/ --port 8080`
  if (isData(name) || existsSync(name))
    return `"${name}" is no command. Did you mean "entia serve ${name}"?`
  return `entia has no command "${name}".${suggestionOf(name, COMMANDS.keys())}`
}

/**
 * Shows a `CliError` by its message, a failed call of the operating system by a sentence, and any
 * other error with its stack.
 */
function describe(error: unknown): string {
  // Errors of the engine, for example a wrong filter, explain themselves.
  if (isEntiaError(error)) return error.message
  if (!(error instanceof CliError))
    return (
      systemFailure(error) ??
      (error instanceof Error ? (error.stack ?? error.message) : String(error))
    )
  const { cause } = error
  return cause instanceof Error && cause.stack !== undefined
    ? `${error.message}\n\n${cause.stack}`
    : error.message
}

function version(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}
