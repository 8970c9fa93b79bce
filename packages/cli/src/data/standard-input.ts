/**
 * Data on standard input, which the source `-` names. Data is read twice, for the model and for the
 * rows, so standard input becomes a temporary file that is removed when the process ends.
 */
import { createWriteStream, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CliError } from '../cli-error.ts'

/** The source that names standard input. */
export const STANDARD_INPUT = '-'
/** The beginning by which the format is known. */
const HEAD_LENGTH = 1 << 16
const DEFAULT_NAME = 'rows'

let stored: string | null = null

/**
 * The path of a source: for `-` a file with the content of standard input, otherwise the path
 * itself. `name` is the dataclass of the rows. Throws `CliError` for a second source `-` and for an
 * empty input.
 */
export async function inputPath(path: string, name = DEFAULT_NAME): Promise<string> {
  if (path !== STANDARD_INPUT) return path
  if (stored !== null)
    throw new CliError('Standard input can be read only once. Name one source "-".')
  const folder = mkdtempSync(join(tmpdir(), 'entia-input-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const content = join(folder, 'content')
  const head = await writeTo(content)
  if (head.trim() === '')
    throw new CliError('Standard input is empty. Pass JSON, NDJSON or CSV: cat rows.csv | entia …')
  stored = join(folder, `${/^\w+$/.test(name) ? name : DEFAULT_NAME}.${formatOf(head)}`)
  renameSync(content, stored)
  return stored
}

/** A text for the user: standard input by its name, not by the temporary file. */
export const withInputNamed = (text: string): string =>
  stored === null ? text : text.replaceAll(stored, 'standard input')

/** Writes standard input to a file. Returns its beginning. */
async function writeTo(path: string): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  const copied = new Transform({
    transform(piece: Buffer, _encoding, done) {
      if (length < HEAD_LENGTH) pieces.push(piece.subarray(0, HEAD_LENGTH - length))
      length += piece.length
      done(null, piece)
    },
  })
  await pipeline(process.stdin, copied, createWriteStream(path))
  return Buffer.concat(pieces)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
}

/**
 * The format of a text by its beginning. Objects on lines of their own are NDJSON, and so is a
 * single object without lists.
 */
export function formatOf(head: string): 'json' | 'ndjson' | 'csv' | 'tsv' {
  const text = head.trimStart()
  if (text.startsWith('[')) return 'json'
  const [first = '', ...others] = text.split(/\r?\n/)
  if (text.startsWith('{')) {
    const value = objectIn(first)
    const isAlone = others.every((line) => line.trim() === '')
    if (value === null) return first.length >= HEAD_LENGTH - 1 ? 'ndjson' : 'json'
    return isAlone && Object.values(value).some(Array.isArray) ? 'json' : 'ndjson'
  }
  return first.includes('\t') && !first.includes(',') ? 'tsv' : 'csv'
}

function objectIn(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
