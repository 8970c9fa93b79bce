/**
 * The command line. Each command is imported when it runs, so that a command loads no more than it
 * needs: a process that only prints a help text loads no store.
 */
import { existsSync, readFileSync } from 'node:fs'
import { CliError, isBrokenPipe, systemFailure, usageError } from './cli-error.ts'
import { isData } from './data/data-file.ts'
import { withInputNamed } from './data/standard-input.ts'
import { write } from './print/write.ts'
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
    process.stderr.write(`${withInputNamed(await describe(error))}\n`)
    return error instanceof CliError ? error.exitCode : 1
  }
}

const ignore = (): void => {}

/** Runs a command with its parameters. Resolves with the exit code. */
type Command = (parameters: readonly string[]) => Promise<number>

/**
 * Every command, with the function that imports it. `generalUsage` describes them, and each prints
 * its own help.
 */
export const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['init', async () => (await import('./commands/init.ts')).init],
  ['serve', async () => (await import('./serve.ts')).serve],
  ['query', async () => (await import('./commands/query.ts')).query],
  ['explain', async () => (await import('./commands/query.ts')).explain],
  ['export', async () => (await import('./commands/export.ts')).exportData],
  ['import', async () => (await import('./commands/import.ts')).importData],
  ['migrate', async () => (await import('./commands/migrate.ts')).migrate],
  ['copy', async () => (await import('./commands/copy.ts')).copy],
  ['verify', async () => (await import('./commands/verify.ts')).verify],
  ['check', async () => (await import('./commands/check.ts')).check],
  ['infer', async () => (await import('./commands/infer.ts')).infer],
  ['openapi', async () => (await import('./commands/openapi.ts')).openApi],
  ['mcp', async () => (await import('./commands/mcp.ts')).mcp],
  ['completion', async () => (await import('./commands/completion.ts')).completion],
])

async function runCommand([name, ...parameters]: readonly string[]): Promise<number> {
  const command = name === undefined ? undefined : COMMANDS.get(name)
  if (command !== undefined) return (await command())(parameters)
  switch (name) {
    case 'help':
      if (parameters.length > 0) return runCommand([...parameters.slice(0, 1), '--help'])
      return write(generalUsage)
    case '-h':
    case '--help':
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
async function describe(error: unknown): Promise<string> {
  if (!(error instanceof CliError)) {
    // Errors of the engine, for example a wrong filter, explain themselves.
    const { isEntiaError } = await import('@entia/core')
    if (isEntiaError(error)) return error.message
    return (
      systemFailure(error) ??
      (error instanceof Error ? (error.stack ?? error.message) : String(error))
    )
  }
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
