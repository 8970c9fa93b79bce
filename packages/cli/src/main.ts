import { readFileSync } from 'node:fs'
import { isEntiaError } from '@entia/core'
import { CliError, usageError } from './cli-error.ts'
import { exportData } from './commands/export.ts'
import { importData } from './commands/import.ts'
import { infer } from './commands/infer.ts'
import { mcp } from './commands/mcp.ts'
import { openApi } from './commands/openapi.ts'
import { explain, query } from './commands/query.ts'
import { serve } from './serve.ts'
import { generalUsage } from './usage.ts'

/**
 * Runs one command line, given without `node` and the program's name. Returns the exit code: 0 for
 * success, 1 for a failure, 2 for a wrong command line. Never throws. `serve` resolves after the
 * server has stopped.
 */
export async function main(parameters: readonly string[]): Promise<number> {
  try {
    return await runCommand(parameters)
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`)
    return error instanceof CliError ? error.exitCode : 1
  }
}

async function runCommand([command, ...rest]: readonly string[]): Promise<number> {
  switch (command) {
    case 'serve':
      return await serve(rest)
    case 'query':
      return await query(rest)
    case 'explain':
      return await explain(rest)
    case 'export':
      return await exportData(rest)
    case 'import':
      return await importData(rest)
    case 'infer':
      return await infer(rest)
    case 'openapi':
      return await openApi(rest)
    case 'mcp':
      return await mcp(rest)
    case '-h':
    case '--help':
    case 'help':
      process.stdout.write(generalUsage)
      return 0
    case '-v':
    case '--version':
      process.stdout.write(`${version()}\n`)
      return 0
    case undefined:
      throw new CliError(generalUsage.trimEnd(), { exitCode: 2 })
    default:
      throw usageError(
        `entia has no ${command.startsWith('-') ? 'option' : 'command'} "${command}".`,
      )
  }
}

/** Shows a `CliError` by its message, and any other error with its stack. */
function describe(error: unknown): string {
  // Errors of the engine, for example a wrong filter, explain themselves.
  if (isEntiaError(error)) return error.message
  if (!(error instanceof CliError))
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
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
