/**
 * A failure that the user can fix. Only its message is shown. Exit code 1, or 2 for a wrong command
 * line.
 */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: 1 | 2

  constructor(message: string, options?: { exitCode?: 1 | 2; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.exitCode = options?.exitCode ?? 1
  }
}

/** An error in the command line. `command` is the command whose help to read. */
export function usageError(message: string, command?: string): CliError {
  const help = command === undefined ? 'entia --help' : `entia ${command} --help`
  return new CliError(`${message}\nSee "${help}".`, { exitCode: 2 })
}

/** The failure to read or write a file. */
export function fileError(path: string, action: 'read' | 'written', error: unknown): CliError {
  return new CliError(
    `${path} cannot be ${action}: ${error instanceof Error ? error.message : String(error)}`,
  )
}
