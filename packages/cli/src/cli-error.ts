/** A failure that the user can mend: its message is all that is shown. Exit code 1, or 2 when the command line is wrong. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: 1 | 2

  constructor(message: string, options?: { exitCode?: 1 | 2; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.exitCode = options?.exitCode ?? 1
  }
}

/** A wrong command line. `command` is the one whose help says more. */
export function usageError(message: string, command?: string): CliError {
  const help = command === undefined ? 'entia --help' : `entia ${command} --help`
  return new CliError(`${message}\nSee "${help}".`, { exitCode: 2 })
}
