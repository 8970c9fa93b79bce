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
  return new CliError(`${path} cannot be ${action}: ${systemReason(error) ?? textOf(error)}`)
}

/** What a failed call of the operating system means; null for any other error. */
export function systemReason(error: unknown): string | null {
  if (!isSystemError(error)) return null
  const reason = REASONS.get(error.code)
  return reason === undefined ? error.message : `${reason} (${error.code}).`
}

/** The failed call of the operating system as a sentence; null for any other error. */
export function systemFailure(error: unknown): string | null {
  const reason = systemReason(error)
  if (reason === null) return null
  const path = error instanceof Error && 'path' in error ? error.path : undefined
  return typeof path === 'string' ? `${path} cannot be used: ${reason}` : `Failed: ${reason}`
}

/** True if the program that read the output has ended, as `head` does. */
export const isBrokenPipe = (error: unknown): boolean =>
  isSystemError(error) && error.code === 'EPIPE'

const isSystemError = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not do that'],
  ['EPERM', 'this user may not do that'],
  ['EEXIST', 'something else has this name'],
  ['EISDIR', 'it is a folder, not a file'],
  ['ELOOP', 'its symbolic links lead in a circle'],
  ['EMFILE', 'too many files are open'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ENOENT', 'the file or its folder does not exist'],
  ['ENOSPC', 'the disk is full'],
  ['ENOTDIR', 'the path leads through a file'],
  ['EROFS', 'nothing can be written on that disk'],
])

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
