import { EntiaError, isEntiaError } from '../errors.ts'
import type { AsyncLoadOptions } from '../model/async-local.ts'
import type { LoadOptions, LoadResult } from '../model/table-types.ts'
import { loadError } from '../transaction/load-errors.ts'
import { checkCallOptions } from '../value/check-options.ts'

const OPTIONS = ['onProgress', 'relations', 'hooks', 'rowsPerCommit']

/** Loads some rows in one commit. */
type LoadRows = (
  rows: Iterable<object> | AsyncIterable<object>,
  options: LoadOptions | undefined,
) => Promise<LoadResult>

/**
 * Loads rows in commits of `rowsPerCommit` each, or all in one. Rows are read as they are needed,
 * so that those of one commit are in memory. Row numbers of refusals and of `onProgress` count from
 * the first row of all. Throws `argumentInvalid`, and what `load` throws.
 */
export async function loadInPieces(
  load: LoadRows,
  rows: Iterable<object> | AsyncIterable<object>,
  given: AsyncLoadOptions | undefined,
): Promise<LoadResult> {
  checkCallOptions(given, OPTIONS)
  const { rowsPerCommit, ...options } = given ?? {}
  if (rowsPerCommit === undefined) return load(rows, options)
  if (!Number.isSafeInteger(rowsPerCommit) || rowsPerCommit < 1)
    throw new EntiaError('argumentInvalid', {
      argument: 'The option rowsPerCommit',
      expected: 'a whole number from 1',
      found: String(rowsPerCommit),
    })
  const { onProgress } = options
  let count = 0
  let piece: object[] = []
  const commit = async (): Promise<void> => {
    const before = count
    const shifted = onProgress && { onProgress: (done: number) => onProgress(before + done) }
    try {
      count += (await load(piece, { ...options, ...shifted })).count
    } catch (error) {
      throw afterRows(before, error)
    }
    piece = []
  }
  for await (const row of rows) if (piece.push(row) === rowsPerCommit) await commit()
  if (piece.length > 0) await commit()
  return { count }
}

/** The refusal of a row that comes after those of earlier commits. */
function afterRows(before: number, error: unknown): unknown {
  if (!isEntiaError(error, 'loadRefused')) return error
  const { details, cause } = error
  const rowNumber = before + details.rowNumber
  return loadError('loadRefused', { ...details, rowNumber, stored: before }, { cause })
}
